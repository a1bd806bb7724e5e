/**
 * Sealing: a record graph is copied deeply, its lists and buffers become read-only, and a ref with
 * the fingerprint of its type stands for it. A sealed graph lives in the arena of its call;
 * `exportState` makes an image of it that lies at FROZEN_BASE in other instances (cold to warm),
 * `importState` brings such an image into the arena of a call (state of one request).
 */
import { StatusError } from '../base/errors.js';
import type { RecordType, Type } from '../loom/typed.js';
import { faults } from './faults.js';
import type { Heap, SealedState } from './heap.js';
import { BUFFER_BYTES } from './heap-buffers.js';
import { LIST_BYTES } from './heap-lists.js';
import { FROZEN_BASE, SEAL_DEPTH_MAX } from './memory-map.js';
import { fingerprintOf, structureDigest, typeText } from './type-text.js';
import { isAddress, recordLayout, valueSize } from './value-layout.js';

export const REF_BYTES = 8;
/** Fingerprint of a ref that stands for a value of the server, not for a record. */
export const SERVER_VALUE = 0;

/** Record types that refs of this instance may hold, by fingerprint. */
export type SealedTypes = Map<number, RecordType>;

export function sealRecord(
  heap: Heap,
  record: number,
  type: RecordType,
  known: SealedTypes,
): number {
  learn(known, type);
  return new GraphCopy(heap, known).ref(record, type);
}

/**
 * Within an instance one fingerprint means one structure: refs say no more of their type than that,
 * and whoever writes programs can make two types that share it.
 */
export function learn(known: SealedTypes, type: RecordType): void {
  const fingerprint = fingerprintOf(type);
  const earlier = known.get(fingerprint);
  if (earlier === undefined) known.set(fingerprint, type);
  else if (structureDigest(earlier) !== structureDigest(type)) throw faults.stateType(type.name);
}

/** The record of a ref, in place. */
export function openRef(heap: Heap, ref: number, type: RecordType, known: SealedTypes): number {
  if (heap.u32(ref) !== fingerprintOf(type)) throw faults.stateType(type.name);
  learn(known, type);
  return heap.u32(ref + 4);
}

/** The graph of a ref as an image for FROZEN_BASE. The arena is left as it was. */
export function exportState(heap: Heap, ref: number, known: SealedTypes): SealedState {
  const type = known.get(heap.u32(ref));
  if (!type) throw new StatusError('internal', 'the ref that was returned holds no sealed record');
  const used = heap.used;
  // An allocation of nothing tells where the copy will begin.
  const base = heap.alloc(0);
  const copy = new GraphCopy(heap, known);
  const root = copy.ref(heap.u32(ref + 4), type);
  const image = heap.bytes.slice(base, base + heap.used - used);
  heap.rewind(used);
  const pointers = Uint32Array.from(copy.pointers, (at) => at - base);
  relocate(image, pointers, FROZEN_BASE - base);
  return { image, root: root - base + FROZEN_BASE, pointers, types: [...copy.types] };
}

/** Copies an exported state into the arena; returns its ref there. */
export function importState(heap: Heap, state: SealedState, known: SealedTypes): number {
  for (const type of state.types) learn(known, type);
  heap.chargeBytes(state.image.length);
  const base = heap.alloc(state.image.length);
  const image = heap.bytes.subarray(base, base + state.image.length);
  image.set(state.image);
  relocate(image, state.pointers, base - FROZEN_BASE);
  return state.root - FROZEN_BASE + base;
}

function relocate(image: Uint8Array, pointers: Uint32Array, distance: number): void {
  const view = new DataView(image.buffer, image.byteOffset, image.length);
  for (const at of pointers) view.setUint32(at, view.getUint32(at, true) + distance, true);
}

/** Copies one graph into the arena, without a gap; an object that is reached twice stays one. */
class GraphCopy {
  readonly #heap: Heap;
  readonly #known: SealedTypes;
  readonly #copies = new Map<number, number>();
  /** Objects around the one being copied. */
  #depth = 0;
  /** Places of the copy that hold addresses inside it. */
  readonly pointers: number[] = [];

  constructor(heap: Heap, known: SealedTypes) {
    this.#heap = heap;
    this.#known = known;
  }

  /** Record types of the refs that were copied. */
  readonly types = new Set<RecordType>();

  ref(record: number, type: RecordType): number {
    this.types.add(type);
    const at = this.#heap.alloc(REF_BYTES);
    this.#heap.setU32(at, fingerprintOf(type));
    this.#link(at + 4, this.#value({ kind: 'record', record: type }, record));
    return at;
  }

  #link(at: number, target: number): void {
    this.#heap.setU32(at, target);
    this.pointers.push(at);
  }

  #value(type: Type, address: number): number {
    const done = this.#copies.get(address);
    if (done !== undefined) return done;
    if (this.#depth >= SEAL_DEPTH_MAX) throw faults.sealDepth();
    this.#depth += 1;
    const copy = this.#object(type, address);
    this.#depth -= 1;
    return copy;
  }

  #bytes(address: number, count: number): number {
    const heap = this.#heap;
    heap.chargeBytes(count);
    const at = heap.alloc(count);
    heap.bytes.copyWithin(at, address, address + count);
    return at;
  }

  #object(type: Type, address: number): number {
    const heap = this.#heap;
    switch (type.kind) {
      case 'string':
        return this.#keep(address, this.#bytes(address, 4 + heap.u32(address)));
      case 'buffer': {
        const at = this.#keep(address, this.#bytes(address, BUFFER_BYTES));
        this.#link(at, this.#bytes(heap.u32(address), heap.u32(address + 4)));
        heap.setU32(at + 8, 0);
        return at;
      }
      case 'list':
        return this.#list(type.elem, address);
      case 'array':
        return this.#elements(type.elem, { from: address, count: type.count });
      case 'record':
        return this.#record(type.record, address);
      case 'cell': {
        const at = this.#keep(address, this.#bytes(address, 8));
        this.#link(at, this.#value(type.elem, heap.u32(address)));
        return at;
      }
      case 'ref':
        return this.#innerRef(address);
      default:
        throw new StatusError('internal', `a ${typeText(type)} cannot be sealed`);
    }
  }

  #keep(address: number, copy: number): number {
    this.#copies.set(address, copy);
    return copy;
  }

  #list(elem: Type, address: number): number {
    const heap = this.#heap;
    const at = this.#keep(address, this.#bytes(address, LIST_BYTES));
    const count = heap.u32(address + 4);
    heap.setU32(at + 8, count);
    heap.setU32(at + 12, 1);
    this.#link(at, this.#elements(elem, { from: heap.u32(address), count }));
    return at;
  }

  #elements(elem: Type, { from, count }: { from: number; count: number }): number {
    const size = valueSize(elem);
    const at = this.#bytes(from, count * size);
    for (let i = 0; i < count; i++) this.#inner(elem, at + i * size);
    return at;
  }

  #record(record: RecordType, address: number): number {
    const { size, offsets } = recordLayout(record);
    const at = this.#keep(address, this.#bytes(address, size));
    record.fields.forEach(({ type }, i) => this.#inner(type, at + offsets[i]!));
    return at;
  }

  /** The value at `at` of the copy still names the original object: copy that too. */
  #inner(type: Type, at: number): void {
    if (isAddress(type)) this.#link(at, this.#value(type, this.#heap.u32(at)));
    else if (type.kind === 'handle' || type.kind === 'symbol') {
      throw new StatusError('internal', `a ${typeText(type)} cannot be sealed`);
    }
  }

  #innerRef(address: number): number {
    const type = this.#known.get(this.#heap.u32(address));
    if (!type) throw new StatusError('internal', 'a ref to a value of the server cannot be sealed');
    return this.#keep(address, this.ref(this.#heap.u32(address + 4), type));
  }
}
