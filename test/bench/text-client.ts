/** Completions of token prompts over HTTP, streamed, with the time at which each token came. */
import { firstText, randomSizes } from './random-llama.js';

export interface Streamed {
  /** Milliseconds of `performance.now`, one a token, as it reached the client. */
  readonly arrivals: readonly number[];
  readonly sentMs: number;
}

export interface TextClient {
  /** Resolves when the text ends, or when the signal is given; `onToken` as they come. */
  generate(ids: readonly number[], count: number, options?: GenerateOptions): Promise<Streamed>;
}

export interface GenerateOptions {
  readonly signal?: AbortSignal;
  readonly onToken?: () => void;
}

export function textClient(url: string, model: string): TextClient {
  return {
    async generate(ids, count, { signal, onToken } = {}) {
      const body = { model, prompt: ids, max_tokens: count, temperature: 0, stream: true };
      const arrivals: number[] = [];
      const sentMs = performance.now();
      try {
        const response = await fetch(`${url}/v1/completions`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
          ...(signal === undefined ? {} : { signal }),
        });
        if (response.status !== 200) throw new Error(await response.text());
        for await (const text of pieces(response)) {
          if (text === '') continue;
          arrivals.push(performance.now());
          onToken?.();
        }
      } catch (error) {
        if (signal?.aborted !== true) throw error;
      }
      return { arrivals, sentMs };
    },
  };
}

/** What each event of the stream says. */
async function* pieces(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body!) {
    const lines = (rest + decoder.decode(chunk as Uint8Array, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) {
      if (!line.startsWith('data: {')) continue;
      const event = JSON.parse(line.slice(6)) as { choices?: readonly { text?: string }[] };
      yield event.choices?.[0]?.text ?? '';
    }
  }
}

/** Ids that no prompt before had in front. */
export class Prompts {
  #state = 1;

  next(count: number): number[] {
    return Array.from({ length: count }, () => {
      this.#state = (Math.imul(this.#state, 1664525) + 1013904223) >>> 0;
      return firstText + ((this.#state >>> 8) % (randomSizes.vocabulary - firstText));
    });
  }
}

/** Tokens a second from the first to the last. */
export const rateOf = (arrivals: readonly number[]): number =>
  ((arrivals.length - 1) * 1000) / (arrivals.at(-1)! - arrivals[0]!);

export const gapsOf = (arrivals: readonly number[]): number[] =>
  arrivals.slice(1).map((at, index) => at - arrivals[index]!);

export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN;
}
