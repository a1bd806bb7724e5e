/**
 * A choice as `/v1/completions` spells it: plain text, after its prompt where that is echoed. With
 * log probabilities the tokens of an echoed prompt come before those of the answer; its first one
 * follows nothing, so it has none.
 */
import { finiteLogprob, GatheredText, type ChoiceWriter } from './text-choice.js';
import type { SpelledToken, TextDelta, TextResult, TextToken } from './text-serving.js';

export interface CompletionChoiceOptions {
  readonly index: number;
  /** What the answer begins with; '' without echo. */
  readonly echo: string;
  /** Null: no log probabilities are wanted. */
  readonly topLogprobs: number | null;
}

export class CompletionChoice implements ChoiceWriter {
  readonly #options: CompletionChoiceOptions;
  readonly #gathered: GatheredText;
  readonly #prompt: TextToken[] = [];
  /** Where the text of the next token begins: its offset in the tokens' own texts. */
  #offset: number;

  constructor(options: CompletionChoiceOptions) {
    this.#options = options;
    this.#offset = options.echo.length;
    this.#gathered = new GatheredText(options.topLogprobs !== null);
  }

  first(): object | null {
    const { echo } = this.#options;
    return echo === '' ? null : this.#choice(echo, null, null);
  }

  delta({ text, tokens, prompt = [] }: TextDelta): object | null {
    const isScored = this.#options.topLogprobs !== null && tokens.length + prompt.length > 0;
    if (text === '' && !isScored) return null;
    return this.#choice(text, this.#logprobs([...prompt, ...tokens]), null);
  }

  last({ finish }: TextResult): readonly object[] {
    return [this.#choice('', null, finish)];
  }

  gather(delta: TextDelta): void {
    this.#prompt.push(...(delta.prompt ?? []));
    this.#gathered.add(delta);
  }

  whole({ finish }: TextResult): object {
    const { text, tokens } = this.#gathered;
    const logprobs = this.#logprobs([...this.#prompt, ...tokens]);
    return this.#choice(this.#options.echo + text, logprobs, finish);
  }

  #choice(text: string, logprobs: object | null, finish: string | null): object {
    return { index: this.#options.index, text, logprobs, finish_reason: finish };
  }

  #logprobs(tokens: readonly TextToken[]): object | null {
    const { topLogprobs } = this.#options;
    if (topLogprobs === null) return null;
    return {
      tokens: tokens.map(nameOf),
      token_logprobs: tokens.map((token) => (isFirst(token) ? null : finiteLogprob(token.logprob))),
      top_logprobs: tokens.map((token) => (isFirst(token) ? null : likeliest(token, topLogprobs))),
      text_offset: tokens.map((token) => this.#offsetOf(token)),
    };
  }

  #offsetOf({ text, offset }: TextToken): number {
    if (offset !== undefined) return offset;
    const at = this.#offset;
    this.#offset += text.length;
    return at;
  }
}

/** Parts of characters have no text of their own, and would all be called the same. */
function nameOf({ text, bytes }: SpelledToken): string {
  if (bytes === undefined) return text;
  return `bytes:${bytes.map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('')}`;
}

/** Of a prompt: nothing is before it that could make it likely. */
const isFirst = ({ logprob, offset }: TextToken): boolean =>
  offset !== undefined && logprob === null;

const likeliest = ({ top }: TextToken, count: number): Readonly<Record<string, number>> =>
  Object.fromEntries(
    top.slice(0, count).map((one) => [nameOf(one), finiteLogprob(one.logprob)] as const),
  );
