import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { commandsMax, RunnerRecorder } from '../../../runtime/modules/runner-recorder.js';
import type { InvocationBuffer } from '../../../runtime/modules/runner-recorder.js';
import { rootsMax, runnerFunctions } from '../../../runtime/modules/runner.js';

const stages = Array.from({ length: rootsMax + 1 }, (_, roots) => ({
  executable: `e${roots}`,
  name: `s${roots}`,
  roots,
}));

function invocation(slots: readonly number[] = []) {
  const recorder = new RunnerRecorder({ stages, slots });
  const input = recorder.addBuffer({ bytes: 64, lifetime: 'invocation' });
  const output = recorder.addBuffer({ bytes: 128, lifetime: 'result' });
  return { recorder, run: runnerFunctions(() => recorder), input, output };
}

test('commands are recorded in order, with ids from zero', () => {
  const { recorder, run, input, output } = invocation([16]);
  const [first] = run['execute_2']!(2n, input, output);
  const [ready] = run['fence']!(first);
  run['join']!(ready);
  const [second] = run['execute_1']!(1n, output);
  run['feedback']!(second, output, 8n, 16n, 0n);
  const whole = (buffer: number, length: number) => ({ buffer, offset: 0, length });
  assert.equal(recorder.commands, [
    { op: 'execute', work: 0, executable: 'e2', roots: [whole(0, 64), whole(1, 128)], part: 0 },
    { op: 'fence', fence: 0, work: 0 },
    { op: 'join', fence: 0 },
    { op: 'execute', work: 1, executable: 'e1', roots: [whole(1, 128)], part: 0 },
    { op: 'feedback', work: 1, source: { buffer: 1, offset: 8, length: 16 }, slot: 0 },
  ]);
  assert.equal(recorder.buffers, [
    { bytes: 64, lifetime: 'invocation' },
    { bytes: 128, lifetime: 'result' },
  ]);
});

test('every arity takes exactly the roots of its stage', () => {
  for (let roots = 0; roots <= rootsMax; roots += 1) {
    const { run, input } = invocation();
    const buffers = Array.from({ length: roots }, () => input);
    run[`execute_${roots}`]!(BigInt(roots), ...buffers);
    const other = BigInt((roots + 1) % (rootsMax + 1));
    assert.throws(
      () => run[`execute_${roots}`]!(other, ...buffers),
      new RegExp(
        `execute_${roots} of stage ${other} \\(s${other}\\), which takes ${other} buffers`,
      ),
    );
  }
});

test('the null fence orders nothing and is never recorded', () => {
  const { recorder, run } = invocation();
  run['join']!(run['null_fence']!()[0]);
  assert.equal(recorder.commands, []);
});

test('slices are bytes of their buffer, and checked', () => {
  const { recorder, run, input } = invocation();
  const part = input.slice(16, 32).slice(8, 8);
  run['execute_1']!(1n, part);
  const [command] = recorder.commands;
  assert.ok(command!.op === 'execute');
  assert.equal(command!.roots, [{ buffer: 0, offset: 24, length: 8 }]);
  for (const [offset, length] of [
    [-1, 4],
    [0, 65],
    [64, 1],
    [4, -1],
  ] as const) {
    assert.throws(() => input.slice(offset, length), /of a buffer of 64/);
  }
});

test('buffers, works and fences of another invocation are refused', () => {
  const mine = invocation([8]);
  const other = invocation([8]);
  const [work] = other.run['execute_1']!(1n, other.input);
  const [fence] = other.run['fence']!(work);
  const foreign = /is not of this invocation/;
  assert.throws(() => mine.run['execute_1']!(1n, other.input), foreign);
  assert.throws(() => mine.run['execute_1']!(1n, other.input.slice(0, 4)), foreign);
  assert.throws(() => mine.run['fence']!(work), foreign);
  assert.throws(() => mine.run['join']!(fence), foreign);
  assert.throws(() => mine.run['feedback']!(work, mine.input, 0n, 4n, 0n), foreign);
  // A work is no fence, a fence no work, and what a program made up is nothing.
  const [own] = mine.run['execute_1']!(1n, mine.input);
  const before = mine.recorder.commands.length;
  assert.throws(() => mine.run['join']!(own), foreign);
  assert.throws(() => mine.run['fence']!(null), foreign);
  assert.throws(() => mine.run['execute_1']!(1n, null as unknown as InvocationBuffer), foreign);
  assert.is(mine.recorder.commands.length, before);
});

test('a fence captures its own work, whatever comes later', () => {
  const { recorder, run, input } = invocation();
  const [first] = run['execute_1']!(1n, input);
  run['execute_1']!(1n, input);
  run['fence']!(first);
  assert.equal(recorder.commands.at(-1), { op: 'fence', fence: 0, work: 0 });
});

test('unknown stages are refused with the ones that there are', () => {
  const { run, input } = invocation();
  for (const stage of [-1n, 9n, 2n ** 40n]) {
    assert.throws(
      () => run['execute_1']!(stage, input),
      new RegExp(`stage ${stage}; stages 0 to 8`),
    );
  }
});

test('feedback is bounded by registered slots', () => {
  const none = invocation();
  const [work] = none.run['execute_1']!(1n, none.input);
  assert.throws(() => none.run['feedback']!(work, none.input, 0n, 4n, 0n), /no slots/);
  const { run, input } = invocation([8, 16]);
  const [own] = run['execute_1']!(1n, input);
  assert.throws(() => run['feedback']!(own, input, 0n, 4n, 2n), /slot 2; .*slots 0 to 1/);
  assert.throws(
    () => run['feedback']!(own, input, 0n, 12n, 0n),
    /12 bytes into slot 0, which holds 8/,
  );
  assert.throws(
    () => run['feedback']!(own, input, 60n, 8n, 0n),
    /bytes 60 to 68 of a buffer of 64/,
  );
  run['feedback']!(own, input, 0n, 8n, 0n);
  assert.throws(() => run['feedback']!(own, input, 0n, 8n, 0n), /slot 0 twice/);
});

test('an invocation is bounded', () => {
  const { run, input } = invocation();
  for (let count = 0; count < commandsMax; count += 1) run['execute_1']!(1n, input);
  assert.throws(
    () => run['execute_1']!(1n, input),
    new RegExp(`more than ${commandsMax} runner calls`),
  );
});

test.run();
