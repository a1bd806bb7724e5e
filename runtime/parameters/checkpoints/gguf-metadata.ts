/**
 * Values of GGUF metadata: typed scalars, strings and arrays of either, by the numbers that the
 * published layout gives to their types.
 */
import type { MetadataValue } from './checkpoint-index.js';
import { checkpointLimits } from './checkpoint-limits.js';
import type { HeaderCursor } from './header-cursor.js';

interface ScalarType {
  readonly name: string;
  readonly id: number;
  readonly bytes: number;
  read(view: DataView, at: number): MetadataValue;
}

/** Indexed by name for the writer, by id for the reader. */
export const ggufScalars = [
  { name: 'u8', id: 0, bytes: 1, read: (view, at) => view.getUint8(at) },
  { name: 'i8', id: 1, bytes: 1, read: (view, at) => view.getInt8(at) },
  { name: 'u16', id: 2, bytes: 2, read: (view, at) => view.getUint16(at, true) },
  { name: 'i16', id: 3, bytes: 2, read: (view, at) => view.getInt16(at, true) },
  { name: 'u32', id: 4, bytes: 4, read: (view, at) => view.getUint32(at, true) },
  { name: 'i32', id: 5, bytes: 4, read: (view, at) => view.getInt32(at, true) },
  { name: 'f32', id: 6, bytes: 4, read: (view, at) => view.getFloat32(at, true) },
  { name: 'u64', id: 10, bytes: 8, read: (view, at) => narrowed(view.getBigUint64(at, true)) },
  { name: 'i64', id: 11, bytes: 8, read: (view, at) => narrowed(view.getBigInt64(at, true)) },
  { name: 'f64', id: 12, bytes: 8, read: (view, at) => view.getFloat64(at, true) },
] as const satisfies readonly ScalarType[];

export const ggufBool = 7;
export const ggufString = 8;
export const ggufArray = 9;

const scalars = new Map<number, ScalarType>(ggufScalars.map((scalar) => [scalar.id, scalar]));

const narrowed = (value: bigint): number | bigint =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value;

/** Reads the values of one shard; bounds what all of them hold together. */
export class GgufMetadataReader {
  readonly #cursor: HeaderCursor;
  #elementsLeft: number = checkpointLimits.metadataElements;

  constructor(cursor: HeaderCursor) {
    this.#cursor = cursor;
  }

  /** A type number and a value of that type. */
  value(): MetadataValue {
    return this.#valueOf(this.#cursor.u32(), 0);
  }

  #valueOf(id: number, depth: number): MetadataValue {
    const scalar = scalars.get(id);
    if (scalar !== undefined) return this.#cursor.word(scalar.bytes, scalar.read);
    if (id === ggufBool) return this.#bool();
    if (id === ggufString) return this.#cursor.string(checkpointLimits.stringBytes);
    if (id === ggufArray) return this.#array(depth + 1);
    throw this.#cursor.fault('a value type from 0 to 12', `${id}`);
  }

  #bool(): boolean {
    const byte = this.#cursor.word(1, (view, at) => view.getUint8(at));
    if (byte > 1) throw this.#cursor.fault('a bool of 0 or 1', `${byte}`);
    return byte === 1;
  }

  #array(depth: number): readonly MetadataValue[] {
    const { metadataDepth, metadataElements } = checkpointLimits;
    if (depth > metadataDepth) {
      throw this.#cursor.fault(`arrays nested at most ${metadataDepth} deep`, 'more');
    }
    const id = this.#cursor.u32();
    const count = this.#cursor.count(Number.MAX_SAFE_INTEGER, 'elements');
    if (count > this.#elementsLeft) {
      const expected = `at most ${metadataElements} elements in all arrays`;
      throw this.#cursor.fault(expected, `${count} where ${this.#elementsLeft} are left`);
    }
    // Before the first is read: a count that the file cannot hold costs nothing.
    if (count > this.#cursor.remaining) {
      const found = `${count} elements in ${this.#cursor.remaining} bytes`;
      throw this.#cursor.fault('an array inside the file', found);
    }
    this.#elementsLeft -= count;
    const values: MetadataValue[] = [];
    for (let index = 0; index < count; index += 1) values.push(this.#valueOf(id, depth));
    return values;
  }
}
