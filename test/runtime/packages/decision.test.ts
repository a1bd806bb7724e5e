import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkPackage } from '../../../runtime/packages/check-package.js';
import type { Question } from '../../../runtime/profiles/decisions.js';
import { decisionBound, decisionOracle } from '../../oracles/decision.js';
import { modelPackage, ReferenceModel } from './reference-model.js';

const { document, files } = modelPackage('decision');
const model = new ReferenceModel(document, files);

const words = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 });
const asked = { text: words, context: fc.oneof(words, fc.constant('')) };
const questions = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant('yes_no' as const), ...asked }),
    fc.record({
      kind: fc.constant('choice' as const),
      ...asked,
      labels: fc.uniqueArray(words, { minLength: 1, maxLength: 12 }),
    }),
    fc
      .record({ ...asked, min: fc.integer({ min: -99, max: 99 }), steps: fc.nat({ max: 62 }) })
      .map(({ steps, ...one }) => ({ kind: 'score' as const, ...one, max: one.min + steps + 1 })),
  ),
  { minLength: 1, maxLength: 7 },
);

const run = (asks: readonly Question[]) => model.infer({ profile: 'decisions', questions: asks });
const bits = (row: Float32Array) => [...new Uint32Array(row.buffer)];

test('distributions of every kind are those of the oracle and add up to one', async () => {
  await fc.assert(
    fc.asyncProperty(questions, async (asks) => {
      const rows = await run(asks);
      rows.forEach((row, index) => {
        const expected = decisionOracle(asks[index]!);
        assert.is(row.length, expected.length);
        row.forEach((value, at) => assert.ok(Math.abs(value - expected[at]!) <= decisionBound));
        const sum = row.reduce((total, value) => total + value, 0);
        assert.ok(Math.abs(sum - 1) <= 1e-6);
      });
    }),
    { numRuns: 25 },
  );
});

test('a distribution has the same bits alone, packed and in another order', async () => {
  await fc.assert(
    fc.asyncProperty(questions, async (asks) => {
      const packed = (await run(asks)).map(bits);
      const reversed = (await run([...asks].reverse())).map(bits).reverse();
      const alone: number[][] = [];
      for (const ask of asks) alone.push(bits((await run([ask]))[0]!));
      assert.equal(packed, alone);
      assert.equal(reversed, alone);
    }),
    { numRuns: 10 },
  );
});

test('what the package cannot hold is refused with limit, question and knob', async () => {
  const good: Question = { kind: 'yes_no', text: 'is it?', context: '' };
  const refused = async (asks: readonly Question[], expected: RegExp) => {
    const outcome = await run(asks).then(
      () => null,
      (error: Error) => error,
    );
    assert.match(outcome?.message ?? 'answered', expected);
  };
  const wide: Question = { kind: 'score', text: 'how?', context: '', min: 0, max: 64 };
  const long: Question = { ...good, context: 'x'.repeat(4096) };
  await refused([wide], /has 65 answers; at most 64 .*decision\.question_answers/);
  await refused([good, long], /questions\[1\]: .* has 4107 bytes .*at most 4096 .*question_bytes/);
});

test('every check of the package passes', async () => {
  const items = await checkPackage({
    document,
    files,
    infer: model.infer,
    pause: async () => undefined,
  });
  const failed = items.filter((item) => item.outcome !== 'passed');
  assert.equal(failed, []);
  assert.ok(items.length >= 13);
});

test.run();
