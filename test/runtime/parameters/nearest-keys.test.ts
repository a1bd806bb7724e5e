import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { nearestKeys, nearestText } from '../../../runtime/parameters/nearest-keys.js';

const keys = ['layer.0.attn.q.weight', 'layer.0.attn.k.weight', 'layer.1.attn.q.weight', 'norm'];

test('keys that begin and end alike come first', () => {
  assert.is(nearestKeys('layer.0.attention.q.weight', keys)[0], 'layer.0.attn.q.weight');
  assert.is(nearestKeys('layer.2.attn.q.weight', keys).includes('norm'), false);
  assert.is(nearestKeys('layers.1.attn.q.weight', keys)[0], 'layer.1.attn.q.weight');
  assert.equal(nearestKeys('zzz', keys), []);
  assert.is(nearestKeys('layer', [...keys, ...keys]).length <= 3, true);
});

test('the text is empty without any, and cuts long keys', () => {
  assert.is(nearestText('zzz', keys), '');
  assert.is(nearestText('norms', keys), ' (nearest: "norm")');
  assert.ok(nearestText('a', ['a'.repeat(10_000)]).length === 0);
  assert.ok(nearestText('a'.repeat(9_999), ['a'.repeat(10_000)]).length < 200);
});

test.run();
