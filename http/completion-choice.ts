/** A choice as `/v1/completions` spells it: plain text, after its prompt where that is echoed. */
import { finiteLogprob, GatheredText, type ChoiceWriter } from './text-choice.js';
import type { TextDelta, TextResult, TextToken } from './text-serving.js';

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

  delta({ text, tokens }: TextDelta): object | null {
    const hasLogprobs = this.#options.topLogprobs !== null && tokens.length > 0;
    if (text === '' && !hasLogprobs) return null;
    return this.#choice(text, this.#logprobs(tokens), null);
  }

  last({ finish }: TextResult): readonly object[] {
    return [this.#choice('', null, finish)];
  }

  gather(delta: TextDelta): void {
    this.#gathered.add(delta);
  }

  whole({ finish }: TextResult): object {
    const { text, tokens } = this.#gathered;
    return this.#choice(this.#options.echo + text, this.#logprobs(tokens), finish);
  }

  #choice(text: string, logprobs: object | null, finish: string | null): object {
    return { index: this.#options.index, text, logprobs, finish_reason: finish };
  }

  #logprobs(tokens: readonly TextToken[]): object | null {
    const { topLogprobs } = this.#options;
    if (topLogprobs === null) return null;
    return {
      tokens: tokens.map((token) => token.text),
      token_logprobs: tokens.map((token) => finiteLogprob(token.logprob)),
      top_logprobs: tokens.map((token) =>
        Object.fromEntries(
          token.top
            .slice(0, topLogprobs)
            .map((one) => [one.text, finiteLogprob(one.logprob)] as const),
        ),
      ),
      text_offset: tokens.map((token) => {
        const at = this.#offset;
        this.#offset += token.text.length;
        return at;
      }),
    };
  }
}
