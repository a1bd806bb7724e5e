/**
 * The block formats of ggml read slowly, element by element, as their published structures and
 * formulas have them: each product and sum is rounded to f32. The oracle of the fast decoders.
 */
import { half, valueOf } from './small-float.js';

const f = Math.fround;
const bit = (bytes: Uint8Array, first: number, index: number): number =>
  Math.floor(bytes[first + Math.floor(index / 8)]! / 2 ** (index % 8)) % 2;
const lowerNibble = (byte: number): number => byte % 16;
const upperNibble = (byte: number): number => Math.floor(byte / 16);
const signed = (byte: number): number => (byte < 128 ? byte : byte - 256);
const f16 = (bytes: Uint8Array, at: number): number =>
  valueOf(bytes[at]! + 256 * bytes[at + 1]!, half);

/** The element `index` of the block. */
type ElementOf = (block: Uint8Array, index: number) => number;

const nibble = (block: Uint8Array, first: number, index: number): number =>
  index < 16 ? lowerNibble(block[first + index]!) : upperNibble(block[first + index - 16]!);

/** The six-bit scale and minimum of part `j`: `get_scale_min_k4` of the published code. */
function scaleAndMinimum(scales: Uint8Array, j: number): { sc: number; m: number } {
  if (j < 4) return { sc: scales[j]! % 64, m: scales[j + 4]! % 64 };
  const top = (byte: number): number => Math.floor(byte / 64);
  return {
    sc: lowerNibble(scales[j + 4]!) + 16 * top(scales[j - 4]!),
    m: upperNibble(scales[j + 4]!) + 16 * top(scales[j]!),
  };
}

/** Elements come in chunks of 64 over 32 bytes: first all lower nibbles, then all upper ones. */
function chunkNibble(quants: Uint8Array, index: number): number {
  const byte = quants[Math.floor(index / 64) * 32 + (index % 32)]!;
  return index % 64 < 32 ? lowerNibble(byte) : upperNibble(byte);
}

function scaled(block: Uint8Array, index: number, q: number): number {
  const { sc, m } = scaleAndMinimum(block.subarray(4, 16), Math.floor(index / 32));
  return f(f(f(f16(block, 0) * sc) * q) - f(f16(block, 2) * m));
}

function q6(block: Uint8Array, index: number): number {
  const half128 = Math.floor(index / 128);
  const l = index % 32;
  const quarter = Math.floor((index % 128) / 32);
  const ql = block.subarray(half128 * 64, half128 * 64 + 64);
  const qh = block.subarray(128 + half128 * 32, 128 + half128 * 32 + 32);
  const lower = [
    () => lowerNibble(ql[l]!),
    () => lowerNibble(ql[l + 32]!),
    () => upperNibble(ql[l]!),
    () => upperNibble(ql[l + 32]!),
  ][quarter]!();
  const upper = Math.floor(qh[l]! / 4 ** quarter) % 4;
  const scale = signed(block[192 + half128 * 8 + Math.floor(l / 16) + 2 * quarter]!);
  return f(f(f16(block, 208) * scale) * (lower + 16 * upper - 32));
}

export const elementOf: Readonly<Record<string, ElementOf>> = {
  Q8_0: (block, index) => f(f16(block, 0) * signed(block[2 + index]!)),
  Q4_0: (block, index) => f(f16(block, 0) * (nibble(block, 2, index) - 8)),
  Q4_1: (block, index) => f(f(f16(block, 0) * nibble(block, 4, index)) + f16(block, 2)),
  Q5_0: (block, index) =>
    f(f16(block, 0) * (nibble(block, 6, index) + 16 * bit(block, 2, index) - 16)),
  Q5_1: (block, index) =>
    f(f(f16(block, 0) * (nibble(block, 8, index) + 16 * bit(block, 4, index))) + f16(block, 2)),
  Q4_K: (block, index) => scaled(block, index, chunkNibble(block.subarray(16), index)),
  Q5_K: (block, index) => {
    const fifth = Math.floor(block[16 + (index % 32)]! / 2 ** Math.floor(index / 32)) % 2;
    return scaled(block, index, chunkNibble(block.subarray(48), index) + 16 * fifth);
  },
  Q6_K: q6,
};
