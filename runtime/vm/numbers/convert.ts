/**
 * Conversions between scalars (LOOM 3). Integers wrap or extend by the sign of the source; floats
 * truncate and saturate, NaN gives 0; to floats everything rounds once, to nearest even. A bool is
 * 0 or 1, and a number is true when it is not zero (NaN is).
 */
import type { ScalarName } from '../../loom/typed.js';
import type { RawValue } from '../executor.js';
import type { NumberName } from './arithmetic.js';

/** Operand and result are bigints for i64, numbers for all else. */
export type Convert = (value: RawValue) => RawValue;
type FromNumber = (value: number) => number;

export function conversion(from: NumberName, to: NumberName): FromNumber;
export function conversion(from: ScalarName, to: ScalarName): Convert;
export function conversion(from: ScalarName, to: ScalarName): Convert | FromNumber {
  if (from === to) return (value: RawValue) => value;
  return (from === 'i64' ? fromI64(to) : to === 'i64' ? toI64(from) : between(from, to)) as Convert;
}

function fromI64(to: ScalarName): (value: bigint) => number {
  switch (to) {
    case 'bool':
      return (value) => (value !== 0n ? 1 : 0);
    case 'f32':
      return f32OfI64;
    case 'f64':
      return (value) => Number(value);
    case 'i32':
      return (value) => Number(BigInt.asIntN(32, value));
    default:
      return (value) => Number(BigInt.asUintN(32, value));
  }
}

function toI64(from: ScalarName): (value: number) => bigint {
  return from === 'f32' || from === 'f64' ? i64OfFloat : (value) => BigInt(value);
}

function between(from: ScalarName, to: ScalarName): FromNumber {
  const isFloat = from === 'f32' || from === 'f64';
  switch (to) {
    case 'bool':
      return (value) => (value !== 0 ? 1 : 0);
    case 'f32':
      return Math.fround;
    case 'f64':
      return (value) => value;
    case 'i32':
      return isFloat ? saturating(-(2 ** 31), 2 ** 31 - 1) : (value) => value | 0;
    default:
      return isFloat ? saturating(0, 2 ** 32 - 1) : (value) => value >>> 0;
  }
}

function saturating(low: number, high: number): FromNumber {
  // `+ 0` turns -0 into 0, which integers have one of.
  return (value) =>
    Number.isNaN(value) ? 0 : Math.min(Math.max(Math.trunc(value), low), high) + 0;
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
