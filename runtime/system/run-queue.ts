/**
 * The actors of a thread that have a turn to run, in the order in which they became ready. An actor
 * is in the queue at most once: after its turn it goes to the back, so no mailbox starves another.
 * Starts come before messages and keep their order, whatever a simulation chooses: what is started
 * later may count on what was started before.
 */
import { Fifo } from './fifo.js';

export interface Runnable {
  isQueued: boolean;
}

export class RunQueue<T extends Runnable> {
  readonly #starts = new Fifo<T>();
  readonly #ready = new Fifo<T>();

  get length(): number {
    return this.#starts.length + this.#ready.length;
  }

  /** It may wait for a message turn already, from before a restart: that turn is then idle. */
  pushStart(item: T): void {
    item.isQueued = true;
    this.#starts.push(item);
  }

  push(item: T): void {
    if (item.isQueued) return;
    item.isQueued = true;
    this.#ready.push(item);
  }

  /** The first one, or the one that `choose` picks (a simulation's other orders). */
  take(choose?: (n: number) => number): T | undefined {
    if (choose !== undefined && this.#starts.length === 0 && this.#ready.length > 1) {
      this.#ready.bringForward(choose(this.#ready.length));
    }
    const item = this.#starts.shift() ?? this.#ready.shift();
    if (item !== undefined) item.isQueued = false;
    return item;
  }
}
