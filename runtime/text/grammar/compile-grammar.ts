/** Grammar of a request to the program that its masks come from. */
import type { Grammar } from '../../profiles/text.js';
import type { GrammarProgram } from './grammar-program.js';

/** Throws `invalidArgument` with the keyword at fault as its parameter. */
export function compileGrammar(grammar: Grammar): GrammarProgram {
  return { key: JSON.stringify(grammar) };
}
