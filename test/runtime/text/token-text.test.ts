/** Text of tokens one by one, against the tokenizer's text of all of them at once. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TokenText } from '../../../runtime/text/token-text.js';
import type { Tokenizer } from '../../../runtime/tokenizer/tokenizer.js';
import { byteTokens, decode, tokenizerOf } from '../tokenizer/tokenizer-files.js';

const vocabularyOf = (tokens: readonly string[]): Record<string, number> =>
  Object.fromEntries(tokens.map((token, id) => [token, id]));

/** The letters that byte-level files write bytes with. */
const isPrinted = (byte: number): boolean =>
  (byte > 32 && byte < 127) || (byte > 160 && byte < 173) || byte > 173;
const unprinted = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => !isPrinted(byte));
const byteLetters = Array.from({ length: 256 }, (_, byte) =>
  String.fromCodePoint(isPrinted(byte) ? byte : 256 + unprinted.indexOf(byte)),
);
const letterOf = (bytes: Iterable<number>): string =>
  [...bytes].map((byte) => byteLetters[byte]!).join('');
const parts = [' the', 'é', '中', '🦊', '🦊🦊'].map((text) => new TextEncoder().encode(text));
/** Pieces that begin and end in the middle of characters. */
const split = [...parts.slice(2), Uint8Array.of(0x8a, 0xf0), Uint8Array.of(0x9f, 0xa6, 0x41)];

const special = { id: 300, content: '<|end|>', special: true, normalized: false };

const byteLevel = tokenizerOf({
  added_tokens: [special, { id: 301, content: 'added', special: false }],
  decoder: { type: 'ByteLevel' },
  model: {
    type: 'BPE',
    merges: [],
    vocab: vocabularyOf(
      [
        ...byteLetters,
        ...parts.map(letterOf),
        ...split.flatMap((part) => [letterOf(part.slice(0, 2)), letterOf(part.slice(1))]),
      ].filter((token, at, all) => all.indexOf(token) === at),
    ),
  },
});

const byteFallback = tokenizerOf({
  added_tokens: [special],
  decoder: {
    type: 'Sequence',
    decoders: [
      { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
      { type: 'Strip', content: ' ', start: 1, stop: 0 },
    ],
  },
  model: {
    type: 'BPE',
    merges: [],
    byte_fallback: true,
    vocab: vocabularyOf([...byteTokens, '▁', '▁▁', '▁a', 'b', '中', '\ufeff', 'c▁d']),
  },
});

const wordPiece = tokenizerOf({
  added_tokens: [special],
  decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
  model: { type: 'WordPiece', vocab: vocabularyOf(['[UNK]', 'hello', '##s', '.', ',', "'", '中']) },
});

const metaspace = tokenizerOf({
  added_tokens: [special],
  decoder: { type: 'Metaspace', replacement: '▁' },
  model: {
    type: 'Unigram',
    unk_id: 0,
    vocab: ['<unk>', '▁', '▁one', 'two', '▁▁', '🦊'].map((piece) => [piece, -1]),
  },
});

const marked = tokenizerOf({
  added_tokens: [special],
  decoder: { type: 'BPEDecoder', suffix: '</w>' },
  model: {
    type: 'BPE',
    merges: [],
    end_of_word_suffix: '</w>',
    vocab: vocabularyOf(['a', 'b</w>', 'c</w>', '🦊']),
  },
});

const lone = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

interface Case {
  readonly name: string;
  readonly tokenizer: Tokenizer;
  readonly ids: number;
}

const cases: readonly Case[] = [
  { name: 'byte level', tokenizer: byteLevel, ids: 269 },
  { name: 'byte fallback', tokenizer: byteFallback, ids: 263 },
  { name: 'word pieces', tokenizer: wordPiece, ids: 7 },
  { name: 'blanks as marks', tokenizer: metaspace, ids: 6 },
  { name: 'marked ends of words', tokenizer: marked, ids: 4 },
];

/** Mostly bytes that make and break characters, so that few are whole by accident. */
const idsBelow = (count: number): fc.Arbitrary<number> =>
  fc.oneof(
    { weight: 4, arbitrary: fc.nat(count - 1) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(...[0xe4, 0xb8, 0xad, 0xf0, 0x9f, 0xff].map((id) => id % count)),
    },
    { weight: 1, arbitrary: fc.integer({ min: Math.max(0, count - 13), max: count - 1 }) },
    { weight: 1, arbitrary: fc.constantFrom(300, 999) },
  );

for (const { name, tokenizer, ids } of cases) {
  test(`${name}: the pieces make the text of the whole, in whole characters`, () => {
    fc.assert(
      fc.property(fc.array(idsBelow(ids), { maxLength: 24, size: 'max' }), (tokens) => {
        const text = new TokenText(tokenizer);
        const pieces = tokens.map((id) => text.push(id));
        const known = tokens.filter((id) => id !== 999);
        const whole = decode(tokenizer, known, 1);
        assert.is(pieces.join('') + text.end(), whole, JSON.stringify(tokens));
        for (const piece of pieces) assert.not.match(piece, lone);
      }),
      { numRuns: 1500 },
    );
  });
}

test('a character is said when its last byte has come, and never in parts', () => {
  const text = new TokenText(byteLevel);
  const said = [...new TextEncoder().encode('a🦊é')].map((byte) => text.push(byte));
  assert.equal(said, ['a', '', '', '', '🦊', '', 'é']);
});

test('bytes that will never be a character are said soon, and cost no more for being many', () => {
  const text = new TokenText(byteFallback);
  let said = '';
  for (let index = 1; index <= 20_000; index++) {
    said += text.push(0xff);
    assert.ok(said.length >= index - 1);
  }
  assert.is((said + text.end()).length, 20_000);
});

test('text that goes on from another keeps its blank, and finishes its character', () => {
  assert.is(new TokenText(byteFallback).push(258), 'a');
  assert.is(new TokenText(byteFallback, [259]).push(258), ' a');
  const open = new TokenText(byteLevel, [0x61, 0xe4, 0xb8]);
  assert.is(open.push(0xad), '中');
});

test('a token by itself has a text, special or not; an unknown one has none', () => {
  assert.is(byteLevel.tokenText(300), '<|end|>');
  assert.is(byteLevel.tokenText(0x61), 'a');
  assert.is(byteLevel.tokenText(999), '');
  assert.equal(
    [byteLevel.hasText(300), byteLevel.hasText(301), byteLevel.hasText(999)],
    [false, true, false],
  );
});

test.run();
