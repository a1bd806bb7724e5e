/**
 * Tries again for whoever the budget would admit and for whom the machine had no memory: nobody
 * tells when it has some again. One timer at most, and only while somebody needs it.
 */
import type { Timers } from '../base/ports.js';

const RETRY_MS = 50;

export class PlacementRetry {
  readonly #timers: Timers;
  readonly #settle: () => void;
  #isDue = false;

  constructor(timers: Timers, settle: () => void) {
    this.#timers = timers;
    this.#settle = settle;
  }

  /** Something was not placed although the budget has room for it. */
  refused(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#timers.start(RETRY_MS, () => {
      this.#isDue = false;
      this.#settle();
    });
  }
}
