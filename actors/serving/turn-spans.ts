/** How much turns are to read next, and what an epoch is made of, in numbers. */
import type { EpochMix } from '../policy/prompt-share.js';
import type { Turn } from './turn.js';
import type { TurnSpan } from './turn-table.js';

/** Tokens to read next; where a sequence reads itself again, up to where it was captured. */
export function wantedOf({ row, input, capturedTo }: Turn): number {
  const { ids, drafts, done } = row!;
  if (input.isCaptured && done < capturedTo) return capturedTo - done;
  return ids.length - drafts - done;
}

export function mixOf(spans: readonly TurnSpan[]): EpochMix {
  const speaking = spans.filter(({ span }) => span.ids.length - span.drafts === 1);
  const count = (of: readonly TurnSpan[]): number =>
    of.reduce((sum, { span }) => sum + span.ids.length, 0);
  return { speaking: count(speaking), prompt: count(spans) - count(speaking) };
}
