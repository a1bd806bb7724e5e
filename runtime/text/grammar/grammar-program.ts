/** A grammar as the automaton runs it. */
export interface GrammarProgram {
  /** The same for grammars that are the same. */
  readonly key: string;
}
