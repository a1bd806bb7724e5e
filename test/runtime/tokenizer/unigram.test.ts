import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { markBlanks, unigramModel, unigramOracle } from '../../oracles/unigram.js';
import {
  byteTokens,
  decode,
  encode,
  sixteenths,
  tokenizerOf,
  withSpecial,
} from './tokenizer-files.js';

type Row = [string, number];
const reserved: Row[] = [
  ['<unk>', 0],
  ['<s>', 0],
  ['</s>', 0],
];
const marked = {
  type: 'Sequence',
  normalizers: [
    { type: 'NFKC' },
    { type: 'Prepend', prepend: '▁' },
    { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
  ],
};
const special = [1, 2].map((id) => ({ id, content: reserved[id]![0], special: true }));

function fileOf(rows: readonly Row[], extra: object = {}): object {
  const model = { type: 'Unigram', unk_id: 0, vocab: [...reserved, ...rows] };
  return { normalizer: marked, added_tokens: special, model, ...extra };
}

const letters = fc.constantFrom('a', 'b', 'c', '▁', 'é', '😀', '漢');
const pieces = fc.string({ unit: letters, minLength: 1, maxLength: 5 });
const row = fc.tuple(pieces, fc.nat(400).map(sixteenths));
const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'c', ' ', '  ', 'é', 'e\u0301', '😀', '漢', 'ｂ', '☃', '\t'),
  maxLength: 40,
});

test('the cut with the largest sum, for any vocabulary and text', () => {
  fc.assert(
    fc.property(fc.array(row, { minLength: 1, maxLength: 25 }), text, (rows, input) => {
      const model = unigramModel([...reserved, ...rows], reserved.length);
      const expected = unigramOracle(model, markBlanks(input));
      assert.equal(encode(tokenizerOf(fileOf(rows)), input), expected);
    }),
    { numRuns: 1500 },
  );
});

test('every capacity gives the first ids of the whole', () => {
  const rows: Row[] = [
    ['a', -1],
    ['ab', -1.5],
    ['b', -2],
    ['▁', -1],
    ['bab', -2],
    ['▁a', -1.25],
  ];
  const tokenizer = tokenizerOf(fileOf(rows));
  fc.assert(
    fc.property(text, fc.nat(30), (input, capacity) => {
      const whole = encode(tokenizer, input);
      assert.equal(encode(tokenizer, input, { capacity }), whole.slice(0, capacity));
    }),
    { numRuns: 500 },
  );
});

test('each call starts at the start of a text: one mark in front, however the last one ended', () => {
  const tokenizer = tokenizerOf(
    fileOf([
      ['▁a', -1],
      ['a', -2],
      ['▁', -3],
    ]),
  );
  assert.equal(encode(tokenizer, 'a'), [3]);
  assert.equal(encode(tokenizer, 'a a'), [3, 3]);
  assert.equal(encode(tokenizer, 'a'), [3]);
  assert.equal(encode(tokenizer, ''), []);
  assert.equal(encode(tokenizer, ' a'), [5, 3]);
  assert.equal(encode(tokenizer, '  '), [5, 5, 5]);
});

test('special tokens are found by their name or never', () => {
  const rows: Row[] = ['<', 's', '>', '/', '▁', 'a'].map((piece) => [piece, -5]);
  const tokenizer = tokenizerOf(fileOf(rows));
  assert.equal(encode(tokenizer, '<s>', { flags: 0 }), [1]);
  assert.equal(encode(tokenizer, '<s>'), [7, 3, 4, 5]);
  assert.equal(encode(tokenizer, '<unk>').includes(0), true);
  const template = {
    type: 'TemplateProcessing',
    single: [
      { SpecialToken: { id: '<s>', type_id: 0 } },
      { Sequence: { id: 'A', type_id: 0 } },
      { SpecialToken: { id: '</s>', type_id: 0 } },
    ],
    pair: [],
    special_tokens: {},
  };
  const framed = tokenizerOf(fileOf(rows, { post_processor: template }));
  assert.equal(encode(framed, 'a', { flags: withSpecial }), [1, 7, 8, 2]);
  assert.equal(encode(framed, '', { flags: withSpecial }), [1, 2]);
  assert.equal(encode(framed, 'a', { flags: withSpecial, capacity: 3 }), [1, 7, 8]);
  assert.equal(encode(framed, 'a', { flags: withSpecial, capacity: 0 }), []);
});

test('a run of unknown characters is one token, or their bytes', () => {
  const rows: Row[] = [
    ['▁', -1],
    ['a', -1],
  ];
  assert.equal(encode(tokenizerOf(fileOf(rows)), 'a☃☃😀a☃'), [3, 4, 0, 4, 0]);
  const bytes = byteTokens.map((token): Row => [token, -9]);
  const model = {
    type: 'Unigram',
    unk_id: 0,
    byte_fallback: true,
    vocab: [...reserved, ...rows, ...bytes],
  };
  const tokenizer = tokenizerOf(fileOf([], { model, decoder: { type: 'ByteFallback' } }));
  const snowman = [...new TextEncoder().encode('☃')].map((byte) => 5 + byte);
  assert.equal(encode(tokenizer, '☃a☃'), [3, ...snowman, 4, ...snowman]);
  assert.is(decode(tokenizer, [4, ...snowman]), 'a☃');
});

test('an unknown character costs ten less than the worst piece', () => {
  const rows: Row[] = [
    ['▁', -1],
    ['ab', -15],
    ['cd', -15],
    ['bcd', -0.5],
    ['zz', -25],
  ];
  assert.equal(encode(tokenizerOf(fileOf(rows)), 'abcd'), [3, 4, 5]);
  assert.equal(encode(tokenizerOf(fileOf(rows.slice(0, 4))), 'abcd'), [3, 0, 6]);
});

test('nothing behind the capacity is looked at', () => {
  const model = { type: 'Unigram', unk_id: null, vocab: [['a', -1]] };
  const tokenizer = tokenizerOf({ pre_tokenizer: { type: 'WhitespaceSplit' }, model });
  assert.equal(encode(tokenizer, 'aa ☃', { capacity: 2 }), [0, 0]);
  assert.equal(encode(tokenizer, 'aa☃', { capacity: 2 }), [0, 0]);
  assert.throws(() => encode(tokenizer, 'aa ☃', { capacity: 3 }), /no token/);
});

test('without an unknown token the part is named', () => {
  const model = { type: 'Unigram', unk_id: null, vocab: [['a', -1]] };
  assert.throws(() => encode(tokenizerOf({ model }), 'ab'), /no token for a part of "ab"/);
});

test('a word of a million characters, all pieces or none, is no burden', () => {
  const tokenizer = tokenizerOf(
    fileOf([
      ['a', -1],
      ['aa', -1],
      ['▁', -1],
    ]),
  );
  const long = 'a'.repeat(1_000_001);
  assert.is(tokenizer.encode(long, 8, 2 ** 20).count, 500_002);
  assert.equal(encode(tokenizer, '☃'.repeat(1_000_000)), [5, 0]);
});

test('what leaves nothing after it is emptied has no ids', () => {
  const strip = { type: 'Strip', strip_left: true, strip_right: true };
  const model = { type: 'Unigram', unk_id: 0, vocab: [...reserved, ['a', -1]] };
  assert.equal(encode(tokenizerOf({ normalizer: strip, model }), ' \n\t '), []);
});

test.run();
