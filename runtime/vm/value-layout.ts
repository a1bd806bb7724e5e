/**
 * Where values lie in the memory of a host program: sizes of fields and elements, and offsets of
 * record fields. Both executors and the sealing of state read the same functions, so a record made
 * by one is a record for the other. Sizes and offsets in bytes.
 */
import { assert } from '../base/errors.js';
import type { RecordType, Type } from '../loom/typed.js';

/** Size of a value in a local, a field or an element; its alignment is the same. */
export function valueSize(type: Type): number {
  switch (type.kind) {
    case 'scalar':
      return type.name === 'i64' || type.name === 'f64' ? 8 : 4;
    case 'vector':
      return type.lanes * 4;
    case 'bytes':
      return type.lanes;
    case 'void':
      throw new Error('expected a type of values, got void. This is a bug.');
    default:
      return 4;
  }
}

/** Whether the value is an address of an object in memory (a handle or a symbol is not). */
export function isAddress(type: Type): boolean {
  switch (type.kind) {
    case 'string':
    case 'buffer':
    case 'ref':
    case 'list':
    case 'cell':
    case 'record':
    case 'array':
      return true;
    default:
      return false;
  }
}

export interface RecordLayout {
  readonly size: number;
  readonly offsets: readonly number[];
}

const layouts = new WeakMap<RecordType, RecordLayout>();

/** Fields in order, each aligned to its size; the size is a multiple of the largest alignment. */
export function recordLayout(record: RecordType): RecordLayout {
  const known = layouts.get(record);
  if (known) return known;
  const offsets: number[] = [];
  let end = 0;
  let widest = 4;
  for (const { type } of record.fields) {
    const size = valueSize(type);
    end = roundUp(end, size);
    offsets.push(end);
    end += size;
    widest = Math.max(widest, size);
  }
  const layout = { size: Math.max(widest, roundUp(end, widest)), offsets };
  layouts.set(record, layout);
  return layout;
}

export function roundUp(value: number, alignment: number): number {
  assert((alignment & (alignment - 1)) === 0, 'an alignment that is a power of two');
  return Math.ceil(value / alignment) * alignment;
}
