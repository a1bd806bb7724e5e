/** What laws ask of losses: what is lost by now, and whether time stood still meanwhile. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Losses } from './losses.js';

test('only a pause that began between two moments made time stand still', () => {
  const losses = new Losses();
  losses.add('thread', 5);
  losses.add('clock', 10);
  assert.ok(losses.any('clock'));
  assert.not(losses.any('driver', 'memory'));
  assert.ok(losses.stoodStill(8, 12));
  assert.ok(losses.stoodStill(10, 10));
  assert.not(losses.stoodStill(4, 9), 'a thread that died before is no pause');
  assert.not(losses.stoodStill(11, 20));
});

test.run();
