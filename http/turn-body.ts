/** What one choice asks of the server, from what the request says of all of them. */
import type { CallGrammar, Prompt } from '../runtime/profiles/text.js';
import type { Generation } from './schemas/generation.js';
import type { TextBody } from './text-serving.js';

export interface Turn {
  readonly prompt: Prompt;
  readonly session: string | null;
  readonly hasTools: boolean;
  /** Calls that the answer must be; null: what the request says of its form. */
  readonly calls: CallGrammar | null;
  /** Its prompt is said with likelihoods, too. */
  readonly isPromptScored?: boolean;
  /** Among the choices of its prompt. */
  readonly index: number;
}

export function turnBody(generation: Generation, turn: Turn): TextBody {
  const { maxTokens, stop, sampling, grammar } = generation;
  const { prompt, session, hasTools, calls, index } = turn;
  const { seed } = sampling;
  return {
    profile: 'text',
    prompt,
    session,
    maxTokens,
    stop,
    sampling: seed === undefined ? sampling : { ...sampling, seed: nthSeed(seed, index) },
    grammar: calls ?? grammar,
    hasTools,
    ...(turn.isPromptScored === true ? { isPromptScored: true } : {}),
  };
}

/** Choices of one request differ, and the first is what the request gives alone. */
function nthSeed(seed: number, index: number): number {
  const next = seed + index;
  return Number.isSafeInteger(next) ? next : next - 2 * Number.MAX_SAFE_INTEGER;
}

/** Nothing but calls is an answer, unless a text that the caller named cut it. */
export const isForced = (calls: CallGrammar | null, { stop }: Generation): boolean =>
  calls !== null && calls.orElse === null && stop.length === 0;
