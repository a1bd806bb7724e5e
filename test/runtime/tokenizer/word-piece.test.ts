import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { wordPieceOracle } from '../../oracles/word-piece.js';
import { decode, encode, tokenizerOf, withSpecial } from './tokenizer-files.js';

const special = ['[UNK]', '[CLS]', '[SEP]'];

function fileOf(entries: readonly string[], extra: object = {}): object {
  const vocab = Object.fromEntries([...special, ...entries].map((entry, id) => [entry, id]));
  return {
    added_tokens: special.map((content, id) => ({ id, content, special: true })),
    pre_tokenizer: { type: 'WhitespaceSplit' },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: false },
    model: { type: 'WordPiece', vocab, unk_token: '[UNK]', max_input_chars_per_word: 12 },
    ...extra,
  };
}

const unit = fc.constantFrom('a', 'b', 'é', '😀', '漢', '#');
const entry = fc
  .tuple(fc.boolean(), fc.string({ unit, minLength: 1, maxLength: 4 }))
  .map(([isRest, letters]) => (isRest ? `##${letters}` : letters));
const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'é', '😀', '漢', '#', ' ', '  ', '\n', '☃'),
  maxLength: 60,
});

test('the longest entry, then the longest continuation, for any vocabulary and text', () => {
  fc.assert(
    fc.property(fc.uniqueArray(entry, { maxLength: 25 }), text, (entries, input) => {
      const ids = [...special, ...entries].map((name, id) => [name, id] as const);
      const model = {
        vocabulary: new Map(ids),
        prefix: '##',
        unknown: '[UNK]',
        wordMax: 12,
      };
      const words = input.split(/\s+/).filter((word) => word !== '');
      const expected = wordPieceOracle(model, words);
      assert.equal(encode(tokenizerOf(fileOf(entries)), input), expected);
    }),
    { numRuns: 1000 },
  );
});

test('a word one character too long is unknown', () => {
  const tokenizer = tokenizerOf(fileOf(['a', '##a', '😀', '##😀']));
  assert.is(encode(tokenizer, 'a'.repeat(12)).length, 12);
  assert.equal(encode(tokenizer, 'a'.repeat(13)), [0]);
  assert.is(encode(tokenizer, '😀'.repeat(12)).length, 12);
  assert.equal(encode(tokenizer, '😀'.repeat(13)), [0]);
  assert.equal(encode(tokenizer, 'b'.repeat(1_000_000)), [0]);
});

test('unknown words stay apart, and special tokens match by name or never', () => {
  const tokenizer = tokenizerOf(fileOf(['a', '[', '##C', '##L', '##S', '##]']));
  assert.equal(encode(tokenizer, '☃ ☃ a'), [0, 0, 3]);
  assert.equal(encode(tokenizer, 'a [CLS]', { flags: 0 }), [3, 1]);
  assert.equal(encode(tokenizer, 'a [CLS]'), [3, 4, 5, 6, 7, 8]);
});

test('the frame of the classic encoder, cut at the capacity', () => {
  const processor = { type: 'BertProcessing', sep: ['[SEP]', 2], cls: ['[CLS]', 1] };
  const normalizer = {
    type: 'BertNormalizer',
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  };
  const tokenizer = tokenizerOf(
    fileOf(['a', 'e', '##e', '漢', '!'], {
      normalizer,
      pre_tokenizer: { type: 'BertPreTokenizer' },
      post_processor: processor,
    }),
  );
  const framed = encode(tokenizer, 'A ÉE漢漢!', { flags: withSpecial });
  assert.equal(framed, [1, 3, 4, 5, 6, 6, 7, 2]);
  for (let capacity = 0; capacity <= framed.length; capacity += 1) {
    const found = encode(tokenizer, 'A ÉE漢漢!', { flags: withSpecial, capacity });
    assert.equal(found, framed.slice(0, capacity));
  }
  assert.is(decode(tokenizer, framed), '[CLS] a ee 漢 漢 ! [SEP]');
  assert.is(decode(tokenizer, framed, 1), 'a ee 漢 漢 !');
});

test('words are words in every script', () => {
  const file = fileOf(['naïve', 'слово', 'हिन्दी', '...', '_1'], {
    pre_tokenizer: { type: 'Whitespace' },
  });
  assert.equal(encode(tokenizerOf(file), 'naïve слово... हिन्दी _1'), [3, 4, 6, 5, 7]);
});

test('added tokens: the longest wins, blanks beside them may go, words may be asked for', () => {
  const added = [
    { id: 10, content: '<a>' },
    { id: 11, content: '<a><b>', lstrip: true, rstrip: true },
    { id: 12, content: 'cat', single_word: true },
  ];
  const tokenizer = tokenizerOf(fileOf(['x', 'cat', '##s'], { added_tokens: added }));
  assert.equal(encode(tokenizer, 'x<a>x'), [3, 10, 3]);
  assert.equal(encode(tokenizer, 'x  <a><b>  x'), [3, 11, 3]);
  assert.equal(encode(tokenizer, 'cat cats'), [12, 4, 5]);
});

test('whole words only: what is no entry is the unknown token', () => {
  const model = { type: 'WordLevel', vocab: { '?': 0, yes: 1, no: 2 }, unk_token: '?' };
  const tokenizer = tokenizerOf({ pre_tokenizer: { type: 'WhitespaceSplit' }, model });
  assert.equal(encode(tokenizer, 'yes maybe no'), [1, 0, 2]);
});

test.run();
