/**
 * Strings in the heap: { length u32, bytes… }, always valid UTF-8, never changed. Offsets and
 * lengths are bytes. All results are new objects in the arena.
 */
import { faults } from './faults.js';
import type { Heap } from './heap.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
const strictDecoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function stringLength(heap: Heap, string: number): number {
  return heap.u32(string);
}

/** The bytes in place; valid until the next allocation. */
export function stringBytes(heap: Heap, string: number): Uint8Array {
  return heap.bytes.subarray(string + 4, string + 4 + heap.u32(string));
}

export function readString(heap: Heap, string: number): string {
  return decoder.decode(stringBytes(heap, string));
}

export function newString(heap: Heap, text: string): number {
  return newStringOf(heap, encoder.encode(text));
}

/** `bytes` must be valid UTF-8 and must not lie in the heap's memory. */
export function newStringOf(heap: Heap, bytes: Uint8Array): number {
  heap.chargeBytes(bytes.length);
  const at = heap.alloc(4 + bytes.length);
  heap.setU32(at, bytes.length);
  heap.bytes.set(bytes, at + 4);
  return at;
}

/** A string of bytes that may be anything; raises where they are not UTF-8. */
export function newCheckedString(heap: Heap, bytes: Uint8Array): number {
  const copy = bytes.slice();
  try {
    strictDecoder.decode(copy);
  } catch {
    throw faults.stringUtf8();
  }
  return newStringOf(heap, copy);
}

export function concatStrings(heap: Heap, left: number, right: number): number {
  const length = heap.u32(left) + heap.u32(right);
  heap.chargeBytes(length);
  const at = heap.alloc(4 + length);
  heap.setU32(at, length);
  heap.bytes.set(stringBytes(heap, left), at + 4);
  heap.bytes.set(stringBytes(heap, right), at + 4 + heap.u32(left));
  return at;
}

export function equalStrings(heap: Heap, left: number, right: number): boolean {
  if (left === right) return true;
  const length = heap.u32(left);
  if (length !== heap.u32(right)) return false;
  heap.chargeBytes(length);
  const { bytes } = heap;
  for (let i = 0; i < length; i++) {
    if (bytes[left + 4 + i] !== bytes[right + 4 + i]) return false;
  }
  return true;
}

export function sliceString(heap: Heap, string: number, offset: bigint, count: bigint): number {
  const length = heap.u32(string);
  if (offset < 0n || count < 0n || offset + count > BigInt(length)) {
    throw faults.stringRange(offset, count, length);
  }
  const from = string + 4 + Number(offset);
  const to = from + Number(count);
  for (const edge of [from, to]) {
    // A byte 10xxxxxx continues a character, so the edge would cut it.
    const inside = edge < string + 4 + length && (heap.bytes[edge]! & 0xc0) === 0x80;
    if (inside) throw faults.stringBoundary(edge - string - 4);
  }
  heap.chargeBytes(to - from);
  const at = heap.alloc(4 + to - from);
  heap.setU32(at, to - from);
  heap.bytes.copyWithin(at + 4, from, to);
  return at;
}

/** Byte offset of the first occurrence at or after `from`, or -1. */
export function findInString(heap: Heap, string: number, needle: number, from: bigint): bigint {
  const length = heap.u32(string);
  if (from < 0n || from > BigInt(length)) throw faults.stringRange(from, 0n, length);
  heap.chargeBytes(length - Number(from));
  const text = Buffer.from(heap.memory.buffer as ArrayBuffer, string + 4, length);
  return BigInt(text.indexOf(stringBytes(heap, needle), Number(from)));
}

export function byteOfString(heap: Heap, string: number, index: bigint): bigint {
  const length = heap.u32(string);
  if (index < 0n || index >= BigInt(length)) throw faults.stringRange(index, 1n, length);
  return BigInt(heap.bytes[string + 4 + Number(index)]!);
}
