/**
 * Which launches the device thread runs itself. Whatever it does not finish is left to the team,
 * so what is asked here is the answer, the bytes, and that a long program is not tried for ever.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Launch } from '../../../../runtime/hal/command.js';
import { Executable, type ExecutableImage } from '../../../../runtime/hal/executable.js';
import { BriefLaunches } from '../../../../runtime/hal/local/brief-launches.js';
import { LocalMemory } from '../../../../runtime/hal/local/local-memory.js';
import { compiled, countedTwice } from '../../../conformance/compiled.js';
import * as b from '../../../generators/typed-builder.js';

const { t } = b;
const WORDS = 4;

/** Writes `rounds - 1` after as many rounds. */
function rounds(count: number, access: 'out' | 'inout' = 'out'): ExecutableImage {
  return program([count], access);
}

const twoSteps = (count: number): ExecutableImage => program([10, count], 'out');

/** A dispatch for each count. */
function program(counts: readonly number[], access: 'out' | 'inout'): ExecutableImage {
  const k = new b.KernelBuilder('rounds', 1);
  const result = k.view('result', access, b.storage('i32'));
  const limit = k.scalar('limit', t.i32);
  const [lane, i] = [k.local('lane', t.i32), k.local('i', t.i32)];
  const loop = b.loop(i, { from: b.i32(0), to: limit.get }, b.block(result.set(b.i32(0), i.get)));
  const kernel = k.build(
    b.block(k.parallel(lane, { from: b.i32(0), to: b.i32(1) }, b.block(loop))),
  );
  const steps = counts.map((count) => b.dispatch(0, [b.wholeRoot(0), b.word(count)], 1));
  return compiled(b.commandProgram({ roots: [b.root(access)], kernels: [kernel], steps }));
}

/** A clock that each look moves on by `stepMs`. */
function fixture(stepMs = 0) {
  const memory = new LocalMemory({ workers: 1, memoryBytes: 65_536 });
  memory.grow(0, 65_536);
  let nowMs = 0;
  const clock = { now: () => (nowMs += stepMs), wallTime: () => 0 };
  const brief = new BriefLaunches(memory, clock);
  const range = { slab: 0, offset: 256, length: WORDS * 4 };
  const launchOf = (image: ExecutableImage, parts: Partial<Launch> = {}): Launch => ({
    executable: new Executable('it', image, () => undefined),
    ...{ roots: [range], banks: [], workspace: null, part: 0 },
    ...{ deployment: 'd', backEdges: null },
    ...parts,
  });
  const word = (): number => new DataView(memory.view(range).slice().buffer).getInt32(0, true);
  const clear = (): void => memory.fill(range, 0);
  return { brief, launchOf, word, clear };
}

test('a launch of a few rounds runs at once', () => {
  const { brief, launchOf, word } = fixture();
  assert.is(brief.run(launchOf(rounds(1000))), true);
  assert.is(word(), 999);
});

test('one that spends the budget is left to the team, and tried again ever more rarely', () => {
  const { brief, launchOf, word, clear } = fixture();
  const long = launchOf(twoSteps(1_000_000));
  // A try leaves what the first dispatch wrote.
  const launchesUntilTried = (): number => {
    for (let launches = 0; ; launches += 1) {
      clear();
      assert.is(brief.run(long), false);
      if (word() !== 0) return launches;
    }
  };
  const found = Array.from({ length: 9 }, launchesUntilTried);
  assert.equal(found, [0, 4, 8, 16, 32, 64, 128, 256, 256]);
});

test('a budget that its submission makes smaller holds', () => {
  const { brief, launchOf } = fixture();
  assert.is(brief.run(launchOf(rounds(1000), { backEdges: 100 })), false);
});

test('what took long is done, and the next launches are left to the team', () => {
  const { brief, launchOf, word } = fixture(1);
  const launch = launchOf(rounds(10));
  assert.is(brief.run(launch), true);
  assert.is(word(), 9);
  for (let left = 0; left < 4; left += 1) assert.is(brief.run(launch), false);
  assert.is(brief.run(launch), true);
});

test('a program that reads what it writes cannot be run twice, so it is not tried', () => {
  const { brief, launchOf, word } = fixture();
  assert.is(brief.run(launchOf(rounds(10, 'inout'))), false);
  assert.is(brief.run(launchOf(countedTwice(1, 1))), false);
  assert.is(word(), 0);
});

test.run();
