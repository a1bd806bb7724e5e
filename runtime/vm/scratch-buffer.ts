/**
 * An argument that a program fills in place: a buffer of zeros in the memory of the call, of which
 * the server reads ranges when the call has returned. Nothing is copied in, and out only what is
 * read. The next call of the same instance takes the memory back.
 */
import { assert } from '../base/errors.js';
import type { Heap } from './heap.js';
import { bufferBytes, newBuffer } from './heap-buffers.js';

interface Place {
  readonly heap: Heap;
  readonly buffer: number;
  readonly call: number;
}

export class ScratchBuffer {
  readonly length: number;
  #place: Place | null = null;

  constructor(length: number) {
    this.length = length;
  }

  /** Its address in the call that begins. */
  place(heap: Heap): number {
    const buffer = newBuffer(heap, BigInt(this.length));
    this.#place = { heap, buffer, call: heap.calls };
    return buffer;
  }

  /** Copies bytes from `offset` on, as the last call left them. */
  copyTo(target: Uint8Array, offset: number): void {
    const place = this.#place;
    assert(place !== null && place.heap.calls === place.call, 'a scratch buffer of the last call');
    const end = offset + target.length;
    assert(offset >= 0 && end <= this.length, 'a range of the buffer');
    target.set(bufferBytes(place.heap, place.buffer).subarray(offset, end));
  }
}
