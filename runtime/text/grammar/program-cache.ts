/**
 * The programs of the forms that were asked for last, refusals included: choices of one request and
 * requests that follow each other mostly ask for the same. Bounded; owned by whoever has turns.
 */
import { StatusError } from '../../base/errors.js';
import type { Grammar } from '../../profiles/text.js';
import { checkGrammarSize, compileGrammar } from './compile-grammar.js';
import type { GrammarProgram } from './grammar-program.js';

/** A program and its text may take some MB. */
const programsMax = 8;

export class ProgramCache {
  /** By their text, least recently used first. */
  readonly #known = new Map<string, GrammarProgram | StatusError>();

  /** Throws as `compileGrammar` does. */
  programOf(grammar: Grammar): GrammarProgram {
    // What is larger than a schema may be is refused before its text is written.
    checkGrammarSize(grammar);
    const key = JSON.stringify(grammar);
    const found = this.#known.get(key) ?? compiled(grammar);
    this.#known.delete(key);
    this.#known.set(key, found);
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= programsMax) break;
      this.#known.delete(oldest);
    }
    if (found instanceof StatusError) throw found;
    return found;
  }
}

function compiled(grammar: Grammar): GrammarProgram | StatusError {
  try {
    return compileGrammar(grammar);
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
}
