/** Tokenizer files of packages, as grammars see them, and the calls of a test in short. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileGrammar } from '../../../../runtime/text/grammar/compile-grammar.js';
import { GrammarState } from '../../../../runtime/text/grammar/grammar-state.js';
import { TokenTable } from '../../../../runtime/text/grammar/token-table.js';
import { Tokenizer } from '../../../../runtime/tokenizer/tokenizer.js';
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
