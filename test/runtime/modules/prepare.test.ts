import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toStatus } from '../../../runtime/base/errors.js';
import { DeclarationRecorder, stagesMax } from '../../../runtime/modules/declaration-recorder.js';
import { prepareFunctions } from '../../../runtime/modules/prepare.js';

function recording() {
  const recorder = new DeclarationRecorder();
  return prepareFunctions(() => recorder);
}

const symbol = { name: 'a.forward', args: ['4', '@a.b'] };

test('stages are recorded in order with all that was said of them', () => {
  const recorder = new DeclarationRecorder();
  const { stage, dispatch, config, config_i64, workspace_limit } = prepareFunctions(() => recorder);
  assert.equal(stage!(symbol, 7n), [0n]);
  assert.equal(dispatch!({ name: 'a.direct', args: [] }, -1n), [1n]);
  config!(0n, 'a.scale', '1.5');
  config_i64!(0n, 'a.extent', -4n);
  config!(1n, 'a.scale', '2');
  workspace_limit!(1n, 4096n);
  assert.equal(recorder.stages, [
    {
      kind: 'command',
      symbol,
      tag: 7n,
      config: [
        ['a.scale', '1.5'],
        ['a.extent', '-4'],
      ],
      workspaceLimitBytes: null,
    },
    {
      kind: 'direct',
      symbol: { name: 'a.direct', args: [] },
      tag: -1n,
      config: [['a.scale', '2']],
      workspaceLimitBytes: 4096,
    },
  ]);
});

test('a declaration is plain data that crosses threads', () => {
  const recorder = new DeclarationRecorder();
  prepareFunctions(() => recorder).stage!(symbol, 2n ** 62n);
  assert.equal(structuredClone(recorder.stages), recorder.stages);
});

test('ordinals of an invocation go on after the cold ones', () => {
  const recorder = new DeclarationRecorder(3);
  const { stage, config } = prepareFunctions(() => recorder);
  assert.equal(stage!(symbol, 0n), [3n]);
  config!(3n, 'k', '1');
  assert.throws(() => config!(2n, 'k', '1'), /config 'k' of stage 2: .*prepared already/);
  assert.throws(() => config!(4n, 'k', '1'), /config 'k' of stage 4: no such stage/);
  assert.throws(() => config!(-1n, 'k', '1'), /config 'k' of stage -1: no such stage/);
});

test('a key bound twice names stage, key and both values', () => {
  const { stage, config, config_i64 } = recording();
  stage!(symbol, 0n);
  stage!(symbol, 1n);
  config!(0n, 'extent', '64');
  config!(1n, 'extent', '128');
  assert.throws(
    () => config_i64!(0n, 'extent', 32n),
    /config 'extent' of stage 0 \(a\.forward\) is bound twice: to 64 and to 32/,
  );
});

test('limits: workspace bytes and the number of stages', () => {
  const { stage, workspace_limit } = recording();
  for (let count = 0; count < stagesMax; count += 1) stage!(symbol, 0n);
  assert.throws(() => stage!(symbol, 0n), new RegExp(`more than ${stagesMax} stages`));
  assert.throws(() => workspace_limit!(0n, -1n), /workspace_limit of stage 0/);
  workspace_limit!(0n, 0n);
});

test('what needs checkpoints says so', () => {
  const functions = recording();
  for (const name of ['source', 'source_append', 'parameter', 'memory_forecast']) {
    const status = statusOf(() => functions[name]!());
    assert.is(status.code, 'unimplemented');
    assert.match(status.message, new RegExp(`prepare\\.${name}\\(`));
  }
});

function statusOf(action: () => unknown) {
  try {
    action();
  } catch (error) {
    return toStatus(error);
  }
  throw new Error('nothing was thrown');
}

test.run();
