/** Integers on the host side: i64 wherever a length, an offset or an index is meant. */
import type { At } from '../tree.js';
import type { Expr } from '../typed.js';
import { coerce } from './coercion.js';
import type { Frame } from './frame.js';
import { I32, I64, isScalar } from './types.js';
import type { Value } from './value.js';

/** As i64; i32 and u32 widen, for they cannot lose anything. */
export function wideIndex(frame: Frame, value: Value, at: At, what: string): Expr {
  if (value.kind === 'expr') {
    const { expr } = value;
    if (isScalar(expr.type, 'i32') || isScalar(expr.type, 'u32')) {
      return { op: 'convert', type: I64, site: frame.site(at), value: expr };
    }
  }
  return coerce(frame, widened(value), I64, { at, what: what });
}

/** A fixed i32 or u32 constant as a flexible one. */
function widened(value: Value): Value {
  return value.kind === 'const' && typeof value.value === 'bigint'
    ? { ...value, type: null }
    : value;
}

/** As i32, for device indices; a fixed constant adapts. */
export function deviceIndex(frame: Frame, value: Value, at: At, what: string): Expr {
  return coerce(frame, widened(value), I32, { at, what: what });
}

/** A sum or product that leaves i64 is not folded: it raises when it runs, as i64 does. */
const fits = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/** `index * factor` as an i64 expression; folds where it can. */
export function scaled(frame: Frame, index: Expr, factor: number, at: At): Expr {
  if (factor === 1) return index;
  const site = frame.site(at);
  if (index.op === 'const' && typeof index.value === 'bigint') {
    const value = index.value * BigInt(factor);
    if (fits(value)) return { ...index, value };
  }
  const right: Expr = { op: 'const', type: I64, site, value: BigInt(factor) };
  return { op: 'arithmetic', type: I64, site, operator: '*', left: index, right };
}

export function plus(frame: Frame, left: Expr, right: Expr, at: At): Expr {
  if (left.op === 'const' && left.value === 0n) return right;
  if (right.op === 'const' && right.value === 0n) return left;
  if (left.op === 'const' && right.op === 'const') {
    const value = (left.value as bigint) + (right.value as bigint);
    if (fits(value)) return { ...left, value };
  }
  return { op: 'arithmetic', type: I64, site: frame.site(at), operator: '+', left, right };
}
