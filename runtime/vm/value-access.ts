/**
 * Loads and stores of values in fields and elements, by static type: what `memory-map.ts` says of
 * bytes becomes what `RawValue` says of values.
 */
import type { Type } from '../loom/typed.js';
import type { RawValue } from './executor.js';
import type { Heap } from './heap.js';

export interface ValueAccess {
  load(heap: Heap, at: number): RawValue;
  store(heap: Heap, at: number, value: RawValue): void;
}

const word: ValueAccess = {
  load: (heap, at) => heap.view.getUint32(at, true),
  store: (heap, at, value) => heap.view.setUint32(at, value as number, true),
};

const scalars: Readonly<Record<string, ValueAccess>> = {
  bool: word,
  u32: word,
  i32: {
    load: (heap, at) => heap.view.getInt32(at, true),
    store: (heap, at, value) => heap.view.setInt32(at, value as number, true),
  },
  i64: {
    load: (heap, at) => heap.view.getBigInt64(at, true),
    store: (heap, at, value) => heap.view.setBigInt64(at, value as bigint, true),
  },
  f32: {
    load: (heap, at) => heap.view.getFloat32(at, true),
    store: (heap, at, value) => heap.view.setFloat32(at, value as number, true),
  },
  f64: {
    load: (heap, at) => heap.view.getFloat64(at, true),
    store: (heap, at, value) => heap.view.setFloat64(at, value as number, true),
  },
  /** Of buffers only: bytes come as i64. */
  u8: {
    load: (heap, at) => BigInt(heap.view.getUint8(at)),
    store: (heap, at, value) => heap.view.setUint8(at, Number(BigInt.asUintN(8, value as bigint))),
  },
};

/** Access to a scalar by its name, or to a buffer element. */
export function scalarAccess(name: string): ValueAccess {
  return scalars[name]!;
}

export function valueAccess(type: Type): ValueAccess {
  if (type.kind === 'scalar') return scalarAccess(type.name);
  if (type.kind !== 'vector') return word;
  const lane = scalarAccess(type.elem);
  const lanes = Array.from({ length: type.lanes }, (_, i) => i * 4);
  return {
    load: (heap, at) => lanes.map((offset) => lane.load(heap, at + offset) as number),
    store: (heap, at, value) =>
      lanes.forEach((offset, i) => lane.store(heap, at + offset, (value as readonly number[])[i]!)),
  };
}
