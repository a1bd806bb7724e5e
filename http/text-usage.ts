/** What the results of a request's choices say of its cost, as answers spell it. */
import type { TextResult } from './text-serving.js';

/** Results by prompt: the choices of one prompt read it once. */
export type ResultsByPrompt = readonly (readonly TextResult[])[];

export function usageOf(prompts: ResultsByPrompt): object {
  const results = prompts.flat();
  const promptTokens = sum(prompts, ([first]) => first?.promptTokens ?? 0);
  const cachedTokens = sum(prompts, ([first]) => first?.cachedTokens ?? 0);
  const outputTokens = sum(results, (result) => result.outputTokens);
  const drafted = sum(results, (result) => result.drafted);
  const accepted = sum(results, (result) => result.accepted);
  const drafts = {
    completion_tokens_details: {
      accepted_prediction_tokens: accepted,
      rejected_prediction_tokens: drafted - accepted,
    },
  };
  return {
    prompt_tokens: promptTokens,
    completion_tokens: outputTokens,
    total_tokens: promptTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedTokens },
    ...(drafted === 0 ? {} : drafts),
  };
}

export function timingsOf(results: readonly TextResult[]): object {
  const longest = (of: (result: TextResult) => number): number => Math.max(0, ...results.map(of));
  const promptMs = longest((result) => result.timings.promptMs);
  const generateMs = longest((result) => result.timings.generateMs);
  const read = sum(results, (result) => result.promptTokens - result.cachedTokens);
  // The first token of each choice belongs to its prompt.
  const generated = sum(results, (result) => Math.max(0, result.outputTokens - 1));
  return {
    queue_ms: rounded(longest((result) => result.timings.queueMs)),
    prompt_ms: rounded(promptMs),
    prompt_tokens_per_second: rate(read, promptMs),
    generate_ms: rounded(generateMs),
    generate_tokens_per_second: rate(generated, generateMs),
  };
}

/** Changes when the package does, and with it perhaps what a seed gives. */
export const fingerprintOf = ({ model, generation }: TextResult): string =>
  `${model}@${generation}`;

const sum = <T>(items: readonly T[], of: (item: T) => number): number =>
  items.reduce((total, item) => total + of(item), 0);

const rounded = (ms: number): number => Math.round(ms * 1000) / 1000;

/** Null where nothing was measured. */
const rate = (count: number, ms: number): number | null =>
  ms > 0 ? rounded((count * 1000) / ms) : null;
