/**
 * The table of turns with real rows and no device: readers that do not read, long prompts among
 * those who speak, pages that are not enough, one that must go alone.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DELTAS_MAX, type Turn } from '../../../actors/serving/turn.js';
import type { TextGeometry } from '../../../runtime/profiles/text.js';
import { EpochDriver, VOCABULARY } from './epoch-driver.js';

const geometry: TextGeometry = {
  ...{ rows: 8, tokens: 64, spans: 8, outputs: 8, context: 256, vocabulary: VOCABULARY },
  ...{ pageTokens: 4, pageBytes: 64, pages: 128, stateBytes: 16, states: 12 },
  ...{ metadataBytes: 0, inputBytes: 0, residualBytes: 0, feedbackBytes: 0, terminal: [] },
};

/** What the model says after a prompt. */
const saidAfter = (prompt: readonly number[], count: number): number[] =>
  Array.from({ length: count }, (_, at) => (prompt.at(-1)! + 1 + at) % VOCABULARY);

function runOut(driver: EpochDriver): void {
  for (let steps = 0; driver.step() !== null; steps += 1) assert.ok(steps < 50_000, 'it ends');
}

function checkSaid(turns: readonly Turn[], count: number): void {
  for (const { outputs, input } of turns) assert.equal(outputs, saidAfter(input.prompt, count));
}

test('a thousand readers that do not read hold a bound each, and nobody else up', () => {
  const driver = new EpochDriver(geometry);
  const paused = Array.from({ length: 1_000 }, (_, at) => driver.turn([at % 7, at % 5], 40));
  runOut(driver);
  for (const turn of paused) assert.is(turn.sent, DELTAS_MAX);
  console.log(`1000 readers paused: ${DELTAS_MAX} deltas each on the way, ${driver.epochs} epochs`);
  const before = driver.epochs;
  const prompt = Array.from({ length: 60 }, (_, at) => at);
  const reading = Array.from({ length: 8 }, () => driver.turn(prompt, 20));
  runOut(driver);
  checkSaid(reading, 20);
  // Alone: the prompts in a few epochs, then a token each in every one.
  assert.ok(driver.epochs - before < 60, `${driver.epochs - before} epochs for those who read`);
  for (const turn of paused) driver.read(turn);
  for (let round = 0; round < 8 && driver.table.all.length > 0; round += 1) {
    runOut(driver);
    for (const turn of paused) driver.read(turn);
  }
  checkSaid(paused, 40);
  assert.is(driver.table.all.length, 0);
  assert.is(driver.store.describe().rows, 0);
});

test('while a long prompt enters, whoever speaks has a token in every epoch', () => {
  const driver = new EpochDriver({ ...geometry, context: 512, pages: 256, tokens: 32 });
  const speaking = Array.from({ length: 6 }, (_, at) => driver.turn([at], 100));
  for (const turn of speaking) while (turn.outputs.length === 0) driver.step();
  const prompt = Array.from({ length: 400 }, (_, at) => at);
  const entering = driver.turn(prompt, 1);
  let epochs = 0;
  while (driver.isOpen(entering)) {
    const before = speaking.map(({ outputs }) => outputs.length);
    const work = driver.step()!;
    epochs += 1;
    // D = 6 speak and S = 7 fit beside a prompt: less than 6 / 7 epochs lie between two tokens.
    speaking.forEach((turn, at) => assert.is(turn.outputs.length, before[at]! + 1));
    const read = work.spans.find(({ turn }) => turn === entering);
    assert.ok(read!.span.ids.length > 0, 'and the prompt gets on');
    assert.ok(read!.span.ids.length <= 16, 'within its share of the tokens');
    for (const turn of speaking) driver.read(turn);
  }
  assert.ok(epochs >= 400 / 16);
  checkSaid([entering], 1);
});

test('turns that need more pages than there are take turns, and all say what they say', () => {
  const driver = new EpochDriver({ ...geometry, context: 128, pages: 33 });
  const turns = Array.from({ length: 24 }, (_, at) => {
    return driver.turn(
      Array.from({ length: 30 + 3 * at }, (_, i) => (at * 40 + i) % 997),
      20,
    );
  });
  for (let steps = 0; driver.step() !== null; steps += 1) {
    assert.ok(steps < 20_000);
    for (const turn of turns) driver.read(turn);
  }
  checkSaid(turns, 20);
  const { rows, holds, checkpoints } = driver.store.describe();
  assert.equal({ rows, holds, checkpoints }, { rows: 0, holds: 0, checkpoints: 0 });
});

test('checkpoints and idle rows give up their pages to a turn, and can be gone back to', () => {
  const driver = new EpochDriver({ ...geometry, context: 128, pages: 32 });
  const { store, table } = driver;
  const row = store.open('text')!;
  const prompt = Array.from({ length: 100 }, (_, at) => at);
  driver.turn(prompt, 0, row);
  runOut(driver);
  const mark = table.rows.checkpoint(row);
  table.rows.rest(row, 'test:/session');
  const large = driver.turn(
    Array.from({ length: 110 }, (_, at) => 500 + at),
    10,
  );
  for (; driver.step() !== null;) driver.read(large);
  checkSaid([large], 10);
  table.rows.forget(row);
  store.restore(row, mark);
  const again = driver.turn([], 3, row);
  runOut(driver);
  assert.equal(again.outputs, saidAfter(prompt, 3));
});

test('one that must go alone and finds no pages lets others end first', () => {
  const driver = new EpochDriver({ ...geometry, context: 64, pages: 17 });
  const [old, young] = [
    driver.turn(
      Array.from({ length: 30 }, (_, at) => at),
      30,
    ),
    driver.turn(
      Array.from({ length: 6 }, (_, at) => 200 + at),
      30,
    ),
  ] as const;
  for (let i = 0; i < 3; i += 1) driver.step();
  const work = driver.table.next()!;
  assert.is(work.spans.length, 2);
  driver.table.fail(work, { code: 'internal', message: 'one of them' }, true);
  for (let steps = 0; driver.step() !== null; steps += 1) {
    assert.ok(steps < 1_000, 'neither waits for the other for ever');
    for (const turn of [old, young]) driver.read(turn);
  }
  checkSaid([old, young], 30);
});

test('who comes after the door was shut waits until it opens; those before run to their end', () => {
  const driver = new EpochDriver(geometry);
  const { door } = driver.table;
  const before = [driver.turn([1, 2], 20), driver.turn([3], 20)];
  driver.step();
  door.shut();
  const late = driver.turn([5], 20);
  const later = driver.turn([6], 20, driver.store.open('text'));
  door.shut();
  runOut(driver);
  checkSaid(before, 20);
  assert.equal([late.outputs, later.outputs, late.row], [[], [], null]);
  assert.ok(driver.table.wantsRows);
  door.open();
  runOut(driver);
  checkSaid([late, later], 20);
  assert.not(driver.table.wantsRows);
});

test('what rows held is gone: turns that do not read now, sessions and checkpoints go on', () => {
  const driver = new EpochDriver(geometry);
  const { store, table } = driver;
  const row = store.open('text')!;
  const prompt = Array.from({ length: 30 }, (_, at) => at);
  driver.turn(prompt, 0, row);
  const paused = driver.turn([9], DELTAS_MAX + 5);
  runOut(driver);
  const mark = table.rows.checkpoint(row);
  table.rows.rest(row, 'test:/session');
  assert.is(paused.sent, DELTAS_MAX);
  table.evictRows();
  assert.equal(driver.lost, []);
  assert.is(store.describe().pagesUsed, 0);
  driver.read(paused);
  store.restore(row, mark);
  const next = driver.turn([100], 10, row);
  for (; driver.step() !== null;) driver.read(paused);
  checkSaid([paused], DELTAS_MAX + 5);
  checkSaid([next], 10);
  assert.equal(row.ids.slice(0, 30), prompt);
});

test('where nothing is read again, sessions that had something are gone with their turns', () => {
  const driver = new EpochDriver(geometry, 'refuse');
  const { store, table } = driver;
  const [idle, empty, busy] = ['idle', 'empty', 'busy'].map(() => store.open('text')!);
  for (const row of [idle!, busy!]) driver.turn([1, 2, 3], 0, row);
  runOut(driver);
  const mark = table.rows.checkpoint(idle!);
  table.rows.rest(idle!, 'test:/idle');
  table.rows.rest(empty!, 'test:/empty');
  const turn = driver.turn([4], 5, busy!);
  const own = driver.turn([7], 5);
  table.evictRows();
  assert.equal([...driver.lost].sort(), ['test:/idle', 'test:/turn']);
  assert.ok(driver.told.get(turn)!.includes('turn.failed'));
  for (const gone of [idle!, busy!, mark]) assert.is(table.rows.lossOf(gone)?.code, 'gone');
  assert.is(table.rows.lossOf(empty!), null);
  runOut(driver);
  checkSaid([own], 5);
});

test.run();
