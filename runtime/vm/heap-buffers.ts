/**
 * Buffers in the heap: { address, length, writable, 0 }, a reference to a range of bytes. Slices
 * share the bytes. A store needs the writable flag, and bytes at or above WRITABLE_BASE: what is
 * frozen in the state image never changes, whatever a header says.
 */
import type { BufferElem } from '../loom/typed.js';
import { elemBytes, faults } from './faults.js';
import type { Heap } from './heap.js';
import { WRITABLE_BASE } from './memory-map.js';

export const BUFFER_BYTES = 16;

export function bufferLength(heap: Heap, buffer: number): number {
  return heap.u32(buffer + 4);
}

/** The bytes in place; valid until the next allocation. */
export function bufferBytes(heap: Heap, buffer: number): Uint8Array {
  const address = heap.u32(buffer);
  return heap.bytes.subarray(address, address + heap.u32(buffer + 4));
}

function newHeader(heap: Heap, address: number, length: number, writable: number): number {
  const at = heap.alloc(BUFFER_BYTES);
  heap.setU32(at, address);
  heap.setU32(at + 4, length);
  heap.setU32(at + 8, writable);
  heap.setU32(at + 12, 0);
  return at;
}

/** A buffer of zeros. */
export function newBuffer(heap: Heap, length: bigint): number {
  if (length < 0n) throw faults.negativeLength(length);
  const count = Number(length);
  heap.chargeBytes(count);
  const address = heap.alloc(count);
  heap.bytes.fill(0, address, address + count);
  return newHeader(heap, address, count, 1);
}

/** A buffer with a copy of `bytes`, which must not lie in the heap's memory. */
export function newBufferOf(heap: Heap, bytes: Uint8Array, writable = true): number {
  heap.chargeBytes(bytes.length);
  const address = heap.alloc(bytes.length);
  heap.bytes.set(bytes, address);
  return newHeader(heap, address, bytes.length, writable ? 1 : 0);
}

/** A copy of `count` bytes of the heap as a new buffer (packed elements of lists and arrays). */
export function newBufferFrom(heap: Heap, source: number, count: number): number {
  heap.chargeBytes(count);
  const address = heap.alloc(count);
  heap.bytes.copyWithin(address, source, source + count);
  return newHeader(heap, address, count, 1);
}

export function sliceBuffer(heap: Heap, buffer: number, offset: bigint, count: bigint): number {
  const start = checkRange(heap, buffer, offset, count);
  return newHeader(heap, start, Number(count), heap.u32(buffer + 8));
}

export function bufferFrom(heap: Heap, buffer: number, offset: bigint): number {
  const length = BigInt(bufferLength(heap, buffer));
  if (offset < 0n || offset > length) throw faults.bufferRange(offset, 0n, Number(length));
  return sliceBuffer(heap, buffer, offset, length - offset);
}

export interface BufferCopy {
  readonly target: number;
  readonly offset: bigint;
  readonly source: number;
  readonly sourceOffset: bigint;
  readonly length: bigint;
}

/** Overlapping ranges are copied as if through a third place. */
export function copyBuffer(heap: Heap, copy: BufferCopy): void {
  const { target, offset, source, sourceOffset, length } = copy;
  const to = checkRange(heap, target, offset, length);
  const from = checkRange(heap, source, sourceOffset, length);
  checkWritable(heap, target);
  heap.chargeBytes(Number(length));
  heap.bytes.copyWithin(to, from, from + Number(length));
}

/** Sets `count` bytes to the low eight bits of `byte`. */
export function fillBuffer(
  heap: Heap,
  buffer: number,
  range: { offset: bigint; count: bigint; byte: bigint },
): void {
  const start = checkRange(heap, buffer, range.offset, range.count);
  checkWritable(heap, buffer);
  heap.chargeBytes(Number(range.count));
  heap.bytes.fill(Number(BigInt.asUintN(8, range.byte)), start, start + Number(range.count));
}

/** The same bytes, read-only through the result. */
export function freezeBuffer(heap: Heap, buffer: number): number {
  return newHeader(heap, heap.u32(buffer), heap.u32(buffer + 4), 0);
}

export interface ElementPlace {
  readonly buffer: number;
  readonly elem: BufferElem;
  readonly offset: number;
  readonly index: bigint;
}

/** Address of an element; raises where it does not lie wholly inside. */
export function elementAddress(heap: Heap, { buffer, elem, offset, index }: ElementPlace): number {
  const size = elemBytes[elem];
  const length = bufferLength(heap, buffer);
  // Inexact only far beyond any buffer, where the comparison holds all the same.
  const end = offset + Number(index) * size + size;
  if (index < 0n || end > length) throw faults.bufferIndex(elem, index, length);
  return heap.u32(buffer) + end - size;
}

export function checkWritable(heap: Heap, buffer: number): void {
  const writable = heap.u32(buffer + 8) !== 0 && heap.u32(buffer) >= heap.u32(WRITABLE_BASE);
  if (!writable) throw faults.frozenBuffer();
}

function checkRange(heap: Heap, buffer: number, offset: bigint, count: bigint): number {
  const length = bufferLength(heap, buffer);
  if (offset < 0n || count < 0n || offset + count > BigInt(length)) {
    throw faults.bufferRange(offset, count, length);
  }
  return heap.u32(buffer) + Number(offset);
}
