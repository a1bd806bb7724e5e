import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkPackage } from '../../../runtime/packages/check-package.js';
import { lookupBound, lookupCheckpoints, lookupOracle, vocabulary } from '../../oracles/lookup.js';
import { ids, modelPackage, ReferenceModel, text } from './reference-model.js';
import { repositoryRoot } from './repository-root.js';

test('the checkpoints are those that the oracle writes', () => {
  for (const [name, bytes] of lookupCheckpoints()) {
    const path = join(repositoryRoot, 'models/lookup', name);
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(path, bytes);
    assert.ok(readFileSync(path).equals(bytes), name);
  }
});

const { document, files } = modelPackage('lookup');
const model = new ReferenceModel(document, files);
const bits = (row: Float32Array) => [...new Uint32Array(row.buffer)];

function assertNear(row: Float32Array, expected: Float32Array): void {
  assert.is(row.length, expected.length);
  row.forEach((value, at) => {
    const distance = Math.abs(value - expected[at]!);
    assert.ok(distance <= lookupBound, `value ${at}: ${value} instead of ${expected[at]}`);
  });
}

test('nothing of the tables is resident', () => {
  assert.equal(model.plan.parameters.banks, []);
  assert.is(model.plan.parameters.sources.length, 2);
});

test('any ids give what the oracle says', () => {
  const one = fc.array(fc.integer({ min: 0, max: vocabulary - 1 }), {
    minLength: 1,
    maxLength: 30,
  });
  fc.assert(
    fc.property(fc.array(one, { minLength: 1, maxLength: 8 }), (members) => {
      const rows = model.run(members.map((tokens) => model.prepare(ids(...tokens))));
      members.forEach((tokens, at) => assertNear(rows[at]!, lookupOracle(tokens)));
    }),
    { numRuns: 15 },
  );
});

test('a row has the same bits alone, in company, in another order and in the larger stage', () => {
  const members = [[1, 2, 3], [3], [900, 1, 2, 3, 1023], [7, 7, 7, 0]].map((tokens) =>
    model.prepare(ids(...tokens)),
  );
  const alone = members.map((member) => bits(model.run([member])[0]!));
  assert.equal(model.run(members).map(bits), alone);
  assert.equal(
    model
      .run([...members].reverse())
      .map(bits)
      .reverse(),
    alone,
  );
  const filler = model.prepare(ids(...Array.from({ length: 100 }, (_, at) => 1000 - at)));
  assert.equal(
    model
      .run([filler, ...members])
      .map(bits)
      .slice(1),
    alone,
  );
});

test('each row of a cohort is read once, and both reads are in flight before the first join', () => {
  const members = [[5, 6, 7, 5], [4, 900], [5]].map((tokens) => model.prepare(ids(...tokens)));
  const plan = model.control.prepareBatch(members);
  const submission = model.control.run(plan, 'invocation/reads');
  const order = submission.commands.map((command) => command.op);
  assert.equal(order, ['gather', 'gather', 'join', 'execute', 'join', 'execute']);
  const lengths = submission.commands.flatMap((command) => {
    if (command.op !== 'gather') return [];
    const { offset, length } = command.descriptors;
    const words = new BigUint64Array(plan.upload.slice(offset, offset + length).buffer);
    const read = [...words].filter((value, at) => at % 3 === 2 && value > 0n);
    return [[command.entry.source, read.length]];
  });
  // Coarse rows 1 and 225; fine rows 4, 5, 6, 7 and 900.
  assert.equal(lengths, [
    [0, 2],
    [1, 5],
  ]);
});

test('what no request may ask is refused', () => {
  assert.throws(() => model.prepare(ids(3, vocabulary)), /token 1 of the input is 1024/);
  assert.throws(() => model.prepare(text('x'.repeat(700))), /more than 128 tokens/);
  assert.is(model.prepare(ids(...new Array<number>(128).fill(1))).units, 128);
});

test('every check of the package passes', async () => {
  const items = await checkPackage({
    document,
    files,
    infer: model.infer,
    pause: async () => undefined,
  });
  assert.equal(
    items.filter((item) => item.outcome !== 'passed'),
    [],
  );
  assert.ok(items.length >= 6);
});

test.run();
