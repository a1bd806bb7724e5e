import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DeclarationRecorder, stagesMax } from '../../../runtime/modules/declaration-recorder.js';
import { shardsMax, sourcesMax } from '../../../runtime/modules/declared-sources.js';
import { prepareFunctions } from '../../../runtime/modules/prepare.js';
import type { SymbolValue } from '../../../runtime/modules/signature-table.js';

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
      parameters: [],
    },
    {
      kind: 'direct',
      symbol: { name: 'a.direct', args: [] },
      tag: -1n,
      config: [['a.scale', '2']],
      workspaceLimitBytes: 4096,
      parameters: [],
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

const symbolOf = (name: string) => ({ name, args: [] });

test('parameters are recorded by binding and input, with their policy', () => {
  const recorder = new DeclarationRecorder();
  const { stage, source, source_append, parameter } = prepareFunctions(() => recorder);
  assert.equal(source!('.', 'a.safetensors'), [0n]);
  assert.equal(source!('', 'b.gguf'), [1n]);
  source_append!(0n, 'more', 'c.safetensors');
  stage!(symbol, 0n);
  parameter!(0n, 1n, 0n, 1n, { name: 'a.p', args: ['4'] });
  parameter!(0n, 0n, 1n, 1n, symbolOf('a.q'));
  parameter!(0n, 0n, 0n, 0n, symbolOf('a.q'));
  assert.equal(recorder.stages[0]!.parameters, [
    { binding: 0, input: 0, source: 0, policy: symbolOf('a.q') },
    { binding: 0, input: 1, source: 1, policy: symbolOf('a.q') },
    { binding: 1, input: 0, source: 1, policy: { name: 'a.p', args: ['4'] } },
  ]);
  assert.equal(recorder.sources.list, [
    {
      files: [
        { directory: '.', path: 'a.safetensors' },
        { directory: 'more', path: 'c.safetensors' },
      ],
    },
    { files: [{ directory: '', path: 'b.gguf' }] },
  ]);
  assert.equal(structuredClone(recorder.sources.list), recorder.sources.list);
});

test('wrong parameters are told with stage, binding and input', () => {
  const { stage, dispatch, source, parameter } = recording();
  stage!(symbol, 0n);
  dispatch!(symbolOf('a.direct'), 0n);
  source!('.', 'a');
  const bind = (row: [bigint, bigint, bigint, bigint], policy: SymbolValue = symbolOf('a.p')) =>
    parameter!(...row, policy);
  const cases: [row: [bigint, bigint, bigint, bigint], expected: RegExp][] = [
    [[0n, 2n, 3n, 1n], /parameter \(binding 2, input 3\) of stage 0 .*no source 1; sources 0 to 0/],
    [[0n, 2n, 3n, -1n], /binding 2, input 3.*no source -1/],
    [[2n, 0n, 0n, 0n], /parameter \(binding 0, input 0\) of stage 2: no such stage/],
    [[1n, 0n, 0n, 0n], /stage 1 \(a\.direct\): a single kernel binds no banks/],
    [[0n, -1n, 0n, 0n], /stage 0 \(a\.forward\), binding -1, input 0: bindings are 0 to 63/],
    [[0n, 0n, 64n, 0n], /binding 0, input 64: inputs are 0 to 63/],
  ];
  for (const [row, expected] of cases) assert.throws(() => bind(row), expected);
  bind([0n, 0n, 0n, 0n]);
  assert.throws(
    () => bind([0n, 0n, 0n, 0n]),
    /stage 0 \(a\.forward\), binding 0, input 0: bound twice: to source 0 and to 0/,
  );
  assert.throws(
    () => bind([0n, 0n, 1n, 0n], { name: 'a.p', args: ['1'] }),
    /binding 0, input 1: policy @a\.p<1>, but input 0 has @a\.p: all inputs/,
  );
});

test('sources: limits, and what an invocation may not touch', () => {
  const functions = recording();
  for (let count = 0; count < sourcesMax; count += 1) functions['source']!('.', `${count}`);
  assert.throws(() => functions['source']!('.', 'more'), /"\.\/more": the limit is 64 sources/);
  for (let count = 1; count < shardsMax; count += 1) functions['source_append']!(3n, '.', 'shard');
  assert.throws(() => functions['source_append']!(3n, '.', 'x'), /source 3: the limit is 1024/);
  assert.throws(() => functions['source_append']!(64n, '.', 'x'), /no source 64/);

  const invocation = new DeclarationRecorder(1, 2);
  const { source, source_append, stage, parameter } = prepareFunctions(() => invocation);
  assert.equal(source!('.', 'own'), [2n]);
  source_append!(2n, '.', 'own too');
  assert.throws(() => source_append!(1n, '.', 'x'), /source 1: it is prepared already/);
  assert.equal(stage!(symbol, 0n), [1n]);
  parameter!(1n, 0n, 0n, 1n, symbolOf('a.p'));
  parameter!(1n, 0n, 1n, 2n, symbolOf('a.p'));
  assert.throws(() => parameter!(1n, 0n, 2n, 3n, symbolOf('a.p')), /no source 3; sources 0 to 2/);
});

test('files open at the call that names them', () => {
  const opened: unknown[] = [];
  const recorder = new DeclarationRecorder(0, 0, {
    open(file) {
      if (file.path === 'lost') throw new Error('no such file');
      opened.push(file.path);
    },
    append: (source, file) => opened.push([source, file.path]),
    index: () => {
      throw new Error('nobody asked');
    },
  });
  const { source, source_append } = prepareFunctions(() => recorder);
  source!('.', 'a');
  assert.throws(() => source!('.', 'lost'), /no such file/);
  source!('.', 'b');
  source_append!(1n, '.', 'c');
  assert.equal(opened, ['a', 'b', [1, 'c']]);
});

test('one memory forecast, and files in prepare only', () => {
  const recorder = new DeclarationRecorder();
  const { memory_forecast, asset } = prepareFunctions(() => recorder);
  assert.is(recorder.memoryForecast, null);
  memory_forecast!(symbolOf('a.estimate'));
  assert.equal(recorder.memoryForecast, symbolOf('a.estimate'));
  assert.throws(
    () => memory_forecast!(symbolOf('a.b')),
    /a\.estimate already; a\.b is one too many/,
  );
  assert.throws(
    () => asset!('config.json'),
    /"config\.json": files are read by the entry 'prepare'/,
  );
});

test.run();
