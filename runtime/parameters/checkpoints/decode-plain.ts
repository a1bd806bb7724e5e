/**
 * Plain number types to f32. Each value is rounded once, to the nearest f32 with ties to even, and
 * not at all where an f32 holds it. The source is aligned to its element size; see decode-rows.ts.
 */
import { e4m3Table, e5m2Table, halfTable } from './small-float-tables.js';
import type { FloatTable } from './small-float-tables.js';

export type Decoder = (source: Uint8Array, into: Float32Array) => void;

const bitsOf = (values: Float32Array): Uint32Array =>
  new Uint32Array(values.buffer, values.byteOffset, values.length);

export const decodeF32: Decoder = (source, into) => {
  new Uint8Array(into.buffer, into.byteOffset, into.byteLength).set(source);
};

export const decodeF64: Decoder = (source, into) => {
  into.set(new Float64Array(source.buffer, source.byteOffset, into.length));
};

export const decodeF16: Decoder = (source, into) => {
  const from = new Uint16Array(source.buffer, source.byteOffset, into.length);
  const to = bitsOf(into);
  const { bits } = halfTable();
  for (let index = 0; index < from.length; index += 1) {
    to[index] = bits[from[index] as number] as number;
  }
};

/** A bfloat16 is the upper half of an f32. */
export const decodeBf16: Decoder = (source, into) => {
  const from = new Uint16Array(source.buffer, source.byteOffset, into.length);
  const to = bitsOf(into);
  for (let index = 0; index < from.length; index += 1) to[index] = (from[index] as number) << 16;
};

export const decodeE4m3: Decoder = (source, into) => decodeBytes(source, into, e4m3Table());
export const decodeE5m2: Decoder = (source, into) => decodeBytes(source, into, e5m2Table());

function decodeBytes(source: Uint8Array, into: Float32Array, { bits }: FloatTable): void {
  const to = bitsOf(into);
  for (let index = 0; index < source.length; index += 1) {
    to[index] = bits[source[index] as number] as number;
  }
}

export const decodeI32: Decoder = (source, into) => {
  into.set(new Int32Array(source.buffer, source.byteOffset, into.length));
};

export const decodeU32: Decoder = (source, into) => {
  into.set(new Uint32Array(source.buffer, source.byteOffset, into.length));
};

export const decodeI16: Decoder = (source, into) => {
  into.set(new Int16Array(source.buffer, source.byteOffset, into.length));
};

export const decodeU16: Decoder = (source, into) => {
  into.set(new Uint16Array(source.buffer, source.byteOffset, into.length));
};

export const decodeI8: Decoder = (source, into) => {
  into.set(new Int8Array(source.buffer, source.byteOffset, into.length));
};

export const decodeU8: Decoder = (source, into) => into.set(source);

/** Whatever is not zero is true. */
export const decodeBool: Decoder = (source, into) => {
  for (let index = 0; index < source.length; index += 1) into[index] = source[index] === 0 ? 0 : 1;
};

export const decodeI64: Decoder = (source, into) => {
  const high = new Int32Array(source.buffer, source.byteOffset, into.length * 2);
  decodeWide(source, into, high);
};

export const decodeU64: Decoder = (source, into) => {
  const high = new Uint32Array(source.buffer, source.byteOffset, into.length * 2);
  decodeWide(source, into, high);
};

/**
 * Beyond 2^53 the eleven lowest bits are folded into the one above them: the sum is then exact in a
 * double, and an f32, whose last bit lies far higher, still sees on which side of a tie it is.
 * Rounding to a double first and to an f32 after it would round some values the wrong way.
 */
function decodeWide(source: Uint8Array, into: Float32Array, high: Int32Array | Uint32Array): void {
  const low = new Uint32Array(source.buffer, source.byteOffset, into.length * 2);
  for (let index = 0; index < into.length; index += 1) {
    const upper = high[2 * index + 1] as number;
    let lower = low[2 * index] as number;
    if (upper >= 0x200000 || upper < -0x200000) {
      const isInexact = (lower & 0x7ff) !== 0;
      lower = ((lower & 0xfffff800) | (isInexact ? 0x800 : 0)) >>> 0;
    }
    into[index] = upper * 2 ** 32 + lower;
  }
}
