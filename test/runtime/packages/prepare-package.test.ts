import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { localFacts } from '../../../runtime/hal/local/local-facts.js';
import { readModule } from '../../../runtime/loom/syntax/read-module.js';
import { encode } from '../../../runtime/loom/syntax/bytecode-writer.js';
import { compileControl } from '../../../runtime/packages/compile-control.task.js';
import { compileStage } from '../../../runtime/packages/compile-stage.task.js';
import { DiskFiles } from '../../../runtime/packages/disk-files.js';
import { prepareFiles, preparePackage } from '../../../runtime/packages/prepare-package.js';
import { refusal } from '../refusal.js';
import { modelPackage, ReferenceModel, text } from './reference-model.js';
import { repositoryRoot } from './repository-root.js';
import {
  finitePlan,
  smallControl,
  smallKernel,
  smallPackage,
  smallPrepare,
} from './small-package.js';
import type { SmallFiles } from './small-package.js';

const prepare = (given: SmallFiles = {}, change: object = {}) => {
  const { document, files } = smallPackage(given, change);
  return finitePlan(prepareFiles(document, files, localFacts()));
};

const declaring = (lines: string) =>
  smallPrepare.replace(
    'let first = stage(@forward, 0)',
    `let first = stage(@forward, 0)\n${lines}`,
  );

test('control: the small package prepares and answers', () => {
  const plan = prepare();
  assert.is(plan.sourceName, 'small');
  assert.equal(plan.capacities, {
    batchUnits: 16,
    uploadBytes: 64,
    outputBytes: 64,
    resultBytes: 64,
  });
  const { document, files } = smallPackage();
  const model = new ReferenceModel(document, files);
  const rows = model.run(['a', 'b'].map((words) => model.prepare(text(words))));
  assert.equal(rows, [Float32Array.of(97), Float32Array.of(98)]);
});

test('bytecode serves in every role', () => {
  const compiled = (name: string, words: string) =>
    encode(readModule(name, new TextEncoder().encode(words)).module);
  const { document, files } = smallPackage({
    prepare: compiled('prepare.loom', smallPrepare),
    control: compiled('control.loom', smallControl),
    kernel: compiled('kernel.loom', smallKernel),
    config: compiled('config.loom', 'const.def export scale : i64 = 3'),
  });
  const model = new ReferenceModel(document, files);
  assert.equal(model.run([model.prepare(text('a'))]), [Float32Array.of(291)]);
});

test('the config file binds for the whole package, and a stage binds over it', () => {
  const config = 'const.def export scale : i64 = 2 + 3';
  assert.equal(prepare({ config }).bindings, [['small.scale', '5']]);
  const bound = declaring('config_i64(first, "small.scale", 7)');
  const { document, files } = smallPackage({ config, prepare: bound });
  const model = new ReferenceModel(document, files);
  assert.equal(model.run([model.prepare(text('a'))]), [Float32Array.of(679)]);
});

test('configuration errors name the stage and the key', () => {
  const cases: [lines: string, expected: RegExp][] = [
    ['config_i64(first, "small.scal", 1)', /stage small\.forward: .*'small\.scal'/],
    ['config(first, "small.scale", "many")', /stage small\.forward: .*small\.scale.*'many'/],
    ['config(first, "small.enabled", "1")', /stage small\.forward: .*small\.enabled/],
    ['config_i64(first, "small.copy", 1)', /stage small\.forward: .*small\.copy/],
    ['config_i64(1, "small.scale", 1)', /config 'small\.scale' of stage 1: no such stage/],
    [
      'config_i64(first, "small.scale", 1)\nconfig(first, "small.scale", "2")',
      /'small\.scale' of stage 0 .*bound twice: to 1 and to 2/,
    ],
    [
      'config_i64(first, "small.scale", 1)\nconfig(first, "scale", "2")',
      /stage small\.forward: .*'scale' is bound twice/,
    ],
  ];
  for (const [lines, expected] of cases) {
    const status = refusal(() => prepare({ prepare: declaring(lines) }));
    assert.match(status.message, expected);
  }
});

test('roots must be what the declaration says', () => {
  const root = (symbol: string) =>
    refusal(() => prepare({ prepare: smallPrepare.replace('@forward', symbol) })).message;
  assert.match(root('@small.copy'), /copy/);
  const none = smallPrepare.replace('let first = stage(@forward, 0)', '');
  assert.match(refusal(() => prepare({ prepare: none })).message, /declares no stage/);
});

test('entries are checked by name and signature, with positions', () => {
  const without = smallPrepare.replace('func.def export prepare', 'func.def export ready');
  assert.match(
    refusal(() => prepare({ prepare: without })).message,
    /prepare\.loom exports no 'prepare'; the contract asks for prepare\(string, ref\).*it exports ready/,
  );
  const control = (from: string, to: string) => {
    const { compileControl: input } = prepare({ control: smallControl.replace(from, to) });
    return refusal(() => compileControl(input));
  };
  assert.match(control('export run', 'export start').message, /control\.loom exports no 'run'/);
  const wrong = control(
    '(buffer, i64, i64) {\n  return (bytes(0), 1, 0)',
    '(buffer, i64) {\n  return (bytes(0), 1)',
  );
  assert.match(
    wrong.message,
    /prepare_request is \(ref, buffer\) -> \(buffer, i64\); the contract asks/,
  );
  assert.match(wrong.where!, /^control\.loom:4:\d+$/);
});

test('imports must exist with the signature that the server has', () => {
  const importing = (line: string) =>
    refusal(() => prepare({ prepare: `${smallPrepare}${line}\n` + calls(line) })).message;
  const calls = (line: string) =>
    `func.def export use_it(a: ref) { ${/\) (\w+)\(/.exec(line)![1]}(${line.includes('()') ? '' : '1'}) }\n`;
  assert.match(
    importing('func.decl import("prepare") launch_now()'),
    /import prepare\.launch_now does not exist; the module has asset, config, config_i64/,
  );
  assert.match(importing('func.decl import("files") open_all()'), /there is no module 'files'/);
  assert.match(
    importing('func.decl import("prepare") source(a: i64)'),
    /prepare\.loom:\d+:\d+: import prepare\.source\(i64\), but the server has .*\(string, string\) -> i64/,
  );
});

test('programs that do not type are told with line and column', () => {
  const status = refusal(() =>
    prepare({ prepare: smallPrepare.replace('(16, 64,', '(16, "64",') }),
  );
  assert.match(status.details![0]!, /^prepare\.loom:10:\d+: /);
});

test('what is wrong in any file is told at once, reached or not', () => {
  const status = refusal(() =>
    prepare({
      control: `${smallControl}func.def unused() -> i64 { return "text" }\n`,
      kernel: `${smallKernel}const.def lost : i64 = nowhere\n`,
    }),
  );
  const details = status.details!.join('\n');
  assert.match(details, /control\.loom:\d+:\d+: .*string/);
  assert.match(details, /kernel\.loom:\d+:\d+: .*nowhere/);
  assert.is(status.details!.length, 2);
});

test('a program that raises is told with its message and position', () => {
  const status = refusal(() =>
    prepare({ prepare: declaring('fail("width {} is not supported", 3)') }),
  );
  assert.match(status.message, /width 3 is not supported/);
  assert.match(status.where!, /^prepare\.loom:10:\d+$/);
});

test('capacities, tokenizer and profile are checked', () => {
  const returning = (from: string, to: string, change: object = {}) =>
    refusal(() => prepare({ prepare: smallPrepare.replace(from, to) }, change)).message;
  assert.match(returning('(16, 64', '(0, 64'), /batch_units = 0/);
  assert.match(returning('"", "small"', '"vocab", "small"'), /tokenizer asset 'vocab'.*: none/);
  assert.match(
    returning('"", "small"', '"tokenizer", "small"', { assets: { tokenizer: 'kernel.loom' } }),
    /kernel\.loom is not JSON \(/,
  );
  assert.match(
    returning('', '', { profile: 'speech' }),
    /no profile 'speech' \(it has embeddings, decisions, text, sequence\)/,
  );
});

test('the deployment lowers units and bounds host calls', () => {
  const deployment = { capacity: { batch_units: 5, fuel: 50 } };
  const generous = { capacity: { batch_units: 99 } };
  assert.is(prepare({}, { deployment: generous }).capacities.batchUnits, 16);
  assert.equal(
    prepare({}, { deployment: { capacity: { batch_units: 5 } } }).capacities.batchUnits,
    5,
  );
  const looping = declaring('var i = 0\nwhile i < 1000 { i += 1 }');
  assert.is(refusal(() => prepare({ prepare: looping }, { deployment })).code, 'resourceExhausted');
});

test('a stage beyond its workspace limit is refused with both sizes', () => {
  const plan = prepare({ prepare: declaring('workspace_limit(first, 8)') });
  const status = refusal(() => compileStage(plan.compileStage(0)));
  assert.match(
    status.message,
    /stage small\.forward: it needs \d+ bytes of workspace; .* allows 8/,
  );
  const enough = prepare({ prepare: declaring('workspace_limit(first, 65536)') });
  assert.is(compileStage(enough.compileStage(0)).reflection.roots.length, 2);
});

test('equal stages compile once on a thread', () => {
  const plan = prepare();
  assert.is(compileStage(plan.compileStage(0)), compileStage(prepare().compileStage(0)));
  const other = prepare({ prepare: declaring('config_i64(first, "small.scale", 2)') });
  assert.is.not(compileStage(plan.compileStage(0)), compileStage(other.compileStage(0)));
});

test('task inputs and what they give cross threads', () => {
  const plan = prepare();
  const input = structuredClone(plan.compileStage(0));
  assert.equal(compileStage(input).reflection, compileStage(plan.compileStage(0)).reflection);
  structuredClone(plan.compileControl);
});

test('a package that was copied elsewhere prepares to the same plan', () => {
  const folder = mkdtempSync(join(tmpdir(), 'relocated-'));
  try {
    for (const part of ['first-output', 'embedding', 'motifs']) {
      cpSync(join(repositoryRoot, 'models', part), join(folder, part), { recursive: true });
    }
    for (const name of ['first-output', 'embedding']) {
      const { document } = modelPackage(name);
      const place = (base: string) => preparePackage({ base, document, packageRoots: [] });
      const here = place(join(repositoryRoot, 'models', name));
      const there = place(join(folder, name));
      assert.equal(there.sources, here.sources);
      assert.equal(there.state, here.state);
      assert.equal(there.stages, here.stages);
    }
    const alone = new DiskFiles(join(folder, 'first-output'), [join(folder, 'first-output')]);
    prepareFiles(modelPackage('first-output').document, alone, localFacts());
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.run();
