/**
 * Constants of every numeric type, as one instruction. Vectors and packed bytes come as number
 * arrays; unsigned values may be given as signed or unsigned.
 */
import { assert } from '../../base/errors.js';
import type { Type } from '../../loom/typed.js';
import type { FunctionBody, ValueType } from '../wasm/function-body.js';

export type ConstantValue = number | bigint | boolean | string | readonly number[];

export function emitConstant(code: FunctionBody, type: Type, value: ConstantValue): void {
  if (type.kind === 'vector' || type.kind === 'bytes') {
    assert(typeof value === 'object', 'an array for a vector constant');
    return emitVectorConstant(code, type, value);
  }
  assert(typeof value !== 'string' && typeof value !== 'object', 'a number');
  const name = type.kind === 'scalar' ? type.name : 'i32';
  if (name === 'i64') code.i64(BigInt(value));
  else if (name === 'f32') code.f32(Number(value));
  else if (name === 'f64') code.f64(Number(value));
  else code.i32(Number(value));
}

function emitVectorConstant(
  code: FunctionBody,
  type: Type & { readonly kind: 'vector' | 'bytes' },
  values: readonly number[],
): void {
  const bytes = new Uint8Array(16);
  const view = new DataView(bytes.buffer);
  values.forEach((value, lane) => {
    if (type.kind === 'bytes') view.setUint8(lane, value & 0xff);
    else if (type.elem === 'f32') view.setFloat32(lane * 4, value, true);
    else view.setInt32(lane * 4, value, true);
  });
  if (type.kind === 'bytes' && type.lanes === 4) code.i32(view.getInt32(0, true));
  else code.v128(bytes);
}

export function emitZero(code: FunctionBody, type: ValueType): void {
  if (type === 'i32') code.i32(0);
  else if (type === 'i64') code.i64(0n);
  else if (type === 'f32') code.f32(0);
  else if (type === 'f64') code.f64(0);
  else code.i32x4(0);
}
