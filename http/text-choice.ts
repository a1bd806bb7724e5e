/**
 * One choice of an answer while it is generated, and how it is spelled: an interface for the two
 * forms that OpenAI has, and what both share. A choice that is streamed keeps nothing that it has
 * said; one that is gathered keeps its text until the end.
 */
import type { TextDelta, TextResult, TextToken } from './text-serving.js';

export interface ChoiceWriter {
  /** Streamed: what comes before anything generated; null: nothing. */
  first(): object | null;
  /** Streamed: what the delta adds; null: nothing yet. */
  delta(delta: TextDelta): object | null;
  /** Streamed: what is left; the last of it has the one reason for the end. */
  last(result: TextResult): readonly object[];
  gather(delta: TextDelta): void;
  /** Gathered: the whole choice. */
  whole(result: TextResult): object;
}

/** Text and tokens so far; tokens only where log probabilities are wanted. */
export class GatheredText {
  readonly tokens: TextToken[] = [];
  readonly #keepsTokens: boolean;
  #text = '';

  constructor(keepsTokens: boolean) {
    this.#keepsTokens = keepsTokens;
  }

  get text(): string {
    return this.#text;
  }

  add({ text, tokens }: TextDelta): void {
    this.#text += text;
    if (this.#keepsTokens) this.tokens.push(...tokens);
  }
}

/** JSON has no infinity; clients know this value for "never". */
const never = -9999;

export const finiteLogprob = (value: number | null): number =>
  value !== null && Number.isFinite(value) ? value : never;
