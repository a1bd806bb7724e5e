/** What `prepare_batch` may declare and read of checkpoints, as a model's thread sees it. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError, toStatus } from '../../../runtime/base/errors.js';
import { ReferenceModel, text } from './reference-model.js';
import { smallControl } from './small-package.js';
import {
  checkpoint,
  prepareImports,
  weightedPackage,
  weightsImports,
  wholeTensors,
} from './weighted-package.js';

const cold = `let first = stage(@forward, 0)
let weights = source(root, "net")
parameter(first, 0, 0, weights, @whole)`;

/** The small control program with these lines at the start of prepare_batch. */
function modelOf(lines: string): ReferenceModel {
  const imports = `${prepareImports}${weightsImports}`;
  const control = smallControl
    .replace('library small.control', `library w.control\nuse w\nuse w.policies\n${imports}`)
    .replace('let members', `${lines}\n  let members`);
  const { document, files } = weightedPackage({
    declare: cold,
    control,
    files: { net: checkpoint(wholeTensors()) },
  });
  return new ReferenceModel(document, files);
}

function batchOf(lines: string) {
  const model = modelOf(lines);
  return model.control.prepareBatch([model.prepare(text('a'))]);
}

function refusal(lines: string) {
  try {
    batchOf(lines);
  } catch (error) {
    assert.instance(error, StatusError);
    return toStatus(error);
  }
  throw new Error('it was accepted');
}

test('own stages, sources and parameters are recorded after the cold ones', () => {
  const { declared } = batchOf(`let own = stage(@other, 5)
  let tuned = source("", "tuned")
  source_append(tuned, "", "more")
  parameter(own, 0, 0, tuned, @head)
  parameter(own, 1, 0, 0, @whole)`);
  assert.is(declared.length, 1, 'all of it is one choice');
  const choice = declared[0]!.choice!;
  assert.equal(choice.sources, [
    {
      files: [
        { directory: '', path: 'tuned' },
        { directory: '', path: 'more' },
      ],
    },
  ]);
  assert.equal(choice.stages[0]!.parameters, [
    { binding: 0, input: 0, source: 1, policy: { name: 'w.policies.head', args: [] } },
    { binding: 1, input: 0, source: 0, policy: { name: 'w.policies.whole', args: [] } },
  ]);
  assert.equal(structuredClone(choice), choice);
  assert.is(declared[0]!.tasks.length, 1);
});

test('equal declarations have equal keys; other files have others', () => {
  const keyOf = (path: string) =>
    batchOf(`let own = stage(@other, 5)
  let tuned = source("", "${path}")
  parameter(own, 0, 0, tuned, @head)
  parameter(own, 1, 0, tuned, @whole)`).declared[0]!.key;
  assert.is(keyOf('a'), keyOf('a'));
  assert.is.not(keyOf('a'), keyOf('b'));
});

test('stages without parameters are compiled one by one and need no preparation', () => {
  const { declared } = batchOf('let a = stage(@other, 5)\n  let b = stage(@forward, 6)');
  assert.equal(
    declared.map(({ choice, tasks }) => [choice, tasks.length]),
    [
      [null, 1],
      [null, 1],
    ],
  );
  const sourceAlone = batchOf('let tuned = source("", "tuned")').declared;
  assert.equal([sourceAlone.length, sourceAlone[0]!.tasks.length], [1, 0]);
});

test('a choice is all that was declared: stages, parameters and files, in order', () => {
  const keyOf = (lines: string) => batchOf(lines).declared[0]!.key;
  const base = 'let own = stage(@forward, 5)\n  let tuned = source("", "a")\n';
  const keys = [
    base,
    `${base}parameter(own, 0, 0, tuned, @whole)`,
    `${base}parameter(own, 0, 0, 0, @whole)`,
    `${base}let more = stage(@other, 5)`,
    `let more = stage(@other, 5)\n${base}`,
    `${base}source_append(tuned, "", "b")`,
    `${base}let second = source("", "b")`,
    `let second = source("", "b")\n${base}`,
  ].map(keyOf);
  assert.is(new Set(keys).size, keys.length);
  for (const key of keys) assert.match(key, /^[0-9a-f]{32}$/);
});

test('cold sources can be read and not changed; nothing is placed', () => {
  batchOf('require(count(0) == 6 && dim(find(0, "q"), 1) == 4, "read")');
  const rows: [lines: string, expected: RegExp][] = [
    ['source_append(0, "", "more")', /source_append to source 0: it is prepared already/],
    ['let x = count(1)', /source 1: the package declared sources 0 to 0/],
    [
      'copy("norm", 0, find(0, "norm"), 0, 1)',
      /weights\.copy: parameters are placed by policies only/,
    ],
    ['let x = asset("net.json")', /files are read by the entry 'prepare' only/],
    [
      'parameter(0, 0, 0, 0, @whole)',
      /binding 0, input 0\) of stage 0: that stage is prepared already/,
    ],
  ];
  for (const [lines, expected] of rows) {
    const status = refusal(lines);
    assert.match(status.message, expected);
    assert.match(status.where!, /^control\.loom:\d+:\d+$/);
  }
});

test.run();
