import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpenedSource } from '../../../runtime/parameters/load-plan.js';
import { SourceTable } from '../../../runtime/parameters/source-table.js';

const sourceOf = (...descriptors: number[]): OpenedSource => ({
  files: descriptors.map((descriptor) => ({ name: `file ${descriptor}`, descriptor, bytes: 8 })),
});

function opened() {
  const closed: number[] = [];
  const table = new SourceTable(({ descriptor }) => void closed.push(descriptor));
  return { table, closed };
}

test('files are closed once, with the last use after the scope was given up', () => {
  const { table, closed } = opened();
  const lease = table.register('a@1', [sourceOf(3, 4), sourceOf(4), sourceOf(5)]);
  lease.retain();
  assert.ok(table.release('a@1'));
  assert.is(table.release('a@1'), false);
  assert.equal(closed, []);
  lease.release();
  assert.equal(closed, [3, 4, 5]);
});

test('a scope inside of another counts its sources first, and keeps them open', () => {
  const { table, closed } = opened();
  table.register('a@1', [sourceOf(3)]);
  const { sources } = table.register('a@1/choice/1', [sourceOf(4)], 'a@1');
  assert.equal(
    sources.map(({ files }) => files[0]!.descriptor),
    [3, 4],
  );
  table.release('a@1');
  assert.equal(closed, []);
  table.release('a@1/choice/1');
  assert.equal(closed, [4, 3], 'its own, then those that it kept open');
  table.register('b@1/choice/1', [sourceOf(5)], 'b@1');
  table.release('b@1/choice/1');
  assert.equal(closed, [4, 3, 5], 'a generation without sources has none to count');
});

test('scopes are apart', () => {
  const { table, closed } = opened();
  table.register('a@1', [sourceOf(3)]);
  table.register('a@2', [sourceOf(4)]);
  assert.throws(() => table.register('a@1', []), /sources of a@1 are registered already/);
  assert.throws(() => table.find('b@1'), /no sources of b@1 are open/);
  table.release('a@1');
  assert.equal(closed, [3]);
  table.releaseAll();
  assert.equal([closed, table.size], [[3, 4], 0]);
});

test.run();
