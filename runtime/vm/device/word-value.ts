/** Scalars and grid extents of command programs, from constants and words of the uploaded roots. */
import type { WordExpr } from '../../loom/typed.js';
import { binary, type Numbers } from '../numbers/arithmetic.js';
import { pick } from '../numbers/intrinsic.js';

export function wordValue(expr: WordExpr, roots: readonly DataView[]): number {
  switch (expr.op) {
    case 'const':
      return Number(expr.value);
    case 'word': {
      const view = roots[expr.root]!;
      // Robust like every access: a word past the end of the root reads zero.
      if (expr.offset + 4 > view.byteLength) return 0;
      if (expr.type === 'f32') return view.getFloat32(expr.offset, true);
      return expr.type === 'u32'
        ? view.getUint32(expr.offset, true)
        : view.getInt32(expr.offset, true);
    }
    case 'min':
    case 'max':
      return (pick(expr.op) as Numbers)(wordValue(expr.left, roots), wordValue(expr.right, roots));
    case 'ceil_div':
      return ceilDivide(expr.type, wordValue(expr.left, roots), wordValue(expr.right, roots));
    default:
      return binary(
        expr.op,
        expr.type,
        'device',
      )(wordValue(expr.left, roots), wordValue(expr.right, roots));
  }
}

/** Quotient, plus one where the exact one is larger; by zero 0. */
function ceilDivide(type: 'i32' | 'u32' | 'f32', left: number, right: number): number {
  if (right === 0) return 0;
  const exact = Math.ceil(left / right);
  return type === 'u32' ? exact >>> 0 : type === 'i32' ? exact | 0 : Math.fround(exact);
}
