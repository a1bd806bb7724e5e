/**
 * Submissions in flight, by number. Whoever gives something up notes the newest number; it may be
 * written again once no submission up to that number is in flight (law I1).
 */
import { assert } from '../base/errors.js';

export class Holds {
  /** Ascending, because numbers only grow. */
  readonly #open = new Set<number>();
  #newest = 0;
  #settled = 0;

  /** The last number that was given out; 0 before the first. */
  get newest(): number {
    return this.#newest;
  }

  /** How many have settled: what waits for them looks again when this has changed. */
  get settled(): number {
    return this.#settled;
  }

  open(): number {
    this.#newest += 1;
    this.#open.add(this.#newest);
    return this.#newest;
  }

  settle(hold: number): void {
    assert(this.#open.delete(hold), `submission ${hold} to be in flight when it settles`);
    this.#settled += 1;
  }

  /** Whether every submission up to this number has settled. */
  isSettled(upTo: number): boolean {
    for (const oldest of this.#open) return oldest > upTo;
    return true;
  }
}
