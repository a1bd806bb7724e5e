/**
 * Writes safetensors files: the header with the place of every tensor, so that a caller may stream
 * payloads of any size after it, and whole small files at once. Tensors lie by decreasing element
 * size, otherwise in the given order, so that each starts at a multiple of its element size.
 */
import { StatusError } from '../../base/errors.js';
import { blockLayouts, plainTypes, tensorSize } from './tensor-type.js';
import type { TensorType } from './tensor-type.js';

export interface TensorDeclaration {
  readonly name: string;
  readonly type: TensorType;
  /** Outermost extent first. */
  readonly shape: readonly number[];
}

export interface TensorPayload extends TensorDeclaration {
  readonly bytes: Uint8Array;
}

export interface PlacedTensor extends TensorDeclaration {
  /** Offset in the file, not in its payload. */
  readonly offset: number;
  readonly bytes: number;
}

export interface SafetensorsFile {
  /** What comes first in the file. Payloads follow in the order of `tensors`, without gaps. */
  readonly header: Uint8Array;
  readonly tensors: readonly PlacedTensor[];
  /** Size of the whole file. */
  readonly bytes: number;
}

export type SafetensorsMetadata = Readonly<Record<string, string>>;

export function safetensorsWriter(
  declarations: readonly TensorDeclaration[],
  metadata: SafetensorsMetadata = {},
): SafetensorsFile {
  requireWritable(declarations);
  const ordered = [...declarations].sort(
    (left, right) => blockLayouts[right.type].bytes - blockLayouts[left.type].bytes,
  );
  let payload = 0;
  const rows = ordered.map(({ name, type, shape }) => {
    const begin = payload;
    payload += sizeOf({ name, type, shape });
    return { name, type, shape: [...shape], begin, bytes: payload - begin };
  });
  const header = encodeHeader(rows, metadata);
  return {
    header,
    tensors: rows.map(({ name, type, shape, begin, bytes }) => ({
      name,
      type,
      shape,
      offset: header.length + begin,
      bytes,
    })),
    bytes: header.length + payload,
  };
}

export function writeSafetensors(
  tensors: readonly TensorPayload[],
  metadata: SafetensorsMetadata = {},
): Uint8Array {
  const layout = safetensorsWriter(tensors, metadata);
  const payloads = new Map(tensors.map(({ name, bytes }) => [name, bytes]));
  const file = new Uint8Array(layout.bytes);
  file.set(layout.header);
  for (const { name, offset, bytes } of layout.tensors) {
    const payload = payloads.get(name) as Uint8Array;
    if (payload.length !== bytes) {
      throw unwritable(name, `a payload of ${bytes} bytes`, `${payload.length}`);
    }
    file.set(payload, offset);
  }
  return file;
}

interface Row extends TensorDeclaration {
  /** Offset in the payload. */
  readonly begin: number;
  readonly bytes: number;
}

/** Entries as text of their own: an object would lose a tensor that is called `__proto__`. */
function encodeHeader(rows: readonly Row[], metadata: SafetensorsMetadata): Uint8Array {
  const entries = rows.map(({ name, type, shape, begin, bytes }) => {
    const entry = { dtype: type, shape, data_offsets: [begin, begin + bytes] };
    return `${JSON.stringify(name)}:${JSON.stringify(entry)}`;
  });
  if (Object.keys(metadata).length > 0) {
    entries.unshift(`"__metadata__":${JSON.stringify(metadata)}`);
  }
  const text = new TextEncoder().encode(`{${entries.join(',')}}`);
  // Spaces up to a multiple of eight: the payload starts aligned for every element type.
  const size = Math.ceil(text.length / 8) * 8;
  const header = new Uint8Array(8 + size).fill(0x20);
  new DataView(header.buffer).setBigUint64(0, BigInt(size), true);
  header.set(text, 8);
  return header;
}

function requireWritable(declarations: readonly TensorDeclaration[]): void {
  const names = new Set<string>();
  for (const { name, type, shape } of declarations) {
    if (name === '__metadata__' || names.has(name)) {
      throw unwritable(name, 'a name of its own', 'one that is taken');
    }
    names.add(name);
    if (!plainTypes.includes(type)) throw unwritable(name, plainTypes.join(', '), type);
    if (!shape.every((extent) => Number.isSafeInteger(extent) && extent >= 0)) {
      throw unwritable(name, 'extents that are integers from 0', `[${shape.join(', ')}]`);
    }
  }
}

function sizeOf({ name, type, shape }: TensorDeclaration): number {
  const size = tensorSize(type, shape);
  if (typeof size === 'number') return size;
  throw unwritable(name, size.expected, size.found);
}

const unwritable = (name: string, expected: string, found: string): StatusError =>
  new StatusError(
    'invalidArgument',
    `tensor ${JSON.stringify(name)} cannot be written: expected ${expected}, found ${found}`,
  );
