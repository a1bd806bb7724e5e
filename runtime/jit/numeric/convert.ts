/**
 * Numeric conversions of the value on the stack. Float to integer truncates and saturates, NaN
 * gives 0; integers wrap or extend by the sign of the source; bool is 0 or 1, and a number is true
 * when it is not zero. Rounding is to nearest even throughout.
 */
import { assert } from '../../base/errors.js';
import type { FunctionBody } from '../wasm/function-body.js';
import { isFloat, scalarPrefix, type Elem, type Shape } from './shape.js';

export function emitConvert(code: FunctionBody, from: Shape, to: Shape): void {
  if (to.lanes > 1) return emitVector(code, from, to);
  if (from.elem === to.elem) return;
  if (to.elem === 'bool') return emitTruth(code, from.elem);
  const source = scalarPrefix(from.elem);
  const target = scalarPrefix(to.elem);
  if (isFloat(to.elem)) emitToFloat(code, from.elem, to.elem as 'f32' | 'f64');
  else if (isFloat(from.elem)) {
    code.op(`${target}.trunc_sat_${from.elem}_${to.elem === 'u32' ? 'u' : 's'}`);
  } else if (source === target) {
    return;
  } else if (target === 'i64') {
    code.op(`i64.extend_i32_${from.elem === 'i32' ? 's' : 'u'}`);
  } else {
    code.op('i32.wrap_i64');
  }
}

function emitToFloat(code: FunctionBody, from: Elem, to: 'f32' | 'f64'): void {
  if (from === 'f32') code.op('f64.promote_f32');
  else if (from === 'f64') code.op('f32.demote_f64');
  else code.op(`${to}.convert_${scalarPrefix(from)}_${from === 'u32' ? 'u' : 's'}`);
}

function emitTruth(code: FunctionBody, from: Elem): void {
  const type = scalarPrefix(from);
  if (type === 'i64') code.i64(0n);
  else if (type === 'i32') code.i32(0);
  else if (type === 'f32') code.f32(0);
  else code.f64(0);
  code.op(`${type}.ne`);
}

function emitVector(code: FunctionBody, from: Shape, to: Shape): void {
  assert(from.lanes === to.lanes, 'a conversion between vectors of equal lanes');
  if (from.elem === to.elem) return;
  if (to.elem === 'f32') code.op(`f32x4.convert_i32x4_${from.elem === 'u32' ? 'u' : 's'}`);
  else if (from.elem === 'f32') code.op(`i32x4.trunc_sat_f32x4_${to.elem === 'u32' ? 'u' : 's'}`);
}
