/**
 * What a seed's readers do: requests that keep nothing, and sessions with turns, forks, rewinds,
 * checkpoints; some leave, some read late or never. Pure.
 */
import { SeededRandom } from '../../runtime/system/seeded-random.js';

/** Reads at once, nothing for a while and then everything, or never. */
export type Reading = 'prompt' | 'late' | 'never';

export interface TextStep {
  readonly op: 'generate' | 'append' | 'fork' | 'rewind' | 'checkpoint' | 'restore' | 'close';
  /** Not before this. */
  readonly atMs: number;
  /** Which of the sessions that its reader has; whoever has none opens one. */
  readonly pick: number;
  readonly prompt: readonly number[];
  readonly maxTokens: number | null;
  /** Likelihoods are wanted too, so nothing is proposed: a delta a token. */
  readonly details: boolean;
  readonly reading: Reading;
  /** It leaves so long after it has asked; null: it stays. */
  readonly leavesMs: number | null;
  /** A second caller comes meanwhile. */
  readonly isCrowded: boolean;
}

export interface TextReader {
  readonly model: string;
  readonly keepsSession: boolean;
  readonly steps: readonly TextStep[];
}

export interface TextShape {
  readonly models: readonly string[];
  readonly readers: number;
  readonly lengthMs: number;
  readonly cancelled: number;
}

const ids = (text: string): number[] => [...text].map((char) => char.charCodeAt(0));
/** Prompts that share their beginnings; what follows the first four is long. */
const prompts = [
  'aix',
  'bhx',
  'cex',
  'dqx',
  'one and the same beginning',
  'one and the same beginning of a text',
  'one and the same, but not for long',
  'something else, and longer than the pages of an epoch can hold at once: more than sixty',
].map(ids);
const ops = ['generate', 'generate', 'append', 'fork', 'rewind', 'checkpoint', 'restore'] as const;

export function planReaders(seed: number, startMs: number, shape: TextShape): TextReader[] {
  const random = SeededRandom.for(seed, 'text');
  const chance = (share: number): boolean => random.next() < share;
  const pick = <Item>(items: readonly Item[]): Item => items[random.below(items.length)]!;
  const step = (atMs: number, op: TextStep['op'], isNew: boolean): TextStep => {
    const details = chance(0.3);
    const isLong = details && chance(0.6);
    const reading = chance(0.15) ? 'never' : chance(0.3) ? 'late' : 'prompt';
    const more = isNew || chance(0.7) ? pick(prompts) : [];
    return {
      op,
      atMs,
      pick: random.below(3),
      prompt: isLong ? prompts[random.below(4)]! : isNew ? more : more.slice(0, 9),
      maxTokens: isLong
        ? 60
        : chance(0.1)
          ? random.below(2)
          : chance(0.1)
            ? null
            : random.below(12),
      details,
      reading,
      leavesMs: chance(shape.cancelled) ? random.next() ** 2 * 12 : null,
      isCrowded: chance(0.15),
    };
  };
  return Array.from({ length: shape.readers }, () => {
    const keepsSession = chance(0.5);
    let atMs = startMs + (chance(0.4) ? 2 : random.next() * shape.lengthMs);
    const count = keepsSession ? 3 + random.below(6) : 1 + random.below(2);
    const steps = Array.from({ length: count }, (_, i) => {
      if (i > 0) atMs += random.next() * 8;
      return step(atMs, keepsSession && i > 0 ? pick(ops) : 'generate', i === 0 || !keepsSession);
    });
    if (keepsSession && chance(0.5)) steps.push(step(atMs, 'close', false));
    return { model: pick(shape.models), keepsSession, steps };
  });
}
