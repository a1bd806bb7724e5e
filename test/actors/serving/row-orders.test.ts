/** Rows to be read or filled, when what rows hold is given up before their turn. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { RowOrders } from '../../../actors/serving/row-orders.js';
import type { TextGeometry } from '../../../runtime/profiles/text.js';
import type { RowImage } from '../../../runtime/text/row-image.js';
import { EpochDriver, VOCABULARY } from './epoch-driver.js';

const geometry: TextGeometry = {
  ...{ rows: 8, tokens: 64, spans: 8, outputs: 8, context: 64, vocabulary: VOCABULARY },
  ...{ pageTokens: 4, pageBytes: 64, pages: 16, stateBytes: 16, states: 12 },
  ...{ metadataBytes: 0, inputBytes: 0, residualBytes: 0, feedbackBytes: 0, terminal: [] },
};

const imageOf = (count: number): RowImage => ({
  ids: Array.from({ length: count }, (_, at) => at),
  done: count,
  pages: new Uint8Array(0),
  state: new Uint8Array(0),
});

function made(policy: 'replay' | 'refuse' = 'replay') {
  const driver = new EpochDriver(geometry, policy);
  const told: [session: string, kind: string, payload: object][] = [];
  const orders = new RowOrders({
    turns: () => driver.table,
    stateBytes: geometry.stateBytes,
    tell: (session, kind, payload) => void told.push([session, kind, payload]),
  });
  return { driver, orders, told };
}

test('in order; what comes after they are shut waits until they open', () => {
  const { driver, orders } = made();
  const order = (session: string) => {
    const row = driver.store.open('text')!;
    orders.push({ row, session, image: null });
  };
  for (const session of ['a', 'b']) order(session);
  orders.shut();
  order('late');
  const taken = [orders.next(), orders.next(), orders.next()].map((one) => one?.session);
  assert.equal(taken, ['a', 'b', undefined]);
  assert.equal([orders.size, orders.isDue], [1, false]);
  orders.open();
  assert.is(orders.next()?.session, 'late');
});

test('a row that was to be filled is filled later, or reads its ids; one to be read gives them', () => {
  const { driver, orders, told } = made();
  const { store, table } = driver;
  const filled = store.open('text')!;
  assert.ok(table.rows.install(filled, imageOf(40).ids, 40));
  orders.push({ row: filled, session: 'filled', image: imageOf(40) });
  const read = store.open('text')!;
  orders.push({ row: read, session: 'read', image: null });
  // There are pages for one of the two.
  const other = store.open('text')!;
  store.append(other, imageOf(50).ids);
  orders.push({ row: other, session: 'other', image: imageOf(50) });
  table.evictRows();
  orders.evicted();
  const bytes = new Uint8Array(geometry.stateBytes);
  assert.equal(told, [
    ['read', 'row.read', { bytes }],
    ['other', 'row.written', {}],
  ]);
  assert.is(orders.size, 1);
  const { row } = orders.next()!;
  store.settle(store.hold([row]));
  assert.equal([filled.ids.length, other.ids.length, other.done], [40, 50, 0]);
});

test('what cannot be had fails, and what may not be read again, too', () => {
  const { driver, orders, told } = made('refuse');
  const { store, table } = driver;
  const row = store.open('text')!;
  driver.turn([1, 2, 3], 0, row);
  while (driver.step() !== null);
  table.rows.rest(row, 'saved');
  orders.push({ row, session: 'saved', image: null });
  table.evictRows();
  orders.evicted();
  assert.equal(
    told.map(([session, kind]) => [session, kind]),
    [['saved', 'row.failed']],
  );
  const status = { code: 'unavailable', message: 'gone' } as const;
  orders.push({ row: store.open('text')!, session: 'last', image: null });
  orders.fail(status);
  assert.equal(told.at(-1), ['last', 'row.failed', { status }]);
  assert.is(orders.size, 0);
});

test.run();
