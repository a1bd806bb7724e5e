import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bytePairOracle } from '../../oracles/byte-pairs.js';
import { byteTokens, decode, encode, tokenizerOf } from './tokenizer-files.js';

/**
 * What bytes are called in byte-level files: printable ones as themselves, the others from U+0100.
 */
const printable = (byte: number): boolean =>
  (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
const names: string[] = [];
for (let byte = 0, hidden = 0; byte < 256; byte += 1) {
  names.push(String.fromCodePoint(printable(byte) ? byte : 256 + hidden));
  if (!printable(byte)) hidden += 1;
}
const bytesOf = (text: string): string[] =>
  [...new TextEncoder().encode(text)].map((byte) => names[byte]!);

/** Merges in which both sides exist when they are listed. */
function mergesFrom(symbols: readonly string[], choices: readonly (readonly [number, number])[]) {
  const known = [...symbols];
  const merges: [string, string][] = [];
  for (const [left, right] of choices) {
    const pair: [string, string] = [known[left % known.length]!, known[right % known.length]!];
    if (known.includes(pair.join(''))) continue;
    merges.push(pair);
    known.push(pair.join(''));
  }
  return { merges, known };
}

const choices = fc.array(fc.tuple(fc.nat(60), fc.nat(60)), { maxLength: 40 });
const ids = (known: readonly string[]): Record<string, number> =>
  Object.fromEntries(known.map((symbol, id) => [symbol, id]));

test('pairs are joined by rank, then from the left, for any merges and word', () => {
  const alphabet = ['a', 'b', 'c', 'é', '😀'];
  const word = fc.string({ unit: fc.constantFrom(...alphabet), maxLength: 40 });
  fc.assert(
    fc.property(choices, word, (chosen, text) => {
      const { merges, known } = mergesFrom(alphabet, chosen);
      const tokenizer = tokenizerOf({ model: { type: 'BPE', vocab: ids(known), merges } });
      const expected = bytePairOracle(merges, [...text]).map((symbol) => known.indexOf(symbol));
      assert.equal(encode(tokenizer, text), expected);
      const capacity = text.length >> 1;
      assert.equal(encode(tokenizer, text, { capacity }), expected.slice(0, capacity));
      const joined = merges.map((pair) => pair.join(' '));
      const older = tokenizerOf({ model: { type: 'BPE', vocab: ids(known), merges: joined } });
      assert.equal(encode(older, text), expected);
    }),
    { numRuns: 800 },
  );
});

test('byte level: any text comes back, in words of the published pattern', () => {
  const pattern = /'(?:s|t|re|ve|m|ll|d)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+/gu;
  const { merges, known } = mergesFrom(
    names,
    [' t', 'he', 'in', ' a', '12', '  ', 'ré'].map((pair) => {
      const [left, right] = bytesOf(pair);
      return [names.indexOf(left!), names.indexOf(right!)] as const;
    }),
  );
  const tokenizer = tokenizerOf({
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false },
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab: ids(known), merges },
  });
  const unit = fc.oneof(
    fc.constantFrom('the', ' a', 'in', "'s", '  ', '\n', '12', 'é', '😀', '漢'),
    fc.string({ unit: 'binary', maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 30 }), (units) => {
      const text = units.join('');
      const found = encode(tokenizer, text);
      const words = text.match(pattern) ?? [];
      const expected = words.flatMap((word) => bytePairOracle(merges, bytesOf(word)));
      assert.equal(
        found,
        expected.map((symbol) => known.indexOf(symbol)),
      );
      assert.is(decode(tokenizer, found), text);
    }),
    { numRuns: 500 },
  );
});

test('byte fallback spells out what is no entry; without bytes it is unknown or dropped', () => {
  const known = ['<unk>', '▁', 'a', '▁a', ...byteTokens];
  const model = {
    type: 'BPE',
    vocab: ids(known),
    merges: [['▁', 'a']],
    unk_token: '<unk>',
    fuse_unk: true,
    byte_fallback: true,
  };
  const normalizer = { type: 'Replace', pattern: { String: ' ' }, content: '▁' };
  const decoder = {
    type: 'Sequence',
    decoders: [
      { type: 'Replace', pattern: { String: '▁' }, content: ' ' },
      { type: 'ByteFallback' },
      { type: 'Fuse' },
    ],
  };
  const tokenizer = tokenizerOf({ normalizer, decoder, model });
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (text) => {
      const found = encode(tokenizer, text);
      assert.is(decode(tokenizer, found), text.replaceAll('▁', ' '));
      assert.not(found.includes(0));
    }),
  );
  const bytes = [...new TextEncoder().encode('é')].map((byte) => 4 + byte);
  assert.equal(encode(tokenizer, ' aéa'), [3, ...bytes, 2]);
  const few = { ...model, vocab: ids(known.slice(0, 4)) };
  assert.equal(encode(tokenizerOf({ normalizer, model: few }), 'aéééa'), [2, 0, 2]);
  const apart = { ...few, fuse_unk: false };
  assert.equal(encode(tokenizerOf({ normalizer, model: apart }), 'aééa'), [2, 0, 0, 2]);
  const none = { ...few, unk_token: null };
  assert.equal(encode(tokenizerOf({ normalizer, model: none }), 'aéa'), [2, 2]);
});

test('whole words may be taken as they are, and ends of words may be marked', () => {
  const known = ['a', 'b', 'ab', 'b</w>', 'ab</w>', 'aba'];
  const whole = { type: 'BPE', vocab: ids(known), merges: [['a', 'b']], ignore_merges: true };
  assert.equal(encode(tokenizerOf({ model: whole }), 'aba'), [5]);
  const merges = [['a', 'b</w>']];
  const ends = { type: 'BPE', vocab: ids(known), merges, end_of_word_suffix: '</w>' };
  const tokenizer = tokenizerOf({
    pre_tokenizer: { type: 'WhitespaceSplit' },
    decoder: { type: 'BPEDecoder', suffix: '</w>' },
    model: ends,
  });
  assert.equal(encode(tokenizer, 'ab  aab'), [4, 0, 4]);
  assert.is(decode(tokenizer, [4, 0, 4]), 'ab aab');
});

test('a word of a million characters is joined in time', () => {
  const { merges, known } = mergesFrom(
    ['a', 'b'],
    [
      [0, 1],
      [2, 2],
      [3, 3],
      [4, 0],
    ],
  );
  const tokenizer = tokenizerOf({ model: { type: 'BPE', vocab: ids(known), merges } });
  const { count } = tokenizer.encode('ab'.repeat(500_000), 8, 2 ** 20);
  assert.is(count, 125_000);
});

test.run();
