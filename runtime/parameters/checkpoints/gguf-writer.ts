/**
 * Writes small GGUF files at once, version 3, for tests and tools. Tensors lie in the given order,
 * each at a multiple of the alignment that the metadata states (32 without).
 */
import { StatusError } from '../../base/errors.js';
import { ggufMagic } from './gguf-index.js';
import { ggufArray, ggufBool, ggufScalars, ggufString } from './gguf-metadata.js';
import { ggufTypeId } from './gguf-tensor-type.js';
import type { TensorPayload } from './safetensors-writer.js';
import { tensorSize } from './tensor-type.js';

type IntegerName = 'u8' | 'i8' | 'u16' | 'i16' | 'u32' | 'i32' | 'u64' | 'i64';

/** A value with the type that the file shall give to it. */
export type GgufValue =
  | { readonly type: IntegerName; readonly value: number | bigint }
  | { readonly type: 'f32' | 'f64'; readonly value: number }
  | { readonly type: 'bool'; readonly value: boolean }
  | { readonly type: 'string'; readonly value: string }
  | GgufArray;

/** All values of an array have one type; `of` states it where there are none. */
export interface GgufArray {
  readonly type: 'array';
  readonly of: GgufValue['type'];
  readonly values: readonly GgufValue[];
}

export type GgufMetadata = Readonly<Record<string, GgufValue>>;

export function writeGguf(
  tensors: readonly TensorPayload[],
  metadata: GgufMetadata = {},
): Uint8Array {
  const stated = metadata['general.alignment'];
  const alignment = stated === undefined || stated.type === 'array' ? 32 : Number(stated.value);
  const out = new ByteSink();
  out.integer(4, ggufMagic);
  out.integer(4, 3);
  out.integer(8, tensors.length);
  out.integer(8, Object.keys(metadata).length);
  for (const [key, value] of Object.entries(metadata)) {
    out.string(key);
    out.integer(4, idOf(value.type));
    writeValue(out, value);
  }
  let offset = 0;
  for (const tensor of tensors) {
    writeRow(out, tensor, offset);
    offset = aligned(offset + tensor.bytes.length, alignment);
  }
  for (const { bytes } of tensors) {
    out.pad(alignment);
    out.bytes(bytes);
  }
  if (tensors.length > 0) out.pad(alignment);
  return out.taken();
}

const aligned = (offset: number, alignment: number): number =>
  Math.ceil(offset / alignment) * alignment;

function writeRow(out: ByteSink, { name, type, shape, bytes }: TensorPayload, offset: number) {
  const id = ggufTypeId(type);
  const size = tensorSize(type, shape);
  const isFit = id !== null && shape.length <= 4 && size === bytes.length;
  if (!isFit) {
    throw new StatusError(
      'invalidArgument',
      `tensor ${JSON.stringify(name)} cannot be written: ${type} of shape ` +
        `[${shape.join(', ')}] with ${bytes.length} bytes`,
    );
  }
  out.string(name);
  out.integer(4, shape.length);
  for (const extent of shape.toReversed()) out.integer(8, extent);
  out.integer(4, id);
  out.integer(8, offset);
}

function idOf(type: GgufValue['type']): number {
  if (type === 'bool') return ggufBool;
  if (type === 'string') return ggufString;
  if (type === 'array') return ggufArray;
  return ggufScalars.find(({ name }) => name === type)?.id ?? 0;
}

function writeValue(out: ByteSink, value: GgufValue): void {
  if (value.type === 'array') {
    out.integer(4, idOf(value.of));
    out.integer(8, value.values.length);
    for (const element of value.values) writeValue(out, element);
  } else if (value.type === 'string') out.string(value.value);
  else if (value.type === 'bool') out.integer(1, value.value ? 1 : 0);
  else if (value.type === 'f32') out.bytes(new Uint8Array(Float32Array.of(value.value).buffer));
  else if (value.type === 'f64') out.bytes(new Uint8Array(Float64Array.of(value.value).buffer));
  else out.integer(Number(value.type.slice(1)) / 8, value.value);
}

/** Bytes as they come, little-endian. */
class ByteSink {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  bytes(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
    this.#length += bytes.length;
  }

  integer(width: number, value: number | bigint): void {
    const word = BigUint64Array.of(BigInt.asUintN(64, BigInt(value)));
    this.bytes(new Uint8Array(word.buffer, 0, width));
  }

  string(text: string): void {
    const bytes = new TextEncoder().encode(text);
    this.integer(8, bytes.length);
    this.bytes(bytes);
  }

  pad(alignment: number): void {
    this.bytes(new Uint8Array(aligned(this.#length, alignment) - this.#length));
  }

  taken(): Uint8Array {
    const file = new Uint8Array(this.#length);
    let at = 0;
    for (const piece of this.#pieces) {
      file.set(piece, at);
      at += piece.length;
    }
    return file;
  }
}
