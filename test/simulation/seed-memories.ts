/**
 * The memories of control programs, lent to one seed after another: each takes gigabytes of
 * addresses and the pages that it touches, and a seed needs a handful for a few milliseconds.
 *
 * Holds: what is lent is all zero, as if it were new, so a seed finds nothing of the one before.
 */
import type { HeapMemories, HeapPages } from '../../runtime/vm/heap-memories.js';

interface Lent {
  readonly memory: WebAssembly.Memory;
  readonly maximum: number;
  readonly wipe: () => void;
}

export class SeedMemories implements HeapMemories {
  readonly #free = new Map<number, WebAssembly.Memory[]>();
  #lent: Lent[] = [];

  take({ initial, maximum }: HeapPages, wipe: () => void): WebAssembly.Memory {
    const memory = this.#freeOf(maximum).pop() ?? new WebAssembly.Memory({ initial, maximum });
    this.#lent.push({ memory, maximum, wipe });
    return memory;
  }

  /** Of a seed that is over: nobody runs a program of it any more. */
  reclaim(): void {
    for (const { memory, maximum, wipe } of this.#lent) {
      wipe();
      this.#freeOf(maximum).push(memory);
    }
    this.#lent = [];
  }

  #freeOf(maximum: number): WebAssembly.Memory[] {
    const known = this.#free.get(maximum) ?? [];
    this.#free.set(maximum, known);
    return known;
  }
}
