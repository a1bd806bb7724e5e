/**
 * Lists and arrays in the heap. A list is a reference { data, length, capacity, frozen } to packed
 * elements that move when it grows; an array is packed elements, copied when stored. Element sizes
 * come from the static type, so every operation takes the size.
 */
import type { Type } from '../loom/typed.js';
import { faults } from './faults.js';
import type { Heap } from './heap.js';
import { newBufferFrom } from './heap-buffers.js';
import { WRITABLE_BASE } from './memory-map.js';
import { valueSize } from './value-layout.js';

export const LIST_BYTES = 16;
const FIRST_CAPACITY = 4;

export function newList(heap: Heap): number {
  const at = heap.alloc(LIST_BYTES);
  for (let word = 0; word < LIST_BYTES; word += 4) heap.setU32(at + word, 0);
  return at;
}

export function listLength(heap: Heap, list: number): number {
  return heap.u32(list + 4);
}

/** Address of element `index`. */
export function listElement(heap: Heap, list: number, index: bigint, size: number): number {
  const length = heap.u32(list + 4);
  if (index < 0n || index >= BigInt(length)) throw faults.listIndex(index, length);
  return heap.u32(list) + Number(index) * size;
}

/** The same, for a store. */
export function writableElement(heap: Heap, list: number, index: bigint, size: number): number {
  checkThawed(heap, list);
  return listElement(heap, list, index, size);
}

/** Adds an element and returns its address; the caller stores the value. */
export function pushElement(heap: Heap, list: number, size: number): number {
  checkThawed(heap, list);
  const length = heap.u32(list + 4);
  if (length === heap.u32(list + 8)) growList(heap, list, size);
  heap.setU32(list + 4, length + 1);
  return heap.u32(list) + length * size;
}

function growList(heap: Heap, list: number, size: number): void {
  const length = heap.u32(list + 4);
  const capacity = Math.max(FIRST_CAPACITY, length * 2);
  heap.chargeBytes(length * size);
  const data = heap.alloc(capacity * size);
  const old = heap.u32(list);
  heap.bytes.copyWithin(data, old, old + length * size);
  heap.setU32(list, data);
  heap.setU32(list + 8, capacity);
}

function checkThawed(heap: Heap, list: number): void {
  if (heap.u32(list + 12) !== 0 || list < heap.u32(WRITABLE_BASE)) throw faults.frozenList();
}

/** The packed elements, copied. */
export function listBytes(heap: Heap, list: number, size: number): number {
  return newBufferFrom(heap, heap.u32(list), heap.u32(list + 4) * size);
}

/** Address of element `index` of an array of `count`. */
export function arrayElement(
  array: number,
  index: bigint,
  place: { count: number; size: number },
): number {
  if (index < 0n || index >= BigInt(place.count)) throw faults.arrayIndex(index, place.count);
  return array + Number(index) * place.size;
}

/** A copy of an array, arrays inside it included. */
export function copyArray(
  heap: Heap,
  array: number,
  type: Type & { readonly kind: 'array' },
): number {
  const bytes = type.count * valueSize(type.elem);
  heap.chargeBytes(bytes);
  const copy = heap.alloc(bytes);
  heap.bytes.copyWithin(copy, array, array + bytes);
  if (type.elem.kind === 'array') {
    for (let at = copy; at < copy + bytes; at += 4) {
      heap.setU32(at, copyArray(heap, heap.u32(at), type.elem));
    }
  }
  return copy;
}
