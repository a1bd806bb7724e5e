/** Who waits in the line is told exactly once, and nobody holds up who has left it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError, type StatusRecord } from '../../../runtime/base/errors.js';
import { AdmissionLine, NO_BANKS } from '../../../runtime/memory/admission-line.js';
import { BankTable } from '../../../runtime/memory/bank-table.js';
import { Budget, type Reservation } from '../../../runtime/memory/budget.js';
import { Ledger } from '../../../runtime/memory/ledger.js';
import { RoomMaker } from '../../../runtime/memory/room-maker.js';
import { RowTable } from '../../../runtime/memory/row-table.js';

function newLine(refusal: StatusRecord | null = null) {
  const budget = new Budget(new Ledger(1_000));
  const books = {
    storage: null as never,
    now: () => 0,
    settle: () => undefined,
    forecast: () => undefined,
  };
  const banks = new BankTable(books);
  const rows = new RowTable({ ...books, banks });
  const room = new RoomMaker({ banks, rows, runningBytes: () => 0 });
  const line = new AdmissionLine(budget, { banks, rows, room }, () => refusal);
  const told: string[] = [];
  const onFailed = (id: string) => (status: StatusRecord) => void told.push(`${id} ${status.code}`);
  const ask = (id: string, bytes: number): { reservation: Reservation | null } => {
    const held: { reservation: Reservation | null } = { reservation: null };
    const admit = (reservation: Reservation): boolean => {
      held.reservation = reservation;
      line.leave(id);
      told.push(`${id} admitted`);
      return true;
    };
    line.ask(id, { bytes, banks: NO_BANKS, rows: null, label: id, admit }, onFailed(id));
    return held;
  };
  const shares = [{ stage: 'm/s', bytes: 60, limitBytes: 100 }];
  const park = (id: string): void => {
    const start = (): void => void told.push(`${id} starts`);
    line.park({ id, shares, start, onFailed: onFailed(id) });
  };
  return { line, told, ask, park, shares };
}

test('who leaves the line is told so once, and those behind go on', () => {
  const { line, told, ask } = newLine();
  const { reservation } = ask('first', 800);
  ask('second', 900);
  ask('third', 100);
  assert.equal(told, ['first admitted']);
  assert.ok(line.cancel('second'));
  assert.equal([...told].sort(), ['first admitted', 'second cancelled', 'third admitted']);
  assert.not(line.cancel('second'));
  reservation!.release();
  assert.is(told.length, 3, 'nobody is told again');
  assert.is(line.waiting, 0);
});

test('one at a time has the workspace of a stage; who left before is not started', () => {
  const { line, told, park, shares } = newLine();
  for (const id of ['one', 'two', 'three']) park(id);
  assert.equal(told, ['one starts']);
  assert.ok(line.cancel('two'));
  assert.equal(told.slice(1), ['two cancelled']);
  line.giveBack(shares);
  assert.equal(told.slice(2), ['three starts']);
  assert.is(line.waiting, 0);
});

test('a device that takes nothing refuses all who wait', () => {
  const { line, told, ask, park } = newLine();
  ask('first', 800);
  ask('second', 900);
  park('one');
  park('two');
  told.length = 0;
  line.refuseAll({ code: 'unavailable', message: 'the device is lost' });
  assert.equal(told.sort(), ['second unavailable', 'two unavailable']);
  assert.is(line.waiting, 0);
});

test('one waits once under its name, and one that ended may come again', () => {
  const { line, told, ask, park } = newLine();
  const { reservation } = ask('first', 800);
  ask('second', 900);
  assert.throws(() => ask('second', 10), /'second' is waiting already/);
  assert.throws(() => park('second'), /'second' is waiting already/);
  assert.throws(() => ask('huge', 1_001), /the limit is 1000/);
  assert.is(line.waiting, 1, 'what can never fit does not wait');
  line.cancel('second');
  reservation!.release();
  const raised = (): boolean => {
    throw new StatusError('notFound', 'gone meanwhile');
  };
  const need = { bytes: 10, banks: NO_BANKS, rows: null, label: 'third' };
  const fail = ({ code }: StatusRecord): void => void told.push(`third ${code}`);
  line.ask('third', { ...need, admit: raised }, fail);
  assert.is(told.at(-1), 'third notFound');
  assert.is(line.waiting, 0);
  ask('third', 1_000);
  assert.is(told.at(-1), 'third admitted');
});

test('what is no refusal but a bug is the answer of nobody', () => {
  const { line } = newLine();
  const answers: StatusRecord[] = [];
  const bug = (): void => {
    throw new TypeError('a bug');
  };
  assert.throws(() => line.guard((status) => void answers.push(status), bug), /a bug/);
  assert.equal(answers, []);
});

test('whoever comes to a device that takes nothing is told why', () => {
  const { line } = newLine({ code: 'unavailable', message: 'the device is lost' });
  const answers: StatusRecord[] = [];
  line.guard(
    (status) => void answers.push(status),
    () => assert.unreachable('the device takes nothing'),
  );
  assert.equal(
    answers.map(({ code }) => code),
    ['unavailable'],
  );
});

test.run();
