/**
 * Handles of one call: small numbers that stand for values of the server (device buffers, fences,
 * works, tensors) inside a program. 0 is null. The VM instance empties the table before each call,
 * so a program cannot keep what it was lent.
 */
import { ProgramFault } from './program-error.js';

export class HandleTable {
  #values: unknown[] = [null];

  clear(): void {
    this.#values = [null];
  }

  /** null gives 0. */
  add(value: unknown): number {
    if (value === null) return 0;
    return this.#values.push(value) - 1;
  }

  get(handle: number): unknown {
    if (handle >= this.#values.length)
      throw new ProgramFault('internal', `handle ${handle} is stale`);
    return this.#values[handle];
  }
}

/** What a `hal.buffer` handle must stand for; lengths and offsets in bytes. */
export interface HalBufferHandle {
  readonly length: number;
  slice(offset: number, length: number): HalBufferHandle;
}
