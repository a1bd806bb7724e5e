/**
 * Tokenizers made from GGUF metadata: pairs by score against the published algorithm written from
 * its definition, and words cut by the rules that the llama package lists.
 */
import fc from '../../properties.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  metadataTokenizer,
  metadataTokenizerConfig,
} from '../../../runtime/tokenizer/metadata-tokenizer.js';
import { readTokenizerTable } from '../../../runtime/tokenizer/tokenizer-table.js';
import { repositoryRoot } from '../packages/repository-root.js';
import { byteTokens, decode, encode, plain, tokenizerOf, withSpecial } from './tokenizer-files.js';

const listed = readFileSync(join(repositoryRoot, 'models/llama/tokenizers.json'));
const table = readTokenizerTable(new Uint8Array(listed), 'tokenizers.json');
const S = '\u2581';

type Metadata = Readonly<Record<string, unknown>>;

const made = (metadata: Metadata) =>
  tokenizerOf(
    metadataTokenizer(
      new Map(Object.entries(metadata).map(([key, value]) => [`tokenizer.ggml.${key}`, value])),
      table,
    ),
  );

/** The scored model with these pieces after the control tokens and the bytes. */
function scored(pieces: readonly (readonly [string, number])[], more: Metadata = {}) {
  const tokens = ['<unk>', '<s>', '</s>', ...byteTokens, ...pieces.map(([piece]) => piece)];
  const metadata = {
    model: 'llama',
    tokens,
    scores: tokens.map((_, id) => (id < 259 ? 0 : pieces[id - 259]![1])),
    token_type: tokens.map((_, id) => (id === 0 ? 2 : id < 3 ? 3 : id < 259 ? 6 : 1)),
    bos_token_id: 1,
    eos_token_id: 2,
    ...more,
  };
  return { tokens, tokenizer: made(metadata) };
}

/** Joins the neighbours whose join has the best score, leftmost first, until none is a piece. */
function joined(text: string, scores: ReadonlyMap<string, number>): string[] {
  const symbols = [...text];
  for (;;) {
    let best: { at: number; score: number } | null = null;
    for (let at = 0; at + 1 < symbols.length; at += 1) {
      const score = scores.get(symbols[at]! + symbols[at + 1]!);
      if (score !== undefined && (best === null || score > best.score)) best = { at, score };
    }
    if (best === null) return symbols;
    symbols.splice(best.at, 2, symbols[best.at]! + symbols[best.at + 1]!);
  }
}

const letters = [S, 'a', 'b', 'c'];
const piece = fc.string({ unit: fc.constantFrom(...letters), minLength: 2, maxLength: 4 });

test('pieces with scores: what the definition says, for any vocabulary and text', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(piece, { maxLength: 14 }),
      fc.string({ unit: fc.constantFrom(' ', 'a', 'b', 'c'), maxLength: 24 }),
      fc.infiniteStream(fc.integer({ min: -1_000_000, max: 0 })),
      (words, text, numbers) => {
        // No two scores are equal: the definition leaves nothing open then.
        const scores = new Map(
          words.map((word, at): [string, number] => [word, numbers.next().value + at / 64]),
        );
        if (new Set(scores.values()).size < scores.size) return;
        const singles = letters.map((letter): [string, number] => [letter, -2_000_000]);
        const { tokens, tokenizer } = scored([...singles, ...scores]);
        const expected = joined(`${S}${text.replaceAll(' ', S)}`, scores);
        const ids = encode(tokenizer, text);
        assert.equal(
          ids.map((id) => tokens[id]),
          text === '' ? [] : expected,
        );
        assert.is(decode(tokenizer, ids), text);
      },
    ),
    { numRuns: 300 },
  );
});

test('characters that are no piece are spelled in bytes, and nothing spells a control token', () => {
  const { tokens, tokenizer } = scored([
    [S, -1],
    ['a', -2],
    ['<', -3],
    ['s', -4],
    ['>', -5],
    ['<s', -6],
  ]);
  const named = (text: string, flags: number) =>
    encode(tokenizer, text, { flags }).map((id) => tokens[id]);
  assert.equal(named('a\u00e9', plain), [S, 'a', '<0xC3>', '<0xA9>']);
  assert.equal(named('a', withSpecial), ['<s>', S, 'a']);
  assert.equal(named('<s>', plain), [S, '<s', '>']);
  assert.equal(named('<s>a', 0), ['<s>', S, 'a']);
  assert.is(decode(tokenizer, encode(tokenizer, 'a\u00e9 a')), 'a\u00e9 a');
  const bare = scored(
    [
      [S, -1],
      ['a', -2],
    ],
    { add_space_prefix: false, add_bos_token: false },
  );
  assert.equal(encode(bare.tokenizer, 'a a', { flags: withSpecial }), [260, 259, 260]);
  assert.is(decode(bare.tokenizer, [259, 260]), ' a');
});

/** Byte pairs that join nothing but `a b`, with the bytes of ASCII as tokens. */
function bytes(pre: string | null, more: Metadata = {}) {
  const ascii = Array.from({ length: 94 }, (_, at) => String.fromCharCode(33 + at));
  const tokens = [...ascii, '\u0120', '\u010a', '\u010d', '<|end|>', '<|user|>'];
  return made({
    model: 'gpt2',
    ...(pre === null ? {} : { pre }),
    tokens,
    merges: [],
    token_type: tokens.map((token) => (token === '<|end|>' ? 3 : token === '<|user|>' ? 4 : 1)),
    bos_token_id: 97,
    ...more,
  });
}

/** Shows where words are cut: all merges of a word's neighbours join them to one token. */
function words(pre: string, text: string): string[] {
  const shown = [...text].map((letter) =>
    letter === ' ' ? '\u0120' : letter === '\n' ? '\u010a' : letter,
  );
  const tokens = new Set(shown);
  const merges: string[] = [];
  for (let from = 0; from < shown.length; from += 1) {
    for (let to = from + 2; to <= shown.length; to += 1) {
      const whole = shown.slice(from, to).join('');
      merges.push(`${shown.slice(from, to - 1).join('')} ${shown[to - 1]!}`);
      tokens.add(whole);
    }
  }
  const list = [...tokens];
  const tokenizer = made({ model: 'gpt2', pre, tokens: list, merges });
  return encode(tokenizer, text).map((id) =>
    list[id]!.replaceAll('\u0120', ' ').replaceAll('\u010a', '\n'),
  );
}

test('words are cut as the name in the file says', () => {
  const text = "I'M  x12345 a.\n\nb";
  assert.equal(words('gpt-2', text), [
    'I',
    "'",
    'M',
    ' ',
    ' x',
    '12345',
    ' a',
    '.',
    '\n',
    '\n',
    'b',
  ]);
  assert.equal(words('llama-bpe', text), ['I', "'M", ' ', ' x', '123', '45', ' a', '.\n\n', 'b']);
  assert.equal(words('qwen2', text), [
    'I',
    "'M",
    ' ',
    ' x',
    '1',
    '2',
    '3',
    '4',
    '5',
    ' a',
    '.\n\n',
    'b',
  ]);
  assert.equal(words('smollm', text), [
    'I',
    "'",
    'M',
    ' ',
    ' x',
    '1',
    '2',
    '3',
    '4',
    '5',
    ' a',
    '.',
    '\n',
    '\n',
    'b',
  ]);
  assert.equal(words('default', text), [
    'I',
    "'",
    'M',
    ' ',
    ' x',
    '123',
    '45',
    ' a',
    '.',
    '\n',
    '\n',
    'b',
  ]);
});

test('a name that nobody listed is refused with those that are', () => {
  assert.throws(() => bytes('unheard'), /'unheard'.*known: default, gpt-2, llama-bpe/);
  assert.throws(() => made({ model: 'other' }), /'other'; known: gpt2, llama/);
  assert.throws(
    () => made({ model: 'gpt2', pre: 'gpt-2' }),
    /tokenizer\.ggml\.tokens is not there/,
  );
});

test('control tokens are found where they may be, tokens of users everywhere', () => {
  const tokenizer = bytes('gpt-2');
  const [end, user] = [97, 98];
  assert.equal(encode(tokenizer, '<|end|><|user|>', { flags: 0 }), [end, user]);
  const plainIds = encode(tokenizer, '<|end|><|user|>');
  assert.is(plainIds.at(-1), user);
  assert.not.ok(plainIds.includes(end));
});

test('a text begins with the first token as file and name say', () => {
  const first = (pre: string | null, more: Metadata = {}) =>
    encode(bytes(pre, more), 'a', { flags: withSpecial }).length === 2;
  assert.not.ok(first('gpt-2'));
  assert.not.ok(first(null));
  assert.ok(first('llama-bpe'));
  assert.not.ok(first('llama-bpe', { add_bos_token: false }));
  assert.ok(first('qwen2', { add_bos_token: true }));
});

test('templates and special tokens are those of the file', () => {
  const config = metadataTokenizerConfig(
    new Map<string, unknown>([
      ['tokenizer.ggml.tokens', ['a', 'b']],
      ['tokenizer.ggml.eos_token_id', 1],
      ['tokenizer.chat_template', 'one'],
      ['tokenizer.chat_template.rag', 'two'],
      ['tokenizer.chat_templates', ['rag']],
    ]),
  );
  assert.equal(config, {
    chat_template: [
      { name: 'default', template: 'one' },
      { name: 'rag', template: 'two' },
    ],
    eos_token: 'b',
  });
});

test.run();
