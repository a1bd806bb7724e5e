/**
 * Conversions between f32 and the 16-bit floats, exactly rounded (to nearest even), four at a time.
 * Widening is exact; it is written inline. Rounding is longer and becomes a function of the module
 * the first time that a kernel stores a 16-bit float.
 */
import { FunctionBody } from '../wasm/function-body.js';

/** On the stack: i32x4 of f16 bits, zero-extended. Leaves f32x4. */
export function emitWidenF16(code: FunctionBody): void {
  const bits = code.temp('v128');
  const magnitude = code.temp('v128');
  code.set(bits);
  // Exponent and mantissa moved into place, then scaled by 2^112: exact, denormals included.
  code.get(bits);
  code.i32x4(0x7fff);
  code.op('v128.and');
  code.i32(13);
  code.op('i32x4.shl');
  code.tee(magnitude);
  code.i32x4(0x77800000);
  code.op('f32x4.mul');
  // Infinities and NaNs have the top exponent in both formats.
  code.get(magnitude);
  code.i32x4(0x0f7fffff);
  code.op('i32x4.gt_s');
  code.i32x4(0x7f800000);
  code.ops('v128.and', 'v128.or');
  code.get(bits);
  code.i32x4(0x8000);
  code.op('v128.and');
  code.i32(16);
  code.ops('i32x4.shl', 'v128.or');
  code.release('v128', bits);
  code.release('v128', magnitude);
}

/** On the stack: i32x4 of bf16 bits. Leaves f32x4. */
export function emitWidenBf16(code: FunctionBody): void {
  code.i32(16);
  code.op('i32x4.shl');
}

export const roundType = { params: ['v128'], results: ['v128'] } as const;

/** Body of the function f32x4 → i32x4 of f16 bits. */
export function roundF16Body(): FunctionBody {
  const code = new FunctionBody(roundType);
  const value = 0;
  const sign = code.local('v128');
  const magnitude = code.local('v128');
  const normal = code.local('v128');
  const small = code.local('v128');
  code.get(value);
  code.i32x4(0x80000000);
  code.op('v128.and');
  code.tee(sign);
  code.get(value);
  code.op('v128.xor');
  code.set(magnitude);
  // Below 2^-14: adding 0.5 lets the float adder shift and round the mantissa (to nearest even).
  code.get(magnitude);
  code.i32x4(0x3f000000);
  code.op('f32x4.add');
  code.i32x4(0x3f000000);
  code.op('i32x4.sub');
  code.set(small);
  // Normal: rebias the exponent, add half a unit less one plus the last kept bit, drop 13 bits.
  code.get(magnitude);
  code.i32x4(0xc8000fff);
  code.op('i32x4.add');
  code.get(magnitude);
  code.i32(13);
  code.op('i32x4.shr_u');
  code.i32x4(1);
  code.ops('v128.and', 'i32x4.add');
  code.i32(13);
  code.op('i32x4.shr_u');
  code.set(normal);
  emitRange(code, { magnitude, small, normal });
  code.get(sign);
  code.i32(16);
  code.ops('i32x4.shr_u', 'v128.or');
  return code;
}

interface RangeLocals {
  readonly magnitude: number;
  readonly small: number;
  readonly normal: number;
}

/** Chooses small, normal, or the special values (infinity; NaN stays NaN). */
function emitRange(code: FunctionBody, { magnitude, small, normal }: RangeLocals): void {
  code.i32x4(0x7c00);
  code.get(magnitude);
  code.i32x4(0x7f800000);
  code.op('i32x4.gt_s');
  code.i32x4(0x0200);
  code.ops('v128.and', 'v128.or');
  code.get(small);
  code.get(normal);
  code.get(magnitude);
  code.i32x4(0x38800000);
  code.ops('i32x4.lt_s', 'v128.bitselect');
  code.get(magnitude);
  code.i32x4(0x477fffff);
  code.ops('i32x4.gt_s', 'v128.bitselect');
}

/** Body of the function f32x4 → i32x4 of bf16 bits. */
export function roundBf16Body(): FunctionBody {
  const code = new FunctionBody(roundType);
  const value = 0;
  // NaN: keep the upper half and make it quiet.
  code.get(value);
  code.i32(16);
  code.op('i32x4.shr_u');
  code.i32x4(0x40);
  code.op('v128.or');
  code.get(value);
  code.get(value);
  code.i32(16);
  code.op('i32x4.shr_u');
  code.i32x4(1);
  code.ops('v128.and', 'i32x4.add');
  code.i32x4(0x7fff);
  code.op('i32x4.add');
  code.i32(16);
  code.op('i32x4.shr_u');
  code.get(value);
  code.get(value);
  code.ops('f32x4.ne', 'v128.bitselect');
  return code;
}
