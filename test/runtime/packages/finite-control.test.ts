import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { refusal } from '../refusal.js';
import { ReferenceModel, text } from './reference-model.js';
import { smallControl, smallPackage } from './small-package.js';

function modelOf(control: string): ReferenceModel {
  const { document, files } = smallPackage({ control });
  return new ReferenceModel(document, files);
}

const one = (model: ReferenceModel) => model.run([model.prepare(text('a'))]);

/** The control program with its `run` replaced, and more imports. */
function running(body: string, imports = ''): ReferenceModel {
  const [before] = smallControl.split('func.def export run');
  return modelOf(
    `${before}${imports}func.def export run(stage: i64, input: hal.buffer, output: hal.buffer) {\n${body}\n}\n`,
  );
}

test('control: one call of run is one execution', () => {
  assert.equal(one(running('let done = execute_2(stage, input, output)')), [Float32Array.of(97)]);
});

test('a submission names its buffers, its upload and only the rows to read', () => {
  const model = modelOf(smallControl);
  const plan = model.control.prepareBatch([model.prepare(text('a')), model.prepare(text('b'))]);
  const submission = model.control.run(plan, 'cohorts/1');
  assert.is(submission.invocation, 'cohorts/1');
  assert.equal(submission.owner, { kind: 'invocation', deployment: 'small', id: 'cohorts/1' });
  assert.equal(
    submission.buffers.map((buffer) => buffer.bytes),
    [64, 16],
  );
  assert.equal(submission.snapshot, [{ buffer: 1, offset: 0, length: 8 }]);
  assert.equal(submission.uploads[0]!.target, { buffer: 0, offset: 0, length: 16 });
});

test('run must execute something, and with buffers that it was given', () => {
  assert.match(refusal(() => one(running(''))).message, /'run' executed no stage/);
  assert.match(
    refusal(() => one(running('let done = execute_2(3, input, output)'))).message,
    /stage 3; stages 0 to 0 are prepared/,
  );
  assert.match(
    refusal(() => one(running('let done = execute_2(stage, input.slice(0, 65), output)'))).message,
    /65/,
  );
});

test('slices and fences of one invocation work', () => {
  const imports = `func.decl import("runner") fence(w: work) -> hal.fence
func.decl import("runner") null_fence() -> hal.fence
func.decl import("runner") join(f: hal.fence)
`;
  const body = `join(null_fence())
let first = execute_2(stage, input, output)
join(fence(first))
let second = execute_2(stage, input.slice(0, 16), output.slice(0, 16))`;
  const model = running(body, imports);
  assert.equal(one(model), [Float32Array.of(97)]);
  const plan = model.control.prepareBatch([model.prepare(text('a'))]);
  const { commands } = model.control.run(plan, 'x');
  assert.equal(
    commands.map((command) => command.op),
    ['execute', 'fence', 'join', 'execute'],
  );
});

test('capabilities are there in their own entries only', () => {
  const declaring = running(
    'let s = stage_of(@small.forward, 1)',
    'func.decl import("prepare") stage(root: symbol, tag: i64) -> i64\nfunc.def stage_of(root: symbol, tag: i64) -> i64 { return stage(root, tag) }\n',
  );
  assert.match(refusal(() => one(declaring)).message, /'prepare_batch' only/);
  const reading = running('let b = bytes(0)');
  assert.match(
    refusal(() => one(reading)).message,
    /input\.bytes.*cannot be called in 'prepare_batch'/,
  );
});

test('an error has the position in the program, and the next call works', () => {
  const control = smallControl.replace(
    'return (bytes(0), 1, 0)',
    'let first = bytes(0)\n  if first.u8[0] == 33 { reject("no exclamations: {}", first.len) }\n  return (first, 1, 0)',
  );
  const model = modelOf(control);
  const status = refusal(() => model.prepare(text('!')));
  assert.is(status.code, 'invalidArgument');
  assert.match(status.message, /prepare_request \(control\.loom:6:\d+\): no exclamations: 1/);
  assert.equal(one(model), [Float32Array.of(97)]);
});

test('tables that break the contract fail the call and leave the program usable', () => {
  const breaking = (from: string, to: string) => {
    const model = modelOf(smallControl.replace(from, to));
    return refusal(() => one(model)).message;
  };
  assert.match(breaking('return (0, upload', 'return (1, upload'), /stage 1; stages 0 to 0/);
  assert.match(breaking('list<i64>(16, 4', 'list<i64>(999, 4'), /999 physical bytes; 1 to 64/);
  assert.match(breaking('plan.push(4)', 'plan.push(3)'), /width 3/);
  assert.match(breaking('buffer.new(16)', 'buffer.new(80)'), /upload of 80 bytes; at most 64/);
  assert.match(
    breaking('return (bytes(0), 1, 0)', 'return (bytes(0), 0, 0)'),
    /0 units; at least 1/,
  );
  assert.match(
    breaking('return (bytes(0), 1, 0)', 'return (bytes(0), 17, 0)'),
    /17 units.*at most 16/,
  );
});

test('an endless loop ends with the fuel, and the program serves on', () => {
  const control = smallControl.replace(
    'return (bytes(0), 1, 0)',
    'let first = bytes(0)\n  while first.u8[0] == 33 { }\n  return (first, 1, 0)',
  );
  const model = modelOf(control);
  const status = refusal(() => model.prepare(text('!')));
  assert.is(status.code, 'resourceExhausted');
  assert.match(status.message, /prepare_request/);
  assert.equal(one(model), [Float32Array.of(97)]);
});

test('preparing a cohort twice gives the same plan', () => {
  const model = modelOf(smallControl);
  const members = ['a', 'b', 'c'].map((words) => model.prepare(text(words)));
  assert.equal(model.control.prepareBatch(members), model.control.prepareBatch(members));
});

test.run();
