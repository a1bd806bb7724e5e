/**
 * How far one text has come in its grammar. Owned by a turn.
 *
 * Holds: the text so far is the beginning of a text of the grammar. A vocabulary that spells every
 * byte never gets stuck; one that lacks bytes may, and then the state says so.
 */
import { StatusError } from '../../base/errors.js';
import type { Automaton } from './automaton.js';
import type { AutomatonState } from './automaton-state.js';
import type { GrammarProgram } from './grammar-program.js';
import type { TokenTable } from './token-table.js';

export class GrammarState {
  /** The field of the request that asks for the form. */
  readonly asker: string;
  readonly #tokens: TokenTable;
  readonly #automaton: Automaton;
  #state: AutomatonState;

  /** Finds the first mask, so that a grammar that cannot be begun is refused here. */
  constructor(program: GrammarProgram, tokens: TokenTable) {
    this.asker = program.asker;
    this.#tokens = tokens;
    this.#automaton = tokens.automatonOf(program);
    this.#state = this.#automaton.start;
    if (!this.isStuck) return;
    throw new StatusError(
      'invalidArgument',
      `no token of the model can begin a text of the form that ${program.asker} asks for`,
      { param: program.asker },
    );
  }

  /**
   * Ids that may follow, a bit each; ids that end a turn exactly where the text is complete.
   * Shared: not to be written to.
   */
  mask(): Uint32Array {
    return this.#tokens.maskOf(this.#automaton, this.#state);
  }

  /** An end that is allowed changes nothing. */
  advance(id: number): void {
    if (this.#tokens.isTerminal(id) && this.isComplete) return;
    const bytes = this.#tokens.bytesOf(id);
    const next = bytes.length === 0 ? null : this.#automaton.advance(this.#state, bytes);
    if (next === null) {
      throw new StatusError(
        'internal',
        `the package chose token ${id}, which its mask of what may follow does not have`,
      );
    }
    this.#state = next;
  }

  /** The text is one of the grammar as it is. */
  get isComplete(): boolean {
    return this.#state.isComplete;
  }

  /** Complete, and nothing but an end may follow. */
  get isExhausted(): boolean {
    return this.isComplete && this.#state.readings.length === 0;
  }

  /** Not complete, and no token of the vocabulary leads on. */
  get isStuck(): boolean {
    return !this.isComplete && this.mask().every((word) => word === 0);
  }
}
