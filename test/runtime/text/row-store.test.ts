/** What is shared, what is copied, what waits, in cases that can be read. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import { RowStore } from '../../../runtime/text/row-store.js';
import type { Hold, Row } from '../../../runtime/text/row-store.js';
import { smallGeometry } from './small-geometry.js';

const stateful = smallGeometry({ rows: 3, stateBytes: 100, states: 5 });

const upTo = (count: number, first = 0): number[] =>
  Array.from({ length: count }, (_, index) => first + index);

function openRow(store: RowStore, ids: readonly number[] = [], kind?: string): Row {
  const row = store.open(kind);
  assert.ok(row !== null);
  store.append(row, ids);
  return row;
}

/** Computes all that the row shall hold, in as many submissions as it takes; gives their lengths. */
function compute(store: RowStore, row: Row): number[] {
  const lengths: number[] = [];
  while (row.done < row.ids.length) {
    const count = store.reserve(row, row.ids.length);
    assert.ok(count > 0, 'pages for the row');
    lengths.push(count);
    const hold = store.hold([row]);
    store.commit(row, count, null);
    store.settle(hold);
  }
  return lengths;
}

/** A submission without a row, whose moves are all there is. */
const pass = (store: RowStore): Hold => {
  const hold = store.hold();
  store.settle(hold);
  return hold;
};

const raises = (code: string, message: RegExp) => (error: Error) =>
  error instanceof StatusError && error.code === code && message.test(error.message);

test('a second row takes the full pages of a first that has retired, but for its last token', () => {
  const store = new RowStore(smallGeometry());
  const first = openRow(store, upTo(9));
  compute(store, first);
  const same = openRow(store, upTo(9));
  assert.is(same.done, 6, 'the third page holds its last token');
  assert.equal(same.pages, first.pages.slice(0, 2));
  const longer = openRow(store, upTo(12));
  assert.is(longer.done, 9);
  const { sharedPages, hits, misses, sharedTokens } = store.describe();
  assert.equal(
    { sharedPages, hits, misses, sharedTokens },
    { sharedPages: 3, hits: 2, misses: 1, sharedTokens: 15 },
  );
  compute(store, longer);
  assert.is(store.describe().computedTokens, 9 + 3, 'only what is new');
});

test('a prefix is visible only when its producer has retired', () => {
  const store = new RowStore(smallGeometry());
  const producer = openRow(store, upTo(7));
  const count = store.reserve(producer, 7);
  const hold = store.hold([producer]);
  const early = openRow(store, upTo(7));
  assert.is(early.done, 0);
  store.commit(producer, count, null);
  store.settle(hold);
  assert.is(early.done, 0);
  assert.is(store.reserve(early, 7), 1, 'it looks once more before it begins');
  assert.equal([early.done, early.cached], [6, 6]);
});

test('prefixes are equal by ids and kind, and nothing else', () => {
  const store = new RowStore(smallGeometry());
  compute(store, openRow(store, [1, 12, 3, 4, 5, 6]));
  assert.is(openRow(store, [11, 2, 3, 4, 5, 6]).done, 0);
  assert.is(openRow(store, [1, 12, 3, 4], 'other').done, 0);
  assert.is(openRow(store, [1, 12, 3, 4, 6, 5, 7]).done, 3);
});

test('what two rows computed at the same time is kept once', () => {
  const store = new RowStore(smallGeometry());
  const [left, right] = [openRow(store, upTo(8)), openRow(store, upTo(8))];
  for (const row of [left, right]) store.reserve(row, 8);
  const hold = store.hold([left, right]);
  for (const row of [left, right]) store.commit(row, 8, null);
  store.settle(hold);
  assert.equal(left.pages.slice(0, 2), right.pages.slice(0, 2));
  assert.is.not(left.pages[2], right.pages[2]);
  assert.is(store.describe().pagesUsed, 4);
});

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
  const after = store.describe();
  const copied = after.copiedBytes - before.copiedBytes;
  // Each row has reached a page's end since, and keeps the state there where there is a place.
  assert.is(copied % 1000, hold.moves.length === 2 ? copied - 1000 : 0);
  assert.ok(copied >= 1100 && copied <= 1300);
  assert.is(after.computedTokens - before.computedTokens, 2);
});

test('proposals that were not taken leave again, and the selected token follows', () => {
  const store = new RowStore(smallGeometry());
  const row = openRow(store, upTo(5));
  store.proposed(row, [20, 21, 22]);
  assert.is(store.reserve(row, 8), 8);
  const hold = store.hold([row]);
  store.commit(row, 6, 30);
  store.settle(hold);
  assert.equal(row.ids, [...upTo(5), 20, 30]);
  assert.equal([row.done, row.drafts], [6, 0]);
  store.proposed(row, [1, 2]);
  store.proposed(row, [3]);
  assert.equal(row.ids.slice(-2), [30, 3]);
  store.rewind(row, 6);
  assert.equal(row.ids, [...upTo(5), 20]);
});

test('more than the context is refused and changes nothing; a full row keeps no selected token', () => {
  const store = new RowStore(smallGeometry({ context: 6 }));
  const row = openRow(store, upTo(4));
  assert.throws(
    () => store.append(row, upTo(3)),
    raises('outOfRange', /would have 7 tokens, 4 of them .* at most 6 .*'prepare'/),
  );
  assert.equal(row.ids, upTo(4));
  store.append(row, [4, 5]);
  store.proposed(row, [6, 7]);
  assert.is(row.drafts, 0);
  store.reserve(row, 6);
  const hold = store.hold([row]);
  store.commit(row, 6, 9);
  store.settle(hold);
  assert.equal(row.ids, upTo(6));
});

test('rewinding beyond what is retained says what is; the page in the middle is copied', () => {
  const store = new RowStore(smallGeometry());
  const row = openRow(store, upTo(9));
  compute(store, row);
  assert.throws(
    () => store.rewind(row, 10),
    raises('failedPrecondition', /rewinding to 10 tokens; 0 to 9 are retained/),
  );
  store.rewind(row, 5);
  assert.equal([row.done, row.ids.length, row.pages.length], [5, 5, 2]);
  store.append(row, [40]);
  store.reserve(row, 1);
  assert.is(store.hold([row]).moves.length, 1, 'its page is published');
});

test('a turn that appends nothing computes the last token again', () => {
  const store = new RowStore(smallGeometry());
  const row = openRow(store, upTo(7));
  compute(store, row);
  store.stepBack(row);
  assert.equal([row.done, row.ids.length], [6, 7]);
});

test('what is given up while submissions are in flight waits for all of them', () => {
  const store = new RowStore(smallGeometry({ pages: 4, rows: 2 }));
  const row = openRow(store, upTo(9));
  const other = openRow(store, [60]);
  store.reserve(row, 9);
  const first = store.hold([row]);
  store.reserve(other, 1);
  const second = store.hold([other]);
  store.close(row);
  assert.is(store.open(), null, 'its ordinal waits too');
  assert.equal(pagesOf(store), { pagesFree: 0, pagesWaiting: 3 });
  store.settle(first);
  assert.equal(pagesOf(store), { pagesFree: 0, pagesWaiting: 3 });
  assert.is(store.open(), null);
  store.commit(other, 1, null);
  store.settle(second);
  assert.equal(pagesOf(store), { pagesFree: 3, pagesWaiting: 0 });
  assert.ok(store.open() !== null);
});

test('source and target of a page on its way wait for the submission that moves it', () => {
  const store = new RowStore(smallGeometry({ pages: 4, rows: 3 }));
  const row = openRow(store, upTo(6));
  compute(store, row);
  const target = moveAway(store, row);
  const moved = store.hold([]);
  assert.is(moved.moves.length, 1);
  const next = openRow(store, upTo(12, 20));
  assert.is(store.reserve(next, 12), 3, 'one of four: the source stays, and what is above it');
  assert.not(next.pages.includes(target));
  store.settle(moved);
  assert.is(store.reserve(next, 12), 12);
});

/** The row rewinds into a published page, copies it and closes; gives the copy's page. */
function moveAway(store: RowStore, row: Row): number {
  store.rewind(row, 4);
  store.append(row, [33]);
  store.reserve(row, 1);
  const target = row.pages[1]!;
  store.close(row);
  return target;
}

test('cached pages leave least recently used first, from the end of a text', () => {
  const store = new RowStore(smallGeometry({ pages: 6 }));
  for (const first of [0, 10, 20]) {
    const row = openRow(store, upTo(6, first));
    compute(store, row);
    store.close(row);
  }
  assert.is(store.describe().pagesCached, 6);
  store.close(openRow(store, upTo(7)));
  compute(store, openRow(store, upTo(9, 40)));
  assert.is(store.describe().evictions, 3);
  assert.is(openRow(store, upTo(7)).done, 6, 'used last');
  assert.is(openRow(store, upTo(7, 20)).done, 3, 'used before: its end has left');
  const rest = store.open();
  store.append(rest!, upTo(7, 10));
  assert.is(rest!.done, 0, 'used longest ago');
});

test('without pages a row reserves nothing, and goes on when another gives its own up', () => {
  const store = new RowStore(smallGeometry({ pages: 3 }));
  const holder = openRow(store, upTo(9));
  compute(store, holder);
  const row = openRow(store, upTo(4, 20));
  assert.is(store.reserve(row, 4), 0);
  store.spill(holder);
  assert.equal([holder.done, holder.ids.length], [0, 9]);
  assert.is(store.reserve(row, 4), 4);
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

test('pages that were reserved stay reserved while others are in flight', () => {
  const store = new RowStore(smallGeometry({ pages: 3 }));
  const other = openRow(store, [60]);
  store.reserve(other, 1);
  store.hold([other]);
  const row = openRow(store, upTo(6));
  assert.is(store.reserve(row, 6), 6);
  assert.is(store.reserve(row, 6), 6);
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

test('what comes from outside is shared with nobody, until it is computed here', () => {
  const store = new RowStore(smallGeometry());
  const row = openRow(store);
  assert.ok(store.install(row, upTo(8), 7));
  const hold = store.hold([row]);
  store.commit(row, 7, null);
  store.settle(hold);
  compute(store, row);
  assert.equal([row.done, row.pages.length], [8, 3]);
  assert.is(openRow(store, upTo(8)).done, 0);
  store.spill(row);
  compute(store, row);
  assert.is(openRow(store, upTo(8)).done, 6);
});

test('an image without enough pages leaves its row empty', () => {
  const store = new RowStore(smallGeometry({ pages: 2 }));
  const row = openRow(store);
  assert.not(store.install(row, upTo(9), 8));
  assert.equal([row.ids, row.pages], [[], []]);
  assert.is(store.describe().pagesFree, 2);
});

test('a row in flight is not forked, rewound or kept; a closed one is nobody', () => {
  const store = new RowStore(smallGeometry());
  const row = openRow(store, upTo(4));
  store.reserve(row, 2);
  const hold = store.hold([row]);
  assert.ok(row.isInFlight);
  for (const act of [
    () => store.fork(row),
    () => store.rewind(row, 1),
    () => store.checkpoint(row),
    () => store.append(row, [1]),
  ]) {
    assert.throws(act, /not to be in flight/);
  }
  store.close(row);
  assert.not(row.isOpen);
  assert.throws(() => store.commit(row, 1, null), /to be open/);
  store.settle(hold);
});

function pagesOf(store: RowStore): { pagesFree: number; pagesWaiting: number } {
  const { pagesFree, pagesWaiting } = store.describe();
  return { pagesFree, pagesWaiting };
}

test.run();
