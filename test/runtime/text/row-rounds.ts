/** Rounds of a row store in short, for cases that can be read. */
import * as assert from 'uvu/assert';
import type { Hold, Row, RowStore } from '../../../runtime/text/row-store.js';
import { smallGeometry } from './small-geometry.js';

export const stateful = smallGeometry({ rows: 3, stateBytes: 100, states: 5 });

export const upTo = (count: number, first = 0): number[] =>
  Array.from({ length: count }, (_, index) => first + index);

export function openRow(store: RowStore, ids: readonly number[] = [], kind?: string): Row {
  const row = store.open(kind);
  assert.ok(row !== null);
  store.append(row, ids);
  return row;
}

/** Computes all that the row shall hold, in as many submissions as it takes; their lengths. */
export function compute(store: RowStore, row: Row): number[] {
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
export const pass = (store: RowStore): Hold => {
  const hold = store.hold();
  store.settle(hold);
  return hold;
};
