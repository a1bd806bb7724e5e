/**
 * Which turns may go on: not those whose reader does not read. While others wait for the device's
 * memory, those that were there before run to their end, and whoever comes later waits until the
 * rows have been given up and come back.
 */
import type { Turn } from './turn.js';

export class TurnDoor {
  readonly #order = new WeakMap<Turn, number>();
  #came = 0;
  /** Turns that have come when it was shut; Infinity: it is open. */
  #last = Infinity;

  get isShut(): boolean {
    return this.#last < Infinity;
  }

  came(turn: Turn): void {
    this.#came += 1;
    this.#order.set(turn, this.#came);
  }

  lets(turn: Turn): boolean {
    return !turn.isStalled && this.#order.get(turn)! <= this.#last;
  }

  shut(): void {
    this.#last = Math.min(this.#last, this.#came);
  }

  open(): void {
    this.#last = Infinity;
  }
}
