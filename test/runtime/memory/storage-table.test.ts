/** Placed storage: whose it is, under which key, and when its bytes go back. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Owner } from '../../../runtime/hal/submission.js';
import type { Pool } from '../../../runtime/hal/pool.js';
import { Budget, type Reservation } from '../../../runtime/memory/budget.js';
import { Ledger } from '../../../runtime/memory/ledger.js';
import { StorageTable, type StorageRequest } from '../../../runtime/memory/storage-table.js';

const row: Owner = { kind: 'row', deployment: 'd', id: 'x' };
const request = (key: string | null): StorageRequest => ({ key, owner: row, bytes: 256 });

/** Three ranges, handed out in turn. */
function newTable() {
  const out = new Set<number>();
  const pool: Pool = {
    allocate(bytes) {
      const at = [0, 1, 2].find((one) => !out.has(one));
      if (at === undefined) return null;
      out.add(at);
      return { slab: 0, offset: at * 256, length: bytes };
    },
    release: ({ offset }) => void out.delete(offset / 256),
    usedBytes: 0,
    slabBytes: 0,
  };
  const ledger = new Ledger(10_000);
  const budget = new Budget(ledger);
  const refusals: string[] = [];
  const table = new StorageTable(pool, ledger, { refused: () => void refusals.push('refused') });
  const place = (requests: readonly StorageRequest[]) => {
    let held: Reservation | null = null;
    const admit = (reservation: Reservation): boolean => (held = reservation) !== null;
    budget.ask({ bytes: requests.length * 256, label: 'it', admit });
    return table.place(held!, requests);
  };
  return { table, ledger, out, refusals, place };
}

test('all are placed or none, and whoever found no room is told again', () => {
  const { out, refusals, place, table, ledger } = newTable();
  assert.is(place([request('a'), request('b')])?.length, 2);
  assert.equal(refusals, []);
  assert.is(place([request('c'), request('d')]), null);
  assert.equal(refusals, ['refused']);
  assert.is(out.size, 2);
  assert.is(ledger.bytes, 512);
  assert.ok(table.has('a') && !table.has('c'));
  assert.is(table.find('a').key, 'a');
  assert.throws(() => table.find('c'), /no storage 'c' is on the device/);
  assert.throws(() => place([request('a')]), /a key to name one storage/);
});

test('bytes go back once: when they were given up and nobody uses them', () => {
  const { table, ledger, out, place } = newTable();
  const [storage] = place([request('a')])!;
  for (let times = 0; times < 2; times++) table.use(storage!);
  table.retire(storage!);
  table.giveUp(storage!);
  table.giveUp(storage!);
  assert.not(table.has('a'));
  assert.is(ledger.bytes, 256);
  table.retire(storage!);
  assert.is(ledger.bytes, 0);
  assert.is(out.size, 0);
  const [nameless] = place([request(null)])!;
  table.use(nameless!);
  table.retire(nameless!);
  assert.is(ledger.bytes, 256, 'its owner still needs it');
  table.giveUp(nameless!);
  assert.is(ledger.bytes, 0);
});

test('what is handed over is counted for who has it now', () => {
  const { table, ledger, place } = newTable();
  const [storage] = place([request('a')])!;
  table.transfer(storage!, { kind: 'result', deployment: 'e', id: 'y' });
  assert.equal(
    ledger.totals().map(({ kind, deployment, bytes }) => ({ kind, deployment, bytes })),
    [{ kind: 'result', deployment: 'e', bytes: 256 }],
  );
});

test.run();
