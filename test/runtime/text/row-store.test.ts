/** What is shared, what is copied, what waits, in cases that can be read. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import { RowStore } from '../../../runtime/text/row-store.js';
import type { Row } from '../../../runtime/text/row-store.js';
import { compute, openRow, upTo } from './row-rounds.js';
import { smallGeometry } from './small-geometry.js';

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

test('no page is taken up for what is only proposed', () => {
  const store = new RowStore(smallGeometry());
  compute(store, openRow(store, upTo(6)));
  const row = openRow(store, upTo(1));
  store.proposed(row, upTo(6).slice(1));
  assert.is(store.reserve(row, 6), 6);
  assert.equal([row.done, row.drafts], [0, 5]);
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

test('pages that were reserved stay reserved while others are in flight', () => {
  const store = new RowStore(smallGeometry({ pages: 3 }));
  const other = openRow(store, [60]);
  store.reserve(other, 1);
  store.hold([other]);
  const row = openRow(store, upTo(6));
  assert.is(store.reserve(row, 6), 6);
  assert.is(store.reserve(row, 6), 6);
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
