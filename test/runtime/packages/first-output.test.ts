import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { toStatus } from '../../../runtime/base/errors.js';
import { checkPackage } from '../../../runtime/packages/check-package.js';
import { firstOutputOracle } from '../../oracles/first-output.js';
import { ids, modelPackage, ReferenceModel, text } from './reference-model.js';

const { document, files } = modelPackage('first-output');
const model = new ReferenceModel(document, files);

const direct = new ReferenceModel(
  { ...document, definition: { ...document.definition, options: { direct: true } } },
  files,
);

const answer = (on: ReferenceModel, ...inputs: string[]) =>
  on.run(inputs.map((words) => on.prepare(text(words))));

test('a text gives what its definition says', () => {
  assert.equal(answer(model, 'abc'), [firstOutputOracle('abc')]);
  assert.is(answer(model, 'a')[0]![0], 97 / 256);
});

test('both variants equal the oracle in any cohort, bit for bit', () => {
  const inputs = fc.array(fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }), {
    minLength: 1,
    maxLength: 20,
  });
  fc.assert(
    fc.property(inputs, (words) => {
      const expected = words.map(firstOutputOracle);
      assert.equal(answer(model, ...words), expected);
      assert.equal(answer(direct, ...words), expected);
    }),
    { numRuns: 25 },
  );
});

test('the longest input stays exact', () => {
  const words = '\u007f'.repeat(4096);
  assert.equal(answer(model, words), [firstOutputOracle(words)]);
});

test('the direct variant declares a kernel, the other a command program', () => {
  const shape = (on: ReferenceModel) =>
    on.plan.stages.map((stage) => `${stage.kind} ${stage.symbol.name}`);
  assert.equal(shape(model), ['command first_output.forward']);
  assert.equal(shape(direct), ['direct first_output.direct']);
});

test('rows lie in reverse with padding between, and only rows are read back', () => {
  const members = ['x', 'y', 'z'].map((words) => model.prepare(text(words)));
  const { result } = model.control.prepareBatch(members);
  assert.equal(
    result.members.map(([row]) => row!.offset),
    [96, 48, 0],
  );
  assert.is(result.physicalBytes, 144);
  assert.is(result.liveBytes, 128);
  assert.equal(
    result.snapshot.map(({ length }) => length),
    [32, 32, 32],
  );
});

test('units are bytes', () => {
  assert.is(model.prepare(text('abc')).units, 3);
  assert.is(model.prepare(text('🐎')).units, 4);
});

test('inputs that are empty, too long or no text are refused with limit and size', () => {
  const refusal = (action: () => unknown) => {
    try {
      action();
    } catch (error) {
      return toStatus(error);
    }
    throw new Error('it was accepted');
  };
  const empty = refusal(() => model.prepare(text('')));
  assert.is(empty.code, 'invalidArgument');
  assert.match(empty.message, /the input is empty; 1 to 4096 bytes/);
  const long = refusal(() => model.prepare(text('x'.repeat(4097))));
  assert.match(long.message, /4097 bytes; at most 4096/);
  assert.match(long.where!, /^control\.loom:\d+:\d+$/);
  assert.match(refusal(() => model.prepare(ids(1))).message, /reads text/);
  const sized = refusal(() => model.prepare(text('a'), 4));
  assert.is(sized.param, 'dimensions');
  assert.is(model.prepare(text('x'.repeat(4096))).units, 4096);
});

test('every check of the package passes on both variants', async () => {
  for (const on of [model, direct]) {
    const items = await checkPackage({
      document,
      files,
      infer: on.infer,
      pause: async () => undefined,
    });
    assert.equal(
      items.filter((item) => item.outcome !== 'passed'),
      [],
    );
    const kinds = items.map((item) => item.kind);
    assert.is(kinds.filter((kind) => kind === 'function').length, 2);
    assert.is(kinds.filter((kind) => kind === 'case').length, 4);
    assert.is(kinds.filter((kind) => kind === 'scenario').length, 2);
  }
});

test.run();
