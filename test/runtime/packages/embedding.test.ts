import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkPackage } from '../../../runtime/packages/check-package.js';
import { Tokenizer } from '../../../runtime/tokenizer/tokenizer.js';
import { embeddingBound, embeddingOracle } from '../../oracles/embedding.js';
import { ids, modelPackage, ReferenceModel, text } from './reference-model.js';

const { document, files } = modelPackage('embedding');
const model = new ReferenceModel(document, files);
const tokenizer = new Tokenizer(files.read('tokenizer.json'), 'tokenizer.json');

function tokensOf(words: string): number[] {
  const { ids: found, count } = tokenizer.encode(words, 4, 512);
  return [...found.subarray(0, count)];
}

function assertNear(row: Float32Array, expected: Float32Array): void {
  assert.is(row.length, expected.length);
  row.forEach((value, at) => {
    const distance = Math.abs(value - expected[at]!);
    assert.ok(distance <= embeddingBound, `value ${at}: ${value} instead of ${expected[at]}`);
  });
}

const bits = (row: Float32Array) => [...new Uint32Array(row.buffer)];

test('ragged texts give what the oracle says', () => {
  const words = ['the station', 'a', 'žluťoučký kůň pěl ďábelské ódy', ' '];
  const rows = model.run(words.map((each) => model.prepare(text(each))));
  rows.forEach((row, at) => assertNear(row, embeddingOracle(tokensOf(words[at]!))));
});

test('token ids are taken as they are, in any cohort', () => {
  const one = fc.array(fc.integer({ min: 0, max: 319 }), { minLength: 1, maxLength: 24 });
  const cohort = fc.array(fc.record({ tokens: one, dimensions: fc.integer({ min: 1, max: 32 }) }), {
    minLength: 1,
    maxLength: 6,
  });
  fc.assert(
    fc.property(cohort, (members) => {
      const rows = model.run(
        members.map(({ tokens, dimensions }) => model.prepare(ids(...tokens), dimensions)),
      );
      members.forEach(({ tokens, dimensions }, at) => {
        assertNear(rows[at]!, embeddingOracle(tokens, dimensions));
      });
    }),
    { numRuns: 12 },
  );
});

test('a row has the same bits alone, packed, in another order and in a larger stage', () => {
  const words = ['one', 'two of them', 'three and then some more words', 'four'];
  const prepared = words.map((each) => model.prepare(text(each)));
  const alone = prepared.map((member) => bits(model.run([member])[0]!));
  const packed = model.run(prepared).map(bits);
  const reversed = model
    .run([...prepared].reverse())
    .map(bits)
    .reverse();
  const filler = model.prepare(ids(...Array.from({ length: 200 }, (_, at) => at)));
  const crowded = model
    .run([...prepared, filler])
    .map(bits)
    .slice(0, words.length);
  assert.equal(packed, alone);
  assert.equal(reversed, alone);
  assert.equal(crowded, alone);
});

test('a cohort beyond the cold stage declares one for its extent, and equal extents share it', () => {
  const fresh = new ReferenceModel(document, files);
  const of = (count: number) => fresh.prepare(ids(...Array.from({ length: count }, () => 7)));
  fresh.run([of(64)]);
  assert.equal(fresh.specialized, []);
  fresh.run([of(65)]);
  fresh.run([of(100), of(28)]);
  fresh.run([of(129)]);
  const [first, second, third] = fresh.specialized;
  assert.is(fresh.specialized.length, 3);
  assert.is(first, second);
  assert.is.not(first, third);
});

test('rows have length one, whatever the dimensions', () => {
  for (const dimensions of [1, 5, 31, 32]) {
    const [row] = model.run([model.prepare(text('of length one'), dimensions)]);
    assert.is(row!.length, dimensions);
    const length = Math.hypot(...row!);
    assert.ok(Math.abs(length - 1) < 1e-6, `length ${length}`);
  }
});

test('what no request may ask is refused', () => {
  const refused = (action: () => unknown, expected: RegExp) => assert.throws(action, expected);
  refused(() => model.prepare(text('')), /the input is empty/);
  refused(() => model.prepare(text('a'), 33), /'dimensions' is 33; an integer from 1 to 32/);
  refused(() => model.prepare(text('a'), 1.5), /'dimensions' is 1\.5/);
  refused(() => model.prepare(ids(3, 320)), /token 1 of the input is 320; ids from 0 to 319/);
  refused(() => model.prepare(text('x'.repeat(600))), /more than 512 tokens/);
  refused(() => model.prepare(ids(...new Array<number>(513).fill(1))), /more than 512 tokens/);
  assert.is(model.prepare(ids(...new Array<number>(512).fill(1))).units, 512);
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
  assert.ok(items.length >= 10);
});

test.run();
