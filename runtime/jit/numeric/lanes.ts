/**
 * Building vectors and taking them apart. A vector of constants becomes one constant; any other is
 * its first item broadcast with the rest put into their lanes.
 */
import { assert } from '../../base/errors.js';
import type { Type } from '../../loom/typed.js';
import type { FunctionBody } from '../wasm/function-body.js';
import { valueTypeOf, vectorPrefix, shapeOf } from './shape.js';

/** `items` emit one lane each, in order of evaluation. */
export function emitVectorItems(
  code: FunctionBody,
  type: Type,
  items: readonly (() => void)[],
): void {
  if (type.kind === 'bytes') return emitByteItems(code, type, items);
  const prefix = vectorPrefix(shapeOf(type).elem);
  items.forEach((emit, lane) => {
    emit();
    if (lane === 0) code.op(`${prefix}.splat`);
    else code.lane(`${prefix}.replace_lane`, lane);
  });
}

function emitByteItems(
  code: FunctionBody,
  type: Type & { kind: 'bytes' },
  items: readonly (() => void)[],
): void {
  items.forEach((emit, lane) => {
    emit();
    if (lane === 0) code.op('i8x16.splat');
    else code.lane('i8x16.replace_lane', lane);
  });
  if (type.lanes === 4) code.lane('i32x4.extract_lane', 0);
}

export function emitSplatOp(code: FunctionBody, type: Type): void {
  if (type.kind === 'bytes') {
    code.op('i8x16.splat');
    if (type.lanes === 4) code.lane('i32x4.extract_lane', 0);
    return;
  }
  code.op(`${vectorPrefix(shapeOf(type).elem)}.splat`);
}

/** Vector on the stack → lane `index`. */
export function emitExtract(code: FunctionBody, type: Type, index: number): void {
  if (type.kind === 'bytes') {
    if (type.lanes === 4) code.op('i32x4.splat');
    return code.lane(`i8x16.extract_lane_${type.elem === 'i8' ? 's' : 'u'}`, index);
  }
  code.lane(`${vectorPrefix(shapeOf(type).elem)}.extract_lane`, index);
}

/** Vector and i32 index on the stack → that lane, zero when there is none. */
export function emitComponent(code: FunctionBody, type: Type): void {
  assert(type.kind === 'vector', 'a vector');
  const scalar = valueTypeOf({ kind: 'scalar', name: type.elem });
  const index = code.temp('i32');
  const vector = code.temp('v128');
  const result = code.temp(scalar);
  code.set(index);
  code.set(vector);
  if (scalar === 'f32') code.f32(0);
  else code.i32(0);
  code.set(result);
  for (let lane = 0; lane < type.lanes; lane++) {
    code.get(vector);
    code.lane(`${vectorPrefix(type.elem)}.extract_lane`, lane);
    code.get(result);
    code.get(index);
    code.i32(lane);
    code.ops('i32.eq', 'select');
    code.set(result);
  }
  code.get(result);
  code.release('i32', index);
  code.release('v128', vector);
  code.release(scalar, result);
}
