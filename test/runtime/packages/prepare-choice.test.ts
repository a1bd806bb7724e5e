import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError, toStatus } from '../../../runtime/base/errors.js';
import type { StageDeclaration } from '../../../runtime/packages/artefacts.js';
import { compileStage } from '../../../runtime/packages/compile-stage.task.js';
import { prepareChoice } from '../../../runtime/packages/prepare-choice.js';
import type { Choice, ChoiceModel, ChoicePlan } from '../../../runtime/packages/prepare-choice.js';
import { prepareFiles } from '../../../runtime/packages/prepare-package.js';
import { localFacts } from '../../../runtime/hal/local/local-facts.js';
import {
  carryOut,
  checkpoint,
  weightedPackage,
  wholePolicy,
  wholeTensors,
} from './weighted-package.js';

const cold = `let net = source(root, "net.safetensors")
let first = stage(@forward, 0)
parameter(first, 0, 0, net, @whole)
let second = stage(@other, 1)
parameter(second, 0, 0, net, @head)
parameter(second, 1, 0, net, @whole)`;
const contents = {
  'net.safetensors': checkpoint(wholeTensors()),
  'tuned.safetensors': checkpoint(wholeTensors(1000)),
};

function generation(declare = cold, policies = wholePolicy) {
  const { document, files } = weightedPackage({ declare, policies, files: contents });
  const plan = prepareFiles(document, files, localFacts());
  const model: ChoiceModel = {
    document,
    sources: plan.sources,
    bindings: plan.bindings,
    facts: plan.facts,
    limits: plan.limits,
    stages: plan.stages.map((declaration, ordinal) => {
      const { reflection } = compileStage(plan.compileStage(ordinal));
      return { declaration, reflection };
    }),
    stageBanks: plan.parameters.stageBanks,
    indexes: plan.parameters.indexes,
  };
  return { plan, model, files };
}

type Row = [binding: number, source: number, policy: string];

function stage(
  name: string,
  rows: Row[] = [],
  change: Partial<StageDeclaration> = {},
): StageDeclaration {
  return {
    kind: 'command',
    symbol: { name: `w.${name}`, args: [] },
    tag: 0n,
    config: [],
    workspaceLimitBytes: null,
    parameters: rows.map(([binding, source, policy]) => {
      return { binding, input: 0, source, policy: { name: `w.policies.${policy}`, args: [] } };
    }),
    ...change,
  };
}

const source = (...paths: string[]) => ({ files: paths.map((path) => ({ directory: '.', path })) });

function choose(choice: Partial<Choice>, { model, files } = generation()): ChoicePlan {
  return prepareChoice(
    structuredClone(model),
    { stages: [], sources: [], ...structuredClone(choice) },
    files,
  );
}

function refusal(choice: Partial<Choice>, from = generation()): string {
  try {
    choose(choice, from);
  } catch (error) {
    assert.instance(error, StatusError);
    return toStatus(error).message;
  }
  throw new Error('the choice was accepted');
}

test('a choice that declares no parameters keeps the cold banks', () => {
  const narrow = { config: [['w.width', '4']] as const, tag: 9n };
  const plan = choose({ stages: [stage('forward', [], narrow), stage('bare'), stage('other')] });
  assert.equal(plan.stageBanks, [[0], [], [1, 0]]);
  assert.equal([plan.sources, plan.indexes, plan.banks, plan.loaders], [[], [], [], []]);
});

test('an own checkpoint is a bank of its own, after the cold ones', () => {
  const from = generation();
  const plan = choose(
    { stages: [stage('forward', [[0, 1, 'whole']])], sources: [source('tuned.safetensors')] },
    from,
  );
  assert.equal(plan.stageBanks, [[2]]);
  assert.equal(
    plan.sources[0]!.files.map((file) => file.name),
    ['tuned.safetensors'],
  );
  assert.is(plan.indexes.length, 1);
  const [bank] = plan.banks;
  assert.ok(!from.plan.parameters.banks.some((each) => each.key === bank!.key));
  const whole = { ...from.plan, parameters: { ...from.plan.parameters, loaders: plan.loaders } };
  const files = Object.values(contents).map((bytes) => [bytes]);
  const norm = carryOut(whole, bank!, files).get('norm')!;
  assert.equal([...new Float32Array(norm.slice().buffer)], [1001, 1002, 1003, 1004]);
  assert.equal(
    plan.loaders.map((each) => each.id),
    from.plan.parameters.loaders.map((each) => each.id),
  );
});

test('a declaration that a cold stage has made finds its bank again', () => {
  const stages = [stage('forward', [[0, 0, 'whole']]), stage('other', [[0, 0, 'head']])];
  const plan = choose({ stages });
  assert.equal(plan.stageBanks, [[0], [1, 0]]);
  const again = choose({
    stages: [stage('forward', [[0, 1, 'whole']])],
    sources: [source('net.safetensors')],
  });
  assert.equal(again.stageBanks, [[0]]);
  assert.equal(again.banks, []);
});

test('stages of one choice share what they declare alike', () => {
  const plan = choose({
    stages: [
      stage('forward', [[0, 2, 'whole']]),
      stage('other', [
        [0, 2, 'head'],
        [1, 1, 'whole'],
      ]),
    ],
    sources: [source('tuned.safetensors'), source('./tuned.safetensors')],
  });
  assert.equal(plan.stageBanks, [[2], [3, 2]]);
  assert.is(plan.banks.length, 2);
});

test('cold parameters for new fields are told apart by the fields, or refused', () => {
  const wide = { config: [['w.width', '8']] as const };
  assert.match(
    refusal({ stages: [stage('forward', [], wide)] }),
    /stage w\.forward: binding 0 \(net\) declares no parameters, and no cold bank has its fields/,
  );
  assert.match(
    refusal({ stages: [stage('forward', [[0, 0, 'whole']], wide)] }),
    /stages w\.forward \(bank net\) and w\.forward \(bank net\) share .*norm: f32\[4\] there, norm: f32\[8\] here/,
  );
});

test('of several cold banks with equal fields the one of the same root counts, else it is an error', () => {
  const declare = `let net = source(root, "net.safetensors")
let first = stage(@forward, 0)
parameter(first, 0, 0, net, @whole)
let second = stage(@other, 1)
parameter(second, 0, 0, net, @head)
parameter(second, 1, 0, net, @again)`;
  const policies = `${wholePolicy}func.def export again() { whole() }\n`;
  const from = generation(declare, policies);
  assert.equal(from.plan.parameters.stageBanks, [[0], [1, 2]]);
  assert.equal(choose({ stages: [stage('other'), stage('forward')] }, from).stageBanks, [
    [1, 2],
    [0],
  ]);
  const twice = generation(
    `${declare}
let third = stage(@forward, 2)
parameter(third, 0, 0, net, @again)`,
    policies,
  );
  assert.match(
    refusal({ stages: [stage('forward')] }, twice),
    /stage w\.forward: binding 0 \(net\) declares no parameters, and 2 cold banks have its fields/,
  );
});

test('what is wrong with a choice is told, and says of which source or stage', () => {
  const rows: [choice: Partial<Choice>, expected: RegExp][] = [
    [{ sources: [source('lost.gguf')] }, /source 1: no parameter file "\.\/lost\.gguf"/],
    [{ sources: [source('net.safetensors', 'kernel.loom')] }, /source 1: kernel\.loom: format/],
    [{ stages: [stage('lost')] }, /stage w\.lost: prepare\.stage takes a command/],
    [
      { stages: [stage('forward', [[1, 0, 'whole']])] },
      /stage w\.forward: binding 1, input 0: there is no such bank/,
    ],
    [{ stages: [stage('other', [[0, 0, 'lost']])] }, /w\.policies\.lost.* is not defined/],
    [
      { stages: [stage('forward', [], { config: [['w.widths', '1']] })] },
      /stage w\.forward: .*'w\.widths'/,
    ],
  ];
  for (const [choice, expected] of rows) assert.match(refusal(choice), expected);
});

test.run();
