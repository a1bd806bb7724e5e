/** Places of equal size: each is handed out once, and how many there are costs nothing. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Holds } from '../../../runtime/text/holds.js';
import { RowStore } from '../../../runtime/text/row-store.js';
import { SlotPool } from '../../../runtime/text/slot-pool.js';
import { smallGeometry } from './small-geometry.js';

test('every place once, in order, then those that were given back', () => {
  const pool = new SlotPool(3, new Holds());
  assert.is(pool.free, 3);
  assert.equal([pool.take(), pool.take()], [0, 1]);
  assert.is(pool.free, 1);
  pool.give(0);
  assert.is(pool.free, 2);
  assert.equal([pool.take(), pool.take(), pool.take()], [0, 2, null]);
  assert.is(pool.free, 0);
  assert.throws(() => new SlotPool(3, new Holds()).give(2), /place 2 to be taken/);
});

test('a place that is given back while a submission may touch it waits; others do not', () => {
  const holds = new Holds();
  const pool = new SlotPool(2, holds);
  const hold = holds.open();
  pool.touch(pool.take()!, hold);
  pool.give(0);
  assert.equal([pool.waiting, pool.free], [1, 1]);
  assert.equal([pool.take(), pool.take()], [1, null]);
  holds.settle(hold);
  assert.equal([pool.waiting, pool.free, pool.take()], [0, 1, 0]);
});

test('the largest store takes no list of its places', () => {
  const many = { rows: 2 ** 16, pages: 2 ** 20, states: 2 ** 20, stateBytes: 4, pageBytes: 16 };
  const before = process.memoryUsage().heapUsed;
  const stores = Array.from({ length: 8 }, () => new RowStore(smallGeometry(many)));
  const grownMiB = (process.memoryUsage().heapUsed - before) / 2 ** 20;
  assert.ok(grownMiB < 8, `the heap grew by ${grownMiB} MiB`);
  assert.is(stores[0]!.describe().pagesFree, 2 ** 20);
});

test('whoever looks after the submission has settled finds the place free', () => {
  const looks: readonly ((pool: SlotPool) => unknown)[] = [
    (pool) => pool.free,
    (pool) => pool.take(),
    (pool) => 1 - pool.waiting,
  ];
  const seen = looks.map((look) => {
    const holds = new Holds();
    const pool = new SlotPool(1, holds);
    const hold = holds.open();
    pool.touch(pool.take()!, hold);
    pool.give(0);
    holds.settle(hold);
    return look(pool);
  });
  assert.equal(seen, [1, 0, 1]);
});

test('only places whose submissions have settled become free', () => {
  const holds = new Holds();
  const pool = new SlotPool(2, holds);
  const opened = [holds.open(), holds.open()];
  for (const hold of opened) pool.touch(pool.take()!, hold);
  for (const index of [0, 1]) pool.give(index);
  holds.settle(opened[0]!);
  assert.equal([pool.waiting, pool.free], [1, 1]);
});

test.run();
