/**
 * How a token is chosen from scores, as `motif.sampling`, `motif.draw` and `motif.likeliest` state
 * it, by sorting and in double precision. A draw that lies within rounding of a boundary has more
 * than one right answer; all of them are given.
 */
import type { SamplingOptions } from '../../runtime/profiles/text.js';

export interface Draw {
  readonly seed: bigint;
  readonly counter: number;
}

export interface Constraint {
  /** The last outputs that penalties count. */
  readonly history: readonly number[];
  readonly mask: Uint32Array | null;
}

/** What is as small a part of the whole may be lost in single precision. */
const ROUNDING = 1e-5;

const isAllowed = (mask: Uint32Array | null, id: number): boolean =>
  mask === null || ((mask[id >>> 5]! >>> (id & 31)) & 1) === 1;

/** Scores after penalties, biases and mask; what is excluded is -Infinity. */
export function shapedScores(
  scores: readonly number[],
  options: SamplingOptions,
  { history, mask }: Constraint,
): number[] {
  const { repetitionPenalty = 1, presencePenalty = 0, frequencyPenalty = 0 } = options;
  return scores.map((score, id) => {
    if (!isAllowed(mask, id)) return -Infinity;
    const times = history.filter((past) => past === id).length;
    let x = score;
    if (times > 0) {
      x = x > 0 ? x / repetitionPenalty : x * repetitionPenalty;
      x -= presencePenalty + frequencyPenalty * times;
    }
    const biases = (options.logitBias ?? []).filter(([biased]) => biased === id);
    return biases.reduce((sum, [, bias]) => sum + bias, x);
  });
}

/** Every id that a right sampler may give. */
export function possibleChoices(
  shaped: readonly number[],
  { temperature = 0, topK = 0, topP = 1, minP = 0 }: SamplingOptions,
  draw: Draw,
): number[] {
  const top = Math.max(...shaped);
  if (temperature === 0) {
    const near = shaped.findIndex((score) => score === top);
    return [near, ...shaped.keys()].filter((id) => shaped[id]! > top - ROUNDING);
  }
  const weights = shaped.map((score) => Math.exp((score - top) / temperature));
  const kept = keptIds(weights, { topK, topP, minP });
  const total = kept.reduce((sum, id) => sum + weights[id]!, 0);
  const passed = uniform(draw) * total;
  let sum = 0;
  return kept.filter((id) => {
    const from = sum;
    sum += weights[id]!;
    return passed >= from - ROUNDING * total && passed <= sum + ROUNDING * total;
  });
}

/** Ids that may be drawn, ascending. Equal weights are kept or left together. */
function keptIds(
  weights: readonly number[],
  { topK, topP, minP }: { topK: number; topP: number; minP: number },
): number[] {
  const descending = [...weights].sort((a, b) => b - a);
  const k = topK === 0 ? weights.length : Math.min(topK, weights.length);
  let least = descending[k - 1]!;
  const isLeast = (weight: number): boolean => weight >= least * (1 - ROUNDING);
  const candidates = descending.filter(isLeast);
  const target = candidates.reduce((sum, weight) => sum + weight, 0) * topP;
  let sum = 0;
  if (topP < 1) {
    least = candidates.find((weight) => (sum += weight) >= target * (1 - ROUNDING)) ?? least;
  }
  least = Math.max(least, minP);
  return [...weights.keys()].filter((id) => weights[id]! > 0 && isLeast(weights[id]!));
}

/** Log probabilities of the scores themselves. */
export function logProbabilities(scores: readonly number[]): number[] {
  const top = Math.max(...scores);
  const total = scores.reduce((sum, score) => sum + Math.exp(score - top), 0);
  return scores.map((score) => score - top - Math.log(total));
}

/** Philox 4x32-10: the upper 24 bits of its first word, as a part of one. */
function uniform({ seed, counter }: Draw): number {
  const word = 0xffffffffn;
  let [c0, c1, c2, c3] = [BigInt(counter), 0n, 0n, 0n];
  let [k0, k1] = [seed & word, (seed >> 32n) & word];
  for (let round = 0; round < 10; round += 1) {
    const [first, second] = [0xd2511f53n * c0, 0xcd9e8d57n * c2];
    [c0, c1, c2, c3] = [
      ((second >> 32n) ^ c1 ^ k0) & word,
      second & word,
      ((first >> 32n) ^ c3 ^ k1) & word,
      first & word,
    ];
    [k0, k1] = [(k0 + 0x9e3779b9n) & word, (k1 + 0xbb67ae85n) & word];
  }
  return Number(c0 >> 8n) / 2 ** 24;
}
