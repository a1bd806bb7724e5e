/**
 * A tokenizer's tokens as grammars see them: their bytes, the tree of them, the masks of states.
 * Made once a tokenizer, by the thread that uses it; what it keeps of grammars is bounded, and
 * shared by all turns that ask for the same one.
 */
import type { Tokenizer } from '../../tokenizer/tokenizer.js';
import { Automaton } from './automaton.js';
import type { AutomatonState } from './automaton-state.js';
import type { GrammarProgram } from './grammar-program.js';
import { TokenTrie } from './token-trie.js';

/** Grammars whose masks are remembered, the last used ones. */
const automataMax = 8;

const nothing = new Uint8Array(0);

export interface TokenTableOptions {
  /** Ids are below. */
  readonly vocabulary: number;
  /** Ids that end a turn: allowed where a text is complete, and nowhere else. */
  readonly terminal: readonly number[];
}

export class TokenTable {
  /** Of all ids in order; an id's are from its offset to the next one's. */
  readonly #bytes: Uint8Array;
  readonly #offsets: Uint32Array;
  readonly #terminal: ReadonlySet<number>;
  readonly #trie: TokenTrie;
  readonly #automata = new Map<string, Automaton>();
  readonly #words: number;

  constructor(tokenizer: Tokenizer, { vocabulary, terminal }: TokenTableOptions) {
    this.#terminal = new Set(terminal.filter((id) => id >= 0 && id < vocabulary));
    const bytes = Array.from({ length: vocabulary }, (_, id) =>
      this.#terminal.has(id) ? nothing : tokenizer.tokenBytes(id),
    );
    this.#bytes = Buffer.concat(bytes);
    this.#offsets = new Uint32Array(vocabulary + 1);
    bytes.forEach(({ length }, id) => (this.#offsets[id + 1] = this.#offsets[id]! + length));
    const entries = bytes.map((own, id) => ({ id, bytes: own }));
    this.#trie = new TokenTrie(entries.filter((entry) => entry.bytes.length > 0));
    this.#words = Math.ceil(vocabulary / 32);
  }

  isTerminal(id: number): boolean {
    return this.#terminal.has(id);
  }

  /** Empty for ids that are no text. */
  bytesOf(id: number): Uint8Array {
    if (id < 0 || id >= this.#offsets.length - 1) return nothing;
    return this.#bytes.subarray(this.#offsets[id], this.#offsets[id + 1]);
  }

  automatonOf(program: GrammarProgram): Automaton {
    const { key } = program;
    const automaton = this.#automata.get(key) ?? new Automaton(program, this.#trie.longest);
    this.#automata.delete(key);
    this.#automata.set(key, automaton);
    for (const oldest of this.#automata.keys()) {
      if (this.#automata.size <= automataMax) break;
      this.#automata.delete(oldest);
    }
    return automaton;
  }

  /** Ids that may follow, a bit each. Shared: not to be written to. */
  maskOf(automaton: Automaton, state: AutomatonState): Uint32Array {
    return automaton.mask(state, (from) => this.#walk(automaton, from));
  }

  #walk(automaton: Automaton, from: AutomatonState): Uint32Array {
    const mask = new Uint32Array(this.#words);
    if (from.isComplete) for (const id of this.#terminal) allow(mask, id);
    const { byte, depth, end, idStart, ids, isPlain, nodes } = this.#trie;
    /** States on the way to the node, by depth. */
    const path: AutomatonState[] = [from];
    for (let node = 0; node < nodes;) {
      const at = depth[node]!;
      const state = path[at]!;
      const known = state.after[byte[node]!];
      const next = known === undefined ? automaton.step(state, byte[node]!) : known;
      if (next === null) {
        node = end[node]!;
        continue;
      }
      path[at + 1] = next;
      // What leads nowhere else leads nowhere else below either: the whole subtree is allowed.
      const isWhole = next === state && isPlain[node] === 1 && automaton.isLoop(state);
      const behind = isWhole ? end[node]! : node + 1;
      const last = idStart[behind]!;
      for (let index = idStart[node]!; index < last; index += 1) allow(mask, ids[index]!);
      node = behind;
    }
    return mask;
  }
}

function allow(mask: Uint32Array, id: number): void {
  mask[id >>> 5]! |= 1 << (id & 31);
}
