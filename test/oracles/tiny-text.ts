/**
 * What models/tiny-text must compute, from the formulas of its README in plain arithmetic: all of
 * it from the ids of a row alone, every time. Sums of whole numbers are exact, halving is, and the
 * tail rounds once a token, so pages, states and scores are equal bit for bit.
 */
export const vocabulary = 261;
export const END = 256;

/** A bijection of 32-bit words. */
export function scrambled(word: number): number {
  let x = word;
  x = Math.imul(x ^ (x >>> 16), 0x7feb352d);
  x = Math.imul(x ^ (x >>> 15), 0x846ca68b);
  return (x ^ (x >>> 16)) >>> 0;
}

/** What a row carries from token to token. */
export interface State {
  readonly hash: number;
  readonly tail: number;
  readonly read: number;
  readonly wheel: number;
}

export const emptyState: State = { hash: 0x811c9dc5, tail: 1, read: 0, wheel: 0x2545f491 };

/** What a token leaves in its page. */
export interface Slot {
  readonly key: number;
  readonly value: number;
  readonly id: number;
  readonly tail: number;
}

export function advance(state: State, id: number): State {
  const mixed = Math.imul(state.hash ^ (id + 1), 0x01000193) + state.wheel;
  const hash = scrambled(mixed | 0);
  const turned = (state.wheel << 5) | (state.wheel >>> 27);
  return {
    hash,
    tail: Math.fround(state.tail / 2 + (id + 1)),
    read: state.read + 1,
    wheel: (turned + hash) >>> 0,
  };
}

export const slotOf = (state: State, id: number): Slot => ({
  key: state.hash % 8,
  value: (state.hash >>> 8) % 256,
  id: id + 1,
  tail: state.tail,
});

/** A row read from its first token: the states after each one, and the slots. */
export class Replay {
  readonly states: State[] = [];
  readonly slots: Slot[] = [];

  constructor(ids: readonly number[] = []) {
    for (const id of ids) this.push(id);
  }

  push(id: number): void {
    const state = advance(this.states.at(-1) ?? emptyState, id);
    this.states.push(state);
    this.slots.push(slotOf(state, id));
  }

  /** What the token at `position` sees behind it. */
  sumAt(position: number): number {
    const own = this.slots[position]!;
    let sum = 0;
    for (let at = 0; at <= position; at += 1) {
      const { key, value, id, tail } = this.slots[at]!;
      const weight = (((own.key + key) % 8) + 1) * (((position - at) % 5) + 1);
      sum += weight * value + (tail > own.tail ? id : 0);
    }
    return sum;
  }

  /** Scores of all ids for what follows `position`. */
  scoresAt(position: number): number[] {
    const { hash, tail } = this.states[position]!;
    const bits = new Uint32Array(Float32Array.of(tail).buffer)[0]!;
    const seen = Math.imul(this.sumAt(position), 0x9e3779b1);
    const from = (scrambled((hash + bits) | 0) + seen) >>> 0;
    return Array.from({ length: vocabulary }, (_, id) => scoreOf(from, id));
  }

  /** The bytes of the row's pages, `pageTokens` slots each, as far as it has tokens. */
  pageBytes(): Uint8Array {
    const numbers = this.slots.flatMap(({ key, value, id, tail }) => [key, value, id, tail]);
    return new Uint8Array(Float32Array.from(numbers).buffer);
  }
}

export function stateBytes({ hash, tail, read, wheel }: State): Uint8Array {
  const view = new DataView(new ArrayBuffer(16));
  view.setUint32(0, hash, true);
  view.setFloat32(4, tail, true);
  view.setUint32(8, read, true);
  view.setUint32(12, wheel, true);
  return new Uint8Array(view.buffer);
}

function scoreOf(from: number, id: number): number {
  const word = scrambled(from ^ Math.imul(id, 0x85ebca6b));
  const level = (word >>> 20) / 512;
  if (id > END) return level - 64;
  if (id === END) return level + (word % 64 === 0 ? 16 : -32);
  const character = String.fromCharCode(id);
  if (/[a-z ]/.test(character)) return level;
  return /[!-~\n]/.test(character) ? level - 2 : level - 10;
}

/** Greedy: the highest score, of equal ones the lowest id. */
export function highest(scores: readonly number[]): number {
  return scores.indexOf(Math.max(...scores));
}

/** Tokens that follow a prompt, up to `most` or the end, which is one of them. */
export function continued(prompt: readonly number[], most: number): number[] {
  const row = new Replay(prompt);
  const output: number[] = [];
  while (output.length < most && output.at(-1) !== END) {
    const next = highest(row.scoresAt(row.slots.length - 1));
    output.push(next);
    row.push(next);
  }
  return output;
}
