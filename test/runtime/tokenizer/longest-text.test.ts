/** How much text an id can stand for: no text has more bytes than its ids allow. */
import fc from '../../properties.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Tokenizer } from '../../../runtime/tokenizer/tokenizer.js';
import { repositoryRoot } from '../packages/repository-root.js';
import { byteTokens, encode, tokenizerOf } from './tokenizer-files.js';

const fileOf = (model: string): Tokenizer =>
  new Tokenizer(readFileSync(join(repositoryRoot, `models/${model}/tokenizer.json`)), model);

const vocab = Object.fromEntries(
  [...byteTokens, '▁', 'a', '▁abcdefgh'].map((token, id) => [token, id]),
);
const byteFallback = {
  normalizer: {
    type: 'Sequence',
    normalizers: [
      { type: 'Prepend', prepend: '▁' },
      { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
    ],
  },
  pre_tokenizer: null,
  model: { type: 'BPE', vocab, merges: [], byte_fallback: true },
};

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.stringMatching(/^[ab \n▁ñ<>|s]*$/),
  fc.nat(80).map((count) => '\n'.repeat(count)),
);

for (const [name, tokenizer] of Object.entries({
  'tiny-text': fileOf('tiny-text'),
  kjv: fileOf('kjv'),
  'byte fallback': tokenizerOf(byteFallback),
})) {
  test(`${name}: a text has at most so many bytes as its ids stand for`, () => {
    const { textBytesMax } = tokenizer;
    assert.ok(Number.isInteger(textBytesMax) && textBytesMax >= 1);
    fc.assert(
      fc.property(text, (given) => {
        const ids = encode(tokenizer, given, { flags: 0 });
        assert.ok(Buffer.byteLength(given) <= ids.length * textBytesMax, JSON.stringify(given));
      }),
    );
  });
}

test('the longest token counts in bytes', () => {
  assert.is(tokenizerOf(byteFallback).textBytesMax, Buffer.byteLength('▁abcdefgh'));
});

const { '<0x41>': _, ...withoutByte } = vocab;
const dropping: Readonly<Record<string, object>> = {
  'a normalizer that strips': { normalizer: { type: 'Strip', strip_left: true } },
  'a normalizer that shortens': {
    normalizer: { type: 'Replace', pattern: { String: '  ' }, content: ' ' },
  },
  'a normalizer with a pattern': {
    normalizer: { type: 'Replace', pattern: { Regex: 'a+' }, content: 'aaaa' },
  },
  'words without their blanks': { pre_tokenizer: { type: 'WhitespaceSplit' } },
  'a split that removes': {
    pre_tokenizer: { type: 'Split', pattern: { String: 'a' }, behavior: 'Removed', invert: false },
  },
  'a token that takes the blanks': { added_tokens: [{ id: 900, content: '<t>', rstrip: true }] },
  'a byte without a token': {
    model: { type: 'BPE', vocab: withoutByte, merges: [], byte_fallback: true },
  },
  'no bytes at all': { model: { type: 'BPE', vocab, merges: [], unk_token: 'a' } },
  'one id for any word': { model: { type: 'WordLevel', vocab, unk_token: 'a' } },
};

for (const [what, change] of Object.entries(dropping)) {
  test(`${what}: nothing is known`, () => {
    assert.is(tokenizerOf({ ...byteFallback, ...change }).textBytesMax, Infinity);
  });
}

test.run();
