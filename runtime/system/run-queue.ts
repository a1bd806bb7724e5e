/**
 * The actors of a thread that have a turn to run, in the order in which they became ready. An actor
 * is in the queue at most once: after its turn it goes to the back, so no mailbox starves another.
 */
export interface Runnable {
  isQueued: boolean;
}

export class RunQueue<T extends Runnable> {
  #items: T[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  push(item: T): void {
    if (item.isQueued) return;
    item.isQueued = true;
    this.#items.push(item);
  }

  /** The first one, or the one that `choose` picks (a simulation's other orders). */
  take(choose?: (n: number) => number): T | undefined {
    if (this.length === 0) return undefined;
    if (choose !== undefined && this.length > 1) {
      const picked = this.#head + choose(this.length);
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
