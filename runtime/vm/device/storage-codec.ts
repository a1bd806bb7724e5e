/**
 * Storage elements between bytes and values: f16 and bf16 are f32 as values, bytes stay packed
 * (arrays of 4 or 16 numbers), single bytes are integers. Little-endian.
 */
import { assert } from '../../base/errors.js';
import type { Storage, Type } from '../../loom/typed.js';
import type { RawValue } from '../executor.js';
import { roundBf16, roundF16, widenBf16, widenF16 } from '../numbers/half-float.js';

type Load = (view: DataView, at: number) => number;
type Store = (view: DataView, at: number, value: number) => void;

const elements: Readonly<Record<Storage['elem'], { size: number; load: Load; store: Store }>> = {
  f32: {
    size: 4,
    load: (view, at) => view.getFloat32(at, true),
    store: (view, at, value) => view.setFloat32(at, value, true),
  },
  i32: {
    size: 4,
    load: (view, at) => view.getInt32(at, true),
    store: (view, at, value) => view.setInt32(at, value, true),
  },
  u32: {
    size: 4,
    load: (view, at) => view.getUint32(at, true),
    store: (view, at, value) => view.setUint32(at, value, true),
  },
  f16: {
    size: 2,
    load: (view, at) => widenF16(view.getUint16(at, true)),
    store: (view, at, value) => view.setUint16(at, roundF16(value), true),
  },
  bf16: {
    size: 2,
    load: (view, at) => widenBf16(view.getUint16(at, true)),
    store: (view, at, value) => view.setUint16(at, roundBf16(value), true),
  },
  i8: {
    size: 1,
    load: (view, at) => view.getInt8(at),
    store: (view, at, value) => view.setInt8(at, value),
  },
  u8: {
    size: 1,
    load: (view, at) => view.getUint8(at),
    store: (view, at, value) => view.setUint8(at, value),
  },
};

export interface StorageCodec {
  readonly size: number;
  readonly zero: RawValue;
  load(view: DataView, at: number): RawValue;
  store(view: DataView, at: number, value: RawValue): void;
}

export function storageCodec({ elem, lanes }: Storage): StorageCodec {
  const { size, load, store } = elements[elem];
  if (lanes === 1) {
    return {
      size,
      zero: 0,
      load,
      store(view, at, value) {
        assert(size === 4, 'no store of less than a word on a device');
        store(view, at, value as number);
      },
    };
  }
  const offsets = Array.from({ length: lanes }, (_, lane) => lane * size);
  return {
    size: size * lanes,
    zero: new Array<number>(lanes).fill(0),
    load: (view, at) => offsets.map((offset) => load(view, at + offset)),
    store: (view, at, value) =>
      offsets.forEach((offset, lane) =>
        store(view, at + offset, (value as readonly number[])[lane]!),
      ),
  };
}

/** The zero of a value type of devices. */
export function zeroValue(type: Type): RawValue {
  return type.kind === 'vector' || type.kind === 'bytes'
    ? new Array<number>(type.lanes).fill(0)
    : 0;
}
