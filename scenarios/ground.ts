/**
 * What a scenario is played on. `http-ground.ts` is a server behind a socket; the tests have one
 * that is simulated under a seed, with the same actors and the same HTTP in one thread.
 */
import type { Clock, Timers } from '../runtime/base/ports.js';
import type { Call, Fault, Held, Moment } from './scenario.js';

export type ReachedMoment = Extract<Moment, { readonly kind: 'reached' }>;

/** An answer as far as its head; the body is read as its client likes. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Chunks of the body; rejects when the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Ground {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Rejects when there is no answer: the signal was aborted, or the connection broke. */
  fetch(call: Call, signal: AbortSignal): Promise<Answer>;
  /** Null where nobody may harm the server. */
  readonly harm: ((fault: Fault) => Promise<void>) | null;
  /** Resolves when it is held, to what lets it go; null where nobody may hold anything. */
  readonly hold: ((what: Held) => Promise<Release>) | null;
  /** Null where transitions cannot be had. */
  readonly transitions: Transitions | null;
}

export type Release = () => void;

export interface Transitions {
  /** From now on transitions are seen. */
  begin(): Promise<void>;
  /** Resolves when actors have come into the state so many times since then. */
  reached(moment: ReachedMoment, sinceMs: number): Promise<void>;
  /** Ends all waiting; nothing is recorded any more. */
  close(): Promise<void>;
}

/** A call that nobody leaves, with its whole body. */
export async function asked(
  ground: Ground,
  call: Call,
): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await ground.fetch(call, new AbortController().signal);
  return { status: answer.status, text: await textOf(answer) };
}

export async function textOf({ body }: Answer): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body) text += decoder.decode(chunk, { stream: true });
  return text;
}
