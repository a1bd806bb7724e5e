/** Tokenizer files of packages, as grammars see them, and the calls of a test in short. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileGrammar } from '../../../../runtime/text/grammar/compile-grammar.js';
import { GrammarState } from '../../../../runtime/text/grammar/grammar-state.js';
import { TokenTable } from '../../../../runtime/text/grammar/token-table.js';
import { Tokenizer } from '../../../../runtime/tokenizer/tokenizer.js';
import { tokenizerOf } from '../../tokenizer/tokenizer-files.js';
import { repositoryRoot } from '../../packages/repository-root.js';

export class Vocabulary {
  readonly tokenizer: Tokenizer;
  readonly table: TokenTable;
  readonly size: number;
  readonly end: number;

  constructor(tokenizer: Tokenizer, size: number, end: number) {
    this.tokenizer = tokenizer;
    this.size = size;
    this.end = end;
    this.table = new TokenTable(tokenizer, { vocabulary: size, terminal: [end] });
  }

  state(schema: unknown): GrammarState {
    return new GrammarState(compileGrammar({ kind: 'schema', schema }), this.table);
  }

  json(): GrammarState {
    return new GrammarState(compileGrammar({ kind: 'json' }), this.table);
  }

  /** Ids that may follow. */
  allowed(state: GrammarState): number[] {
    const mask = state.mask();
    const ids: number[] = [];
    for (let id = 0; id < this.size; id += 1) {
      if (((mask[id >>> 5]! >>> (id & 31)) & 1) === 1) ids.push(id);
    }
    return ids;
  }

  encode(text: string): number[] {
    const { ids, count } = this.tokenizer.encode(text, 8, text.length * 4 + 8);
    return [...ids.subarray(0, count)];
  }

  text(ids: readonly number[]): string {
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Buffer.concat(ids.map((id) => this.table.bytesOf(id))),
    );
  }

  /** The single-byte token of each byte. */
  spelled(text: string): number[] {
    const byByte = new Map<number, number>();
    for (let id = 0; id < this.size; id += 1) {
      const bytes = this.table.bytesOf(id);
      if (bytes.length === 1) byByte.set(bytes[0]!, id);
    }
    return Array.from(new TextEncoder().encode(text), (byte) => byByte.get(byte)!);
  }
}

export const kjv = vocabularyOf('kjv', 2048, 0);
export const tinyText = vocabularyOf('tiny-text', 261, 256);

/** What bytes are called in byte-level files: visible ones as themselves, others from U+0100. */
const byteNames = singleByteNames();
const visible = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => byteNames[byte]!).join('');

function singleByteNames(): string[] {
  const hidden = Array.from({ length: 256 }, (_, byte) => byte).filter(
    (byte) => byte <= 0x20 || (byte >= 0x7f && byte <= 0xa0) || byte === 0xad,
  );
  return Array.from({ length: 256 }, (_, byte) => {
    const at = hidden.indexOf(byte);
    return String.fromCharCode(at < 0 ? byte : 0x100 + at);
  });
}

/** Every byte, and tokens that go across the parts of a text, as large vocabularies have them. */
export const joined = joinedVocabulary();

function joinedVocabulary(): Vocabulary {
  const parts = [
    '"',
    '",',
    '":',
    '{"',
    '"}',
    '}',
    ']',
    '[',
    ',',
    ', ',
    '\n',
    ' ',
    ': ',
    '\\',
    '\\u00',
  ];
  const words = ['a', 'null', '0', '12', 'x y', 'é', '本', 'aaaaaaaaaaaa', '-', '.5', 'e9', 'true'];
  const all = [...parts, ...words];
  const texts = all.flatMap((left) => all.map((right) => left + right));
  const tokens = new Set([...byteNames, ...texts.map(visible)]);
  const vocab = Object.fromEntries([...tokens, 'end'].map((token, id) => [token, id]));
  const file = {
    added_tokens: [{ id: tokens.size, content: 'end', special: true }],
    pre_tokenizer: { type: 'ByteLevel', add_prefix_space: false, use_regex: false },
    decoder: { type: 'ByteLevel' },
    model: { type: 'BPE', vocab, merges: [] },
  };
  return new Vocabulary(tokenizerOf(file), tokens.size + 1, tokens.size);
}

function vocabularyOf(name: string, size: number, end: number): Vocabulary {
  const bytes = readFileSync(join(repositoryRoot, 'models', name, 'tokenizer.json'));
  return new Vocabulary(new Tokenizer(bytes, name), size, end);
}

/** Whether a text is one of the grammar, taken token by token. */
export function accepts(state: GrammarState, ids: readonly number[]): boolean {
  for (const id of ids) {
    if (((state.mask()[id >>> 5]! >>> (id & 31)) & 1) === 0) return false;
    state.advance(id);
  }
  return state.isComplete;
}
