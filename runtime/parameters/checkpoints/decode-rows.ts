/**
 * Values of any storage type as f32, exact where an f32 can hold them. This feeds activation, so
 * the loops are plain and allocate nothing. Hosts are little-endian, as WebAssembly memory is.
 */
import { assert } from '../../base/errors.js';
import { decodeQ4_0, decodeQ4_1, decodeQ5_0, decodeQ5_1, decodeQ8_0 } from './decode-blocks.js';
import {
  decodeBf16,
  decodeBool,
  decodeE4m3,
  decodeE5m2,
  decodeF16,
  decodeF32,
  decodeF64,
  decodeI16,
  decodeI32,
  decodeI64,
  decodeI8,
  decodeU16,
  decodeU32,
  decodeU64,
  decodeU8,
} from './decode-plain.js';
import type { Decoder } from './decode-plain.js';
import { decodeQ4_K, decodeQ5_K, decodeQ6_K } from './decode-super-blocks.js';
import { blockLayouts } from './tensor-type.js';
import type { BlockLayout, TensorType } from './tensor-type.js';

const decoders: Readonly<Record<TensorType, Decoder>> = {
  F64: decodeF64,
  F32: decodeF32,
  F16: decodeF16,
  BF16: decodeBf16,
  F8_E4M3: decodeE4m3,
  F8_E5M2: decodeE5m2,
  I64: decodeI64,
  I32: decodeI32,
  I16: decodeI16,
  I8: decodeI8,
  U64: decodeU64,
  U32: decodeU32,
  U16: decodeU16,
  U8: decodeU8,
  BOOL: decodeBool,
  Q8_0: decodeQ8_0,
  Q4_0: decodeQ4_0,
  Q4_1: decodeQ4_1,
  Q5_0: decodeQ5_0,
  Q5_1: decodeQ5_1,
  Q4_K: decodeQ4_K,
  Q5_K: decodeQ5_K,
  Q6_K: decodeQ6_K,
};

/** Elements of a piece where the source must be copied to be aligned. */
const pieceElements = 16_384;

/**
 * Decodes as many elements as `into` has. The source has exactly their bytes, in the layout of its
 * type (decode-plain.ts, decode-blocks.ts, decode-super-blocks.ts), starting at a block.
 */
export function decodeRows(type: TensorType, source: Uint8Array, into: Float32Array): void {
  const block: BlockLayout = blockLayouts[type];
  const blocks = into.length / block.elements;
  assert(Number.isInteger(blocks), `a multiple of ${block.elements} elements for ${type}`);
  assert(source.length === blocks * block.bytes, `${blocks * block.bytes} bytes of ${type}`);
  // Blocks are read byte by byte; plain types of `bytes` bytes are read as such numbers.
  const isAligned = block.elements > 1 || source.byteOffset % block.bytes === 0;
  if (isAligned) decoders[type](source, into);
  else decodePieces(type, source, into);
}

/** Offsets of tensors in a file need not suit their elements. */
function decodePieces(type: TensorType, source: Uint8Array, into: Float32Array): void {
  const { bytes } = blockLayouts[type];
  for (let begin = 0; begin < into.length; begin += pieceElements) {
    const end = Math.min(begin + pieceElements, into.length);
    const piece = new Uint8Array((end - begin) * bytes);
    piece.set(source.subarray(begin * bytes, end * bytes));
    decoders[type](piece, into.subarray(begin, end));
  }
}

/** Counts NaN and infinities, which weights may hold and reports mention: all exponent bits set. */
export function countNonFinite(values: Float32Array): number {
  if (areFinite(values)) return 0;
  const bits = new Uint32Array(values.buffer, values.byteOffset, values.length);
  let count = 0;
  for (let index = 0; index < bits.length; index += 1) {
    if (((bits[index] as number) & 0x7f800000) === 0x7f800000) count += 1;
  }
  return count;
}

/** Twice as fast as counting, and mostly the whole answer: 0 times a value is NaN or zero. */
function areFinite(values: Float32Array): boolean {
  const whole = values.length & ~3;
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let index = 0; index < whole; index += 4) {
    a += values[index]! * 0;
    b += values[index + 1]! * 0;
    c += values[index + 2]! * 0;
    d += values[index + 3]! * 0;
  }
  for (let index = whole; index < values.length; index += 1) a += values[index]! * 0;
  return !Number.isNaN(a + b + c + d);
}
