import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Owner } from '../../../runtime/hal/submission.js';
import { Budget, type Reservation } from '../../../runtime/memory/budget.js';
import { Ledger, type Lease } from '../../../runtime/memory/ledger.js';

const owner: Owner = { kind: 'invocation', deployment: 'd', id: 'x' };
const keep = (): boolean => true;

test('what can never fit is refused with limit, ask and knob', () => {
  const budget = new Budget(new Ledger(100));
  assert.throws(
    () => budget.ask({ bytes: 101, label: 'it', admit: keep }),
    /it needs 101 bytes of device memory; the limit is 100 \(--memory\)/,
  );
  assert.is(budget.waiting, 0);
});

test('admits in order of arrival: a small ask never overtakes a large one', () => {
  const budget = new Budget(new Ledger(100));
  const order: string[] = [];
  const held: Reservation[] = [];
  const ask = (label: string, bytes: number): void =>
    budget.ask({
      label,
      bytes,
      admit: (reservation) => {
        order.push(label);
        held.push(reservation);
        return true;
      },
    });
  ask('a', 60);
  ask('b', 60);
  ask('c', 10);
  assert.equal(order, ['a']);
  held[0]!.release();
  assert.equal(order, ['a', 'b', 'c']);
  assert.is(budget.reservedBytes, 70);
});

test('an ask that cannot be placed stays at the head until something is freed', () => {
  const budget = new Budget(new Ledger(100));
  let room = false;
  const order: string[] = [];
  const admit = (label: string) => (reservation: Reservation) => {
    if (!room) return false;
    order.push(label);
    reservation.release();
    return true;
  };
  for (const label of ['a', 'b']) budget.ask({ bytes: 10, label, admit: admit(label) });
  assert.is(budget.waiting, 2);
  assert.is(budget.reservedBytes, 0);
  room = true;
  budget.settle();
  assert.equal(order, ['a', 'b']);
});

test('withdrawing the head lets the next one in', () => {
  const budget = new Budget(new Ledger(100));
  let taken: Reservation | null = null;
  budget.ask({ bytes: 80, label: 'a', admit: (reservation) => ((taken = reservation), true) });
  const large = { bytes: 90, label: 'b', admit: keep };
  let third = false;
  budget.ask(large);
  budget.ask({ bytes: 10, label: 'c', admit: () => (third = true) });
  assert.is(third, false);
  assert.is(budget.withdraw(large), true);
  assert.is(third, true);
  assert.is(budget.withdraw(large), false);
  assert.ok(taken);
});

test('says how much the head lacks, and admits it when that many bytes left', () => {
  const ledger = new Ledger(100);
  const idle = ledger.charge({ ...owner, kind: 'bank' }, 90);
  const short: number[] = [];
  const budget = new Budget(ledger);
  const makeRoom = (bytes: number) => {
    short.push(bytes);
    ledger.free(idle);
    return 'soon' as const;
  };
  let admitted = false;
  budget.ask({ bytes: 50, label: 'a', makeRoom, admit: () => (admitted = true) });
  assert.equal(short, [40]);
  assert.is(admitted, true);
});

test('I7 and order hold under any sequence of asks and releases', () => {
  const step = fc.oneof(
    fc.record({ ask: fc.integer({ min: 1, max: 120 }) }),
    fc.record({ free: fc.nat(100) }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const ledger = new Ledger(100);
      const budget = new Budget(ledger);
      const admitted: number[] = [];
      const asked: number[] = [];
      const leases: Lease[] = [];
      steps.forEach((step, id) => {
        if ('free' in step) {
          const [lease] = leases.splice(step.free % Math.max(1, leases.length), 1);
          if (!lease) return;
          ledger.free(lease);
          budget.settle();
        } else if (step.ask <= 100) {
          asked.push(id);
          const admit = (reservation: Reservation): boolean => {
            admitted.push(id);
            // A part is charged, the rest given back.
            leases.push(reservation.charge(owner, Math.ceil(step.ask / 2)));
            reservation.release();
            return true;
          };
          budget.ask({ bytes: step.ask, label: 'x', admit });
        }
        assert.ok(ledger.bytes + budget.reservedBytes <= 100);
        assert.ok(budget.reservedBytes >= 0);
      });
      while (leases.length > 0) {
        ledger.free(leases.pop()!);
        budget.settle();
      }
      assert.equal(admitted, asked, 'everybody that fits is admitted, in order');
      assert.is(ledger.bytes, 0);
    }),
  );
});

test('what is left of a reservation is given up once', () => {
  const budget = new Budget(new Ledger(100));
  const held: Reservation[] = [];
  const admit = (reservation: Reservation): boolean => held.push(reservation) > 0;
  budget.ask({ bytes: 60, label: 'one', admit });
  budget.ask({ bytes: 40, label: 'two', admit });
  for (let times = 0; times < 2; times++) held[0]!.release();
  assert.is(budget.reservedBytes, 40);
});

test('the turn of whoever is admitted ends before the next is admitted', () => {
  const budget = new Budget(new Ledger(100));
  const steps: string[] = [];
  const held: Reservation[] = [];
  budget.ask({ bytes: 100, label: 'all', admit: (all) => held.push(all) > 0 });
  for (const label of ['one', 'two']) {
    const admit = (): boolean => {
      steps.push(`${label} begins`);
      budget.settle();
      return steps.push(`${label} ends`) > 0;
    };
    budget.ask({ bytes: 10, label, admit });
  }
  held[0]!.release();
  assert.equal(steps, ['one begins', 'one ends', 'two begins', 'two ends']);
});

test.run();
