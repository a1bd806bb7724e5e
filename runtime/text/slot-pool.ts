/**
 * Places of equal size, by index: which are free, and which wait until the submissions that may
 * still touch them have settled. An index is taken, given back, taken again; it is handed out only
 * when every submission that `touch` named for it has settled.
 */
import { assert } from '../base/errors.js';
import type { Holds } from './holds.js';

export class SlotPool {
  readonly #count: number;
  readonly #holds: Holds;
  /** Given back, and free. */
  readonly #free: number[] = [];
  /** From here on none was ever taken; so many places are free besides, and listed nowhere. */
  #unused = 0;
  #waiting: number[] = [];
  /** Of each place, the last submission that may touch it. */
  readonly #stamps: Float64Array;
  readonly #isTaken: Uint8Array;
  /** Submissions that had settled when `waiting` was looked through last. */
  #seen = 0;

  constructor(count: number, holds: Holds) {
    this.#count = count;
    this.#holds = holds;
    this.#stamps = new Float64Array(count);
    this.#isTaken = new Uint8Array(count);
  }

  get free(): number {
    this.#look();
    return this.#free.length + this.#count - this.#unused;
  }

  /** Given back, and not free yet. */
  get waiting(): number {
    this.#look();
    return this.#waiting.length;
  }

  take(): number | null {
    this.#look();
    for (let index = this.#free.pop(); index !== undefined; index = this.#free.pop()) {
      if (this.isSettled(index)) {
        this.#isTaken[index] = 1;
        return index;
      }
      // A move that was listed before it was given back is under way now.
      this.#waiting.push(index);
    }
    if (this.#unused === this.#count) return null;
    this.#unused += 1;
    this.#isTaken[this.#unused - 1] = 1;
    return this.#unused - 1;
  }

  give(index: number): void {
    assert(this.#isTaken[index] === 1, `place ${index} to be taken when it is given back`);
    this.#isTaken[index] = 0;
    (this.isSettled(index) ? this.#free : this.#waiting).push(index);
  }

  /** Submissions up to this one touch the place, whoever has it. */
  touch(index: number, hold: number): void {
    this.#stamps[index] = Math.max(this.#stamps[index]!, hold);
  }

  isSettled(index: number): boolean {
    return this.#holds.isSettled(this.#stamps[index]!);
  }

  #look(): void {
    if (this.#seen === this.#holds.settled) return;
    this.#seen = this.#holds.settled;
    this.#waiting = this.#waiting.filter((index) => {
      if (!this.isSettled(index)) return true;
      this.#free.push(index);
      return false;
    });
  }
}
