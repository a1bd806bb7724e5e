/**
 * The actors of a thread that have a turn to run, in the order in which they became ready. An actor
 * is in the queue at most once: after its turn it goes to the back, so no mailbox starves another.
 * Starts come before messages and keep their order, whatever a simulation chooses: what is started
 * later may count on what was started before.
 */
export interface Runnable {
  isQueued: boolean;
}

export class RunQueue<T extends Runnable> {
  readonly #starts: T[] = [];
  #items: T[] = [];
  #head = 0;

  get length(): number {
    return this.#starts.length + this.#items.length - this.#head;
  }

  /** It may wait for a message turn already, from before a restart: that turn is then idle. */
  pushStart(item: T): void {
    item.isQueued = true;
    this.#starts.push(item);
  }

  push(item: T): void {
    if (item.isQueued) return;
    item.isQueued = true;
    this.#items.push(item);
  }

  /** The first one, or the one that `choose` picks (a simulation's other orders). */
  take(choose?: (n: number) => number): T | undefined {
    const start = this.#starts.shift();
    if (start !== undefined) {
      start.isQueued = false;
      return start;
    }
    const { length } = this;
    if (length === 0) return undefined;
    if (choose !== undefined && length > 1) {
      const picked = this.#head + choose(length);
      const item = this.#items[picked]!;
      this.#items[picked] = this.#items[this.#head]!;
      this.#items[this.#head] = item;
    }
    const item = this.#items[this.#head++]!;
    if (this.#head === this.#items.length || this.#head === 1024) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    item.isQueued = false;
    return item;
  }
}
