import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Owner } from '../../../runtime/hal/submission.js';
import { Ledger } from '../../../runtime/memory/ledger.js';

const owner = (kind: Owner['kind'], deployment = 'd'): Owner => ({ kind, deployment, id: 'x' });

test('counts bytes by kind of owner and deployment, and follows a transfer', () => {
  const ledger = new Ledger(1000);
  const lease = ledger.charge(owner('invocation'), 300);
  ledger.charge(owner('row', 'e'), 200);
  assert.is(ledger.bytes, 500);
  ledger.transfer(lease, owner('result'));
  assert.equal(ledger.totals(), [
    { kind: 'result', deployment: 'd', bytes: 300 },
    { kind: 'row', deployment: 'e', bytes: 200 },
  ]);
});

test('I7: more than the limit is a bug', () => {
  const ledger = new Ledger(100);
  ledger.charge(owner('row'), 100);
  assert.throws(() => ledger.charge(owner('row'), 1), /at most 100 bytes to be held \(I7\)/);
});

test('I1: what an accepted work uses cannot be freed, and each use retires once', () => {
  const ledger = new Ledger(100);
  const lease = ledger.charge(owner('invocation'), 10);
  ledger.use(lease);
  ledger.use(lease);
  ledger.retire(lease);
  assert.throws(() => ledger.free(lease), /no accepted work to use what is freed \(I1\), 1 do/);
  ledger.retire(lease);
  assert.throws(() => ledger.retire(lease), /a use to be retired once/);
  ledger.free(lease);
  assert.throws(() => ledger.free(lease), /a lease that is still held/);
  assert.is(ledger.bytes, 0);
});

test('I8: what is left at quiescence is named', () => {
  const ledger = new Ledger(100);
  ledger.assertZero();
  const lease = ledger.charge(owner('result'), 10);
  assert.throws(() => ledger.assertZero(), /no bytes to be held \(I8\), but result x: 10/);
  ledger.free(lease);
  ledger.assertZero();
});

test.run();
