/**
 * Where heaps get their WebAssembly memory from. A new one each is right for a server, whose
 * instances live long. Whoever runs many servers one after another lends the same memories again:
 * each takes some gigabytes of addresses and the pages that it touches.
 *
 * Holds: what is lent is all zero. A memory that was lent before may be longer than asked.
 */
export interface HeapPages {
  readonly initial: number;
  readonly maximum: number;
}

export interface HeapMemories {
  /** `wipe` clears what the heap has written, when nobody uses it any more. */
  take(pages: HeapPages, wipe: () => void): WebAssembly.Memory;
}

export const newMemories: HeapMemories = {
  take: (pages) => new WebAssembly.Memory(pages),
};
