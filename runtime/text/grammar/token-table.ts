/** The bytes of a vocabulary's tokens. Made once a tokenizer. */
import type { Tokenizer } from '../../tokenizer/tokenizer.js';

export interface TokenTableOptions {
  readonly vocabulary: number;
  /** Ids that end a turn: allowed where a text is complete. */
  readonly terminal: readonly number[];
}

export class TokenTable {
  readonly vocabulary: number;
  readonly tokenizer: Tokenizer;

  constructor(tokenizer: Tokenizer, { vocabulary }: TokenTableOptions) {
    this.tokenizer = tokenizer;
    this.vocabulary = vocabulary;
  }
}
