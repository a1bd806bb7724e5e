/**
 * A package whose `run` uses all of the runner: several executions, feedback, fences, joins. Its
 * submissions run on a device whose completions the test chooses.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import { openSimulatedDevice } from '../../../runtime/hal/simulated/simulated-device.js';
import type { Submission } from '../../../runtime/hal/submission.js';
import { DeviceFixture, testPorts } from '../hal/device-fixture.js';
import { ReferenceModel, text } from './reference-model.js';
import { smallControl, smallKernel, smallPackage, smallPrepare } from './small-package.js';

const prepare = smallPrepare
  .replace('use small { forward }', 'use small { forward, tenfold, endless }')
  .replace(
    'let first = stage(@forward, 0)',
    `let first = stage(@forward, 0)
  let second = stage(@tenfold, 1)
  let third = stage(@endless, 2)
  let fourth = stage(@forward, 3)
  config_i64(fourth, "small.scale", 5)`,
  );

const kernel = `${smallKernel}
kernel.def multiply(y: inout view<f32>) workgroup(4) {
  parallel i in 0..4 { y[i] = y[i] * 10.0 }
}
command.def export tenfold(output: root) {
  dispatch multiply(output) grid(1)
}
kernel.def spin(y: inout view<f32>) workgroup(1) {
  parallel i in 0..1 {
    var sum = y[0]
    for j in 0..2147483647 { sum += 1.0 }
    y[0] = sum
  }
}
command.def export endless(output: root) {
  dispatch spin(output) grid(1)
}
`;

const imports = `func.decl import("runner") execute_1(stage: i64, a: hal.buffer) -> work
func.decl import("runner") feedback(w: work, source: hal.buffer, offset: i64, length: i64, slot: i64)
func.decl import("runner") fence(w: work) -> hal.fence
func.decl import("runner") null_fence() -> hal.fence
func.decl import("runner") join(f: hal.fence)
`;

function modelOf(body: string): ReferenceModel {
  const [before] = smallControl.split('func.def export run');
  const run = `func.def export run(stage: i64, input: hal.buffer, output: hal.buffer) {\n${body}\n}\n`;
  const { document, files } = smallPackage({ prepare, kernel, control: before + imports + run });
  return new ReferenceModel(document, files);
}

/** The submission of one cohort of 'a', whose row is 97 before anything is multiplied. */
function submissionOf(model: ReferenceModel, invocation = 'cohorts/1'): Submission {
  return model.control.run(model.control.prepareBatch([model.prepare(text('a'))]), invocation);
}

/** All models here differ in `run` only, so the stages of one are those of all. */
function deviceFor(model: ReferenceModel) {
  const ports = testPorts();
  const device = openSimulatedDevice({ ports, completion: 'manual' });
  for (const [id, { module, reflection }] of model.artefacts) {
    device.load(id, { module, info: reflection });
  }
  const fixture = new DeviceFixture(device, ports, { poison: true });
  const complete = (count = Infinity): void => {
    for (let i = 0; i < count && device.completion.pending.length > 0; i += 1) {
      device.completion.complete(0, null);
    }
  };
  return { fixture, device, complete };
}

const floats = (bytes: Uint8Array): number[] => [...new Float32Array(bytes.slice().buffer)];

test('control: executions run in order over the same buffers', () => {
  const model = modelOf('let a = execute_2(0, input, output)\nlet b = execute_1(1, output)');
  const { fixture, complete } = deviceFor(model);
  const story = fixture.start(submissionOf(model));
  complete();
  assert.equal(floats(story.retired!.snapshot), [970]);
  fixture.ledger.assertZero();
});

test('one key has its own value in each stage', () => {
  for (const [stage, row] of [
    [0, 97],
    [3, 485],
  ]) {
    const model = modelOf(`let a = execute_2(${stage}, input, output)`);
    const { fixture, complete } = deviceFor(model);
    const story = fixture.start(submissionOf(model));
    complete();
    assert.equal(floats(story.retired!.snapshot), [row]);
  }
});

test('feedback is what its work left, although later work overwrites the bytes', () => {
  const model = modelOf(`let first = execute_2(0, input, output)
  feedback(first, output, 0, 4, 0)
  join(null_fence())
  join(fence(first))
  let second = execute_1(1, output)
  let third = execute_1(1, output)`);
  const { fixture, complete } = deviceFor(model);
  const story = fixture.start(submissionOf(model));
  complete();
  const [slot] = story.retired!.feedback;
  assert.is(slot!.slot, 0);
  assert.equal(floats(slot!.bytes), [97]);
  assert.equal(floats(story.retired!.snapshot), [9700]);
  // The slot of the next invocation is other bytes: nobody overwrites what was handed out.
  const next = fixture.start(submissionOf(model, 'cohorts/2'));
  complete();
  assert.is.not(next.retired!.feedback[0]!.bytes.buffer, slot!.bytes.buffer);
  assert.equal(floats(slot!.bytes), [97]);
});

test('a later failure fails its invocation and nobody else, and is told with its kernel', () => {
  const model = modelOf(`let first = execute_2(0, input, output)
  let ready = fence(first)
  let second = execute_1(2, output)
  join(ready)
  feedback(first, output, 0, 4, 0)`);
  const healthy = modelOf('let a = execute_2(0, input, output)');
  const { fixture, complete } = deviceFor(model);
  const bad = fixture.start(submissionOf(model));
  const good = fixture.start(submissionOf(healthy, 'cohorts/2'));
  complete();
  assert.equal(bad.events, ['accepted', 'failed']);
  assert.match(bad.failed!.message, /kernel .*spin.* ran too long/);
  assert.equal(floats(good.retired!.snapshot), [97]);
  fixture.ledger.assertZero();
});

test("a join orders later work of its own invocation, not another's", () => {
  const joining = modelOf(`let first = execute_2(0, input, output)
  join(fence(first))
  let second = execute_1(1, output)`);
  const plain = modelOf('let a = execute_2(0, input, output)');
  const { fixture, device, complete } = deviceFor(joining);
  const held = fixture.start(submissionOf(joining));
  complete(1);
  // Its first execution is pending: what it joined has not been reached.
  assert.equal(
    device.completion.pending.map(({ op }) => op),
    ['execute'],
  );
  const free = fixture.start(submissionOf(plain, 'cohorts/2'));
  while (free.retired === null) device.completion.complete(1, null);
  assert.equal(floats(free.retired.snapshot), [97]);
  assert.equal(held.events, ['accepted']);
  complete();
  assert.equal(floats(held.retired!.snapshot), [970]);
  fixture.ledger.assertZero();
});

test('a slot twice, a slot that is not there and a range beyond the buffer are errors of run', () => {
  const refusal = (body: string): string => {
    const model = modelOf(`let first = execute_2(0, input, output)\n${body}`);
    try {
      submissionOf(model);
    } catch (error) {
      assert.instance(error, StatusError);
      return (error as StatusError).message;
    }
    throw new Error('nothing was thrown');
  };
  const twice = 'feedback(first, output, 0, 4, 0)\nfeedback(first, output, 4, 4, 0)';
  assert.match(refusal(twice), /slot 0 twice/);
  assert.match(refusal('feedback(first, output, 0, 4, 1)'), /slot 1; .*slots 0 to 0/);
  assert.match(refusal('feedback(first, output, 0, 17, 0)'), /bytes 0 to 17 of a buffer of 16/);
  assert.match(refusal('feedback(first, output, 0, 4097, 0)'), /4097 bytes .* holds 4096/);
});

test.run();
