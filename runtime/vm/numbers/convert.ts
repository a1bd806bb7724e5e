/**
 * Conversions between scalars (LOOM 3). Integers wrap or extend by the sign of the source; floats
 * truncate and saturate, NaN gives 0; to floats everything rounds once, to nearest even. A bool is
 * 0 or 1, and a number is true when it is not zero (NaN is).
 */
import type { ScalarName } from '../../loom/typed.js';

// The caller pairs it with the types of operand and result.
export type Convert = (value: any) => any;

export function conversion(from: ScalarName, to: ScalarName): Convert {
  if (from === to) return (value) => value;
  switch (to) {
    case 'bool':
      return from === 'i64' ? (value: bigint) => (value !== 0n ? 1 : 0) : (value: number) => (value !== 0 ? 1 : 0);
    case 'f32':
      return from === 'i64' ? f32OfI64 : Math.fround;
    case 'f64':
      return from === 'i64' ? (value: bigint) => Number(value) : (value: number) => value;
    case 'i64':
      return from === 'f32' || from === 'f64' ? i64OfFloat : (value: number) => BigInt(value);
    case 'i32':
      return toWord(from, (value) => value | 0, [-(2 ** 31), 2 ** 31 - 1]);
    case 'u32':
      return toWord(from, (value) => value >>> 0, [0, 2 ** 32 - 1]);
  }
}

function toWord(from: ScalarName, wrap: (value: number) => number, [low, high]: [number, number]): Convert {
  if (from === 'i64') return (value: bigint) => wrap(Number(BigInt.asUintN(32, value)));
  if (from !== 'f32' && from !== 'f64') return wrap;
  // `+ 0` turns -0 into 0, which integers have one of.
  return (value: number) => (Number.isNaN(value) ? 0 : Math.min(Math.max(Math.trunc(value), low), high) + 0);
}

function i64OfFloat(value: number): bigint {
  if (Number.isNaN(value)) return 0n;
  if (value >= 2 ** 63) return 2n ** 63n - 1n;
  if (value <= -(2 ** 63)) return -(2n ** 63n);
  return BigInt(Math.trunc(value));
}

/** By way of a double an i64 would round twice; keeping a sticky bit below makes it once. */
function f32OfI64(value: bigint): number {
  if (value >= -(2n ** 53n) && value <= 2n ** 53n) return Math.fround(Number(value));
  const sticky = (value & 2047n) === 0n ? 0n : 1n;
  return Math.fround(Number((value >> 11n) | sticky) * 2048);
}
