import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Tokenizer } from '../../../runtime/tokenizer/tokenizer.js';
import { repositoryRoot } from '../packages/repository-root.js';
import { byteTokens, decode, tokenizerOf } from './tokenizer-files.js';

const bytesOf = (tokenizer: Tokenizer, ids: readonly number[]): Buffer =>
  Buffer.concat(ids.map((id) => tokenizer.tokenBytes(id)));

test('byte-level tokens put together are the bytes of their text', () => {
  const file = readFileSync(join(repositoryRoot, 'models', 'kjv', 'tokenizer.json'));
  const kjv = new Tokenizer(file, 'kjv');
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 4, max: 2047 }), { maxLength: 20 }), (ids) => {
      assert.is(new TextDecoder().decode(bytesOf(kjv, ids)), decode(kjv, ids));
    }),
  );
  // Every byte has a token of its own, also those that are no character by themselves.
  const single = Array.from({ length: 2048 }, (_, id) => kjv.tokenBytes(id)).filter(
    ({ length }) => length === 1,
  );
  assert.equal(
    [...new Set(single.map(([byte]) => byte))].sort((left, right) => left! - right!),
    Array.from({ length: 256 }, (_, byte) => byte),
  );
});

const added = [
  { id: 0, content: '</s>', special: true },
  { id: 1, content: 'é ü', special: false },
];

test('special tokens and ids that are not there have no bytes, other added ones theirs', () => {
  const tokenizer = tokenizerOf({
    added_tokens: added,
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab: { Ġa: 2, Ã: 3 }, merges: [] },
  });
  assert.equal([...tokenizer.tokenBytes(0)], []);
  assert.equal([...tokenizer.tokenBytes(9)], []);
  assert.is(new TextDecoder().decode(tokenizer.tokenBytes(1)), 'é ü');
  assert.is(new TextDecoder().decode(tokenizer.tokenBytes(2)), ' a');
  assert.equal([...tokenizer.tokenBytes(3)], [0xc3]);
});

test('with byte fallback a byte is a byte, and a mark is a blank', () => {
  const pieces = ['</s>', ...byteTokens, '▁', '▁the', 'é', '<0x4>'];
  const tokenizer = tokenizerOf({
    added_tokens: added.slice(0, 1),
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
      byte_fallback: true,
      vocab: Object.fromEntries(pieces.map((piece, id) => [piece, id])),
      merges: [],
    },
  });
  for (let byte = 0; byte < 256; byte += 1) {
    assert.equal([...tokenizer.tokenBytes(1 + byte)], [byte]);
  }
  const text = (id: number): string => new TextDecoder().decode(tokenizer.tokenBytes(id));
  assert.equal([257, 258, 259, 260].map(text), [' ', ' the', 'é', '<0x4>']);
});

test('elsewhere a token is what it adds to a text', () => {
  const words = ['[UNK]', 'play', '##ing', '.'];
  const tokenizer = tokenizerOf({
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      vocab: Object.fromEntries(words.map((word, id) => [word, id])),
      continuing_subword_prefix: '##',
      unk_token: '[UNK]',
    },
  });
  const text = (id: number): string => new TextDecoder().decode(tokenizer.tokenBytes(id));
  assert.equal([1, 2, 3].map(text), [' play', 'ing', '.']);
});

test.run();
