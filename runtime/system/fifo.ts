/** A first-in first-out list that shifts in constant time and gives its memory back. */

/** Taken places that are kept before the list moves up. */
const SLACK = 1024;

export class Fifo<T> {
  readonly #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  get first(): T | undefined {
    return this.#items[this.#head];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head++] = undefined;
    if (this.#head === this.#items.length) {
      this.#items.length = 0;
      this.#head = 0;
    } else if (this.#head >= SLACK && this.#head * 2 >= this.#items.length) {
      this.#items.splice(0, this.#head);
      this.#head = 0;
    }
    return item;
  }

  /** Exchanges the first item with the one at `index`. */
  bringForward(index: number): void {
    const items = this.#items;
    const place = this.#head + index;
    [items[this.#head], items[place]] = [items[place], items[this.#head]];
  }
}
