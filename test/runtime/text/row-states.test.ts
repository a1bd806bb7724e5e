/** States of rows: what is copied, where they are kept, and what failure takes away. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RowStore } from '../../../runtime/text/row-store.js';
import { compute, openRow, pass, stateful, upTo } from './row-rounds.js';
import { smallGeometry } from './small-geometry.js';

test('a fork copies one partial page and the state, and computes only what is new', () => {
  const store = new RowStore(stateful);
  const row = openRow(store, upTo(8));
  compute(store, row);
  pass(store);
  const before = store.describe();
  const fork = store.fork(row)!;
  assert.equal([fork.done, fork.ids], [8, row.ids]);
  store.append(fork, [50]);
  store.append(row, [51]);
  assert.is(store.reserve(fork, 1), 1);
  assert.is(store.reserve(row, 1), 1);
  const hold = store.hold([fork, row]);
  assert.equal(
    hold.moves.map(({ kind }) => kind),
    ['state', 'page'],
    'who writes first copies, and the other has the page for itself then',
  );
  assert.equal(fork.pages.slice(0, 2), row.pages.slice(0, 2));
  assert.is.not(fork.pages[2], row.pages[2]);
  for (const each of [fork, row]) store.commit(each, 1, null);
  store.settle(hold);
  const copied = hold.moves.map((move) => (move.kind === 'clear' ? 0 : move.bytes));
  assert.equal(copied, [100, 1000]);
  const after = store.describe();
  assert.is(after.computedTokens - before.computedTokens, 2);
});

test('with states a prefix is good from where a state was kept, once its copy is made', () => {
  const store = new RowStore(stateful);
  const row = openRow(store, upTo(8));
  assert.equal(compute(store, row), [6, 2], 'a span ends where the state is worth keeping');
  const early = openRow(store, upTo(8));
  assert.is(early.done, 6, 'its copy went with the second submission');
  store.close(early);
  const other = openRow(store, upTo(9, 30));
  store.reserve(other, 9);
  const computing = store.hold([other]);
  store.commit(other, 9, null);
  store.settle(computing);
  const carrying = store.hold();
  const waiting = openRow(store, upTo(10, 30));
  assert.is(waiting.done, 0, 'the copy is on its way');
  store.settle(carrying);
  assert.is(store.reserve(waiting, 10), 1);
  assert.is(waiting.done, 9);
});

test('where a text leaves what others hold, its state is kept for the next', () => {
  const store = new RowStore(stateful);
  const row = openRow(store, upTo(12));
  compute(store, row);
  const branch = openRow(store, [...upTo(6), 40, 41, 42, 43, 44]);
  assert.is(branch.done, 0, 'there is no state behind its sixth token');
  assert.equal(compute(store, branch), [6, 3, 2]);
  pass(store);
  store.close(row);
  assert.is(openRow(store, [...upTo(6), 50]).done, 6);
});

test('kept states leave least recently used first; those of checkpoints stay', () => {
  const store = new RowStore(smallGeometry({ rows: 1, stateBytes: 100, states: 3 }));
  const through = (ids: readonly number[]): number => {
    const row = openRow(store, ids);
    const found = row.done;
    compute(store, row);
    pass(store);
    store.close(row);
    return found;
  };
  through(upTo(3));
  through(upTo(3, 10));
  assert.is(through(upTo(4)), 3);
  through(upTo(3, 20));
  assert.is(through(upTo(4)), 3, 'used since');
  assert.is(through(upTo(4, 10)), 0, 'gone for another');
  const row = openRow(store, upTo(4));
  compute(store, row);
  const checkpoints = [store.checkpoint(row), store.checkpoint(row)];
  pass(store);
  assert.is(store.describe().snapshots, 2);
  store.append(row, upTo(5, 50));
  compute(store, row);
  store.restore(row, checkpoints[0]!);
  assert.equal([row.done, row.ids], [4, upTo(4)]);
});

test('a state in use as a source waits before it is taken for another', () => {
  const store = new RowStore(smallGeometry({ rows: 2, stateBytes: 100, states: 3 }));
  const row = openRow(store, upTo(3));
  compute(store, row);
  pass(store);
  openRow(store, upTo(4));
  const reading = store.hold();
  assert.equal(reading.moves, [{ kind: 'state', from: 2, to: 1, bytes: 100 }]);
  store.append(row, [9]);
  store.reserve(row, 1);
  const copied = store.describe().copiedBytes;
  store.checkpoint(row);
  assert.is(store.describe().copiedBytes, copied, 'no place for its state yet');
  store.settle(reading);
  store.checkpoint(row);
  assert.is(store.describe().copiedBytes, copied + 100);
});

test('a state being written waits before its place is taken for another', () => {
  const store = new RowStore(smallGeometry({ rows: 1, stateBytes: 100, states: 2 }));
  const row = openRow(store, upTo(2));
  compute(store, row);
  const checkpoint = store.checkpoint(row);
  const writing = store.hold();
  store.dropCheckpoint(checkpoint);
  const { copiedBytes } = store.describe();
  store.checkpoint(row);
  assert.is(store.describe().copiedBytes, copiedBytes);
  store.settle(writing);
  store.checkpoint(row);
  assert.is(store.describe().copiedBytes, copiedBytes + 100);
});

test('a row whose submission settled without a commit starts again where states are kept', () => {
  for (const geometry of [stateful, smallGeometry()]) {
    const store = new RowStore(geometry);
    const row = openRow(store, upTo(4));
    store.reserve(row, 2);
    const first = store.hold([row]);
    store.commit(row, 2, null);
    store.settle(first);
    store.reserve(row, 1);
    store.settle(store.hold([row]));
    assert.equal([row.isInFlight, row.done], [false, geometry === stateful ? 0 : 2]);
  }
});

test('a failed submission spoils a checkpoint of a page that it was to copy', () => {
  const store = new RowStore(smallGeometry());
  const row = openRow(store, upTo(6));
  compute(store, row);
  store.rewind(row, 4);
  store.append(row, [50]);
  store.reserve(row, 1);
  const checkpoint = store.checkpoint(row);
  store.fail(store.hold([]));
  assert.equal([row.done, checkpoint.done], [0, 0]);
  assert.equal(checkpoint.ids, [...upTo(4), 50]);
});

test('a failed submission takes back what it was to copy, also for rows that are not in it', () => {
  const store = new RowStore(stateful);
  const row = openRow(store, upTo(4));
  compute(store, row);
  pass(store);
  const fork = store.fork(row)!;
  store.append(row, [9]);
  store.reserve(row, 1);
  const hold = store.hold([row]);
  assert.equal(store.fail(hold), [row, fork]);
  assert.equal([row.done, fork.done, fork.ids], [0, 0, upTo(4)]);
  assert.not(store.commit(row, 1, 5), 'nothing of it counts');
  assert.equal(row.ids, [...upTo(4), 9]);
});

test.run();
