/**
 * The 16-bit floats f16 and bf16: widening to f32 is exact, rounding from f32 goes to nearest even,
 * with denormals, infinities and NaN (any NaN becomes the quiet one of the format, sign kept).
 */

const words = new Uint32Array(1);
const floats = new Float32Array(words.buffer);

export function bitsOfF32(value: number): number {
  floats[0] = value;
  return words[0]!;
}

export function f32OfBits(bits: number): number {
  words[0] = bits;
  return floats[0]!;
}

export function widenF16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 31;
  const mantissa = bits & 1023;
  if (exponent === 31) return mantissa === 0 ? sign * Infinity : NaN;
  if (exponent === 0) return sign * mantissa * 2 ** -24;
  return sign * (1024 + mantissa) * 2 ** (exponent - 25);
}

export function roundF16(value: number): number {
  const bits = bitsOfF32(value);
  const sign = (bits >>> 16) & 0x8000;
  const magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) return sign | 0x7e00;
  // 65520 is halfway between the largest f16 and the next power, which is even: infinity.
  if (magnitude >= 0x477ff000) return sign | 0x7c00;
  // Below 2^-14 the unit is 2^-24: scaling is exact, and the integer grows into the exponent.
  if (magnitude < 0x38800000) return sign | roundHalfEven(Math.abs(value) * 2 ** 24);
  // Rebias, then drop 13 bits; a carry out of the mantissa raises the exponent, as it should.
  const rebiased = magnitude - (112 << 23);
  return sign | ((rebiased + 0xfff + ((rebiased >>> 13) & 1)) >>> 13);
}

export function widenBf16(bits: number): number {
  return f32OfBits(bits << 16);
}

export function roundBf16(value: number): number {
  const bits = bitsOfF32(value);
  if (Number.isNaN(value)) return (bits >>> 16) | 0x40;
  return (bits + 0x7fff + ((bits >>> 16) & 1)) >>> 16;
}

/** Nearest integer, ties to the even one; the sign of zero is kept. */
export function roundHalfEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  const up = rest > 0.5 || (rest === 0.5 && floor % 2 !== 0);
  const result = up ? floor + 1 : floor;
  // Also what is NaN or infinite (the rest is NaN) comes back as it was.
  return result === 0 && (value < 0 || Object.is(value, -0)) ? -0 : result;
}
