/**
 * How values of the typed tree lie on WebAssembly's stack, for both worlds: bool as i32 (0 or 1),
 * every vector in a v128 (the upper half of an x2 holds anything), packed bytes of 4 as an i32,
 * of 16 as a v128. Host objects are addresses (i32).
 */
import { assert } from '../../base/errors.js';
import type { Type } from '../../loom/typed.js';
import type { ValueType } from '../wasm/function-body.js';

export type Elem = 'bool' | 'i32' | 'u32' | 'i64' | 'f32' | 'f64';

/** A numeric type taken apart; scalars have one lane. */
export interface Shape {
  readonly elem: Elem;
  readonly lanes: 1 | 2 | 4;
}

export function shapeOf(type: Type): Shape {
  if (type.kind === 'scalar') return { elem: type.name, lanes: 1 };
  assert(type.kind === 'vector', `a number or a vector, got ${type.kind}`);
  return { elem: type.elem, lanes: type.lanes };
}

export function valueTypeOf(type: Type): ValueType {
  switch (type.kind) {
    case 'scalar':
      return type.name === 'bool' || type.name === 'u32' ? 'i32' : type.name;
    case 'vector':
      return 'v128';
    case 'bytes':
      return type.lanes === 16 ? 'v128' : 'i32';
    default:
      return 'i32';
  }
}

/** Instruction prefix of the integer or float arithmetic of an element ('i32' for u32, bool). */
export function scalarPrefix(elem: Elem): 'i32' | 'i64' | 'f32' | 'f64' {
  return elem === 'u32' || elem === 'bool' ? 'i32' : elem;
}

export function isFloat(elem: Elem): boolean {
  return elem === 'f32' || elem === 'f64';
}

/** Prefix of the vector instructions of an element. */
export function vectorPrefix(elem: Elem): 'i32x4' | 'f32x4' {
  return elem === 'f32' ? 'f32x4' : 'i32x4';
}

/** Bytes of a value in memory (locals of private and shared arrays, host fields). */
export function sizeOf(type: Type): number {
  if (type.kind === 'vector') return type.lanes * 4;
  if (type.kind === 'bytes') return type.lanes;
  if (type.kind === 'scalar') return type.name === 'i64' || type.name === 'f64' ? 8 : 4;
  return 4;
}
