/**
 * Integer intervals, for proving that an index lies inside a range. Bounds are inclusive and exact
 * (plain numbers below 2^53). An operation whose exact result may leave i32 gives `anyI32`, since
 * the program would wrap there: so a narrow interval is always a proof.
 */
import type { Expr, LocalId } from '../../loom/typed.js';

export interface Interval {
  readonly lo: number;
  readonly hi: number;
}

export const I32_MIN = -(2 ** 31);
export const I32_MAX = 2 ** 31 - 1;
export const anyI32: Interval = { lo: I32_MIN, hi: I32_MAX };

/** What is known of locals at a point of the program; absent means nothing. */
export type Ranges = Map<LocalId, Interval>;

export function interval(lo: number, hi: number): Interval {
  return lo >= I32_MIN && hi <= I32_MAX && lo <= hi ? { lo, hi } : anyI32;
}

export function joinIntervals(a: Interval, b: Interval): Interval {
  return { lo: Math.min(a.lo, b.lo), hi: Math.max(a.hi, b.hi) };
}

/** The values that an i32 expression may take; `anyI32` where nothing is known. */
export function intervalOf(expr: Expr, ranges: Ranges): Interval {
  if (expr.type.kind !== 'scalar' || expr.type.name !== 'i32') return anyI32;
  switch (expr.op) {
    case 'const':
      return interval(Number(expr.value), Number(expr.value));
    case 'local':
      return ranges.get(expr.local) ?? anyI32;
    case 'workgroup':
      return { lo: 0, hi: 65534 };
    case 'view.length':
      return { lo: 0, hi: I32_MAX };
    case 'arithmetic':
      return arithmetic(
        expr.operator,
        intervalOf(expr.left, ranges),
        intervalOf(expr.right, ranges),
      );
    case 'intrinsic':
      return intrinsic(expr.name, expr.args, ranges);
    default:
      return anyI32;
  }
}

function arithmetic(operator: string, a: Interval, b: Interval): Interval {
  switch (operator) {
    case '+':
      return interval(a.lo + b.lo, a.hi + b.hi);
    case '-':
      return interval(a.lo - b.hi, a.hi - b.lo);
    case '*': {
      const products = [a.lo * b.lo, a.lo * b.hi, a.hi * b.lo, a.hi * b.hi];
      return interval(Math.min(...products), Math.max(...products));
    }
    case '/':
      // Only by a positive divisor, where truncation is monotone.
      if (b.lo < 1) return anyI32;
      return interval(
        Math.min(Math.trunc(a.lo / b.lo), Math.trunc(a.lo / b.hi)),
        Math.max(Math.trunc(a.hi / b.lo), Math.trunc(a.hi / b.hi)),
      );
    case '%':
      if (b.lo < 1) return anyI32;
      return interval(a.lo < 0 ? 1 - b.hi : 0, a.hi < b.hi ? Math.max(a.hi, 0) : b.hi - 1);
    case '&':
      if (b.lo >= 0) return { lo: 0, hi: b.hi };
      return a.lo >= 0 ? { lo: 0, hi: a.hi } : anyI32;
    case '>>':
      if (b.lo !== b.hi) return anyI32;
      return interval(a.lo >> (b.lo & 31), a.hi >> (b.lo & 31));
    case '<<':
      if (b.lo !== b.hi || b.lo < 0 || b.lo > 30) return anyI32;
      return interval(a.lo * 2 ** b.lo, a.hi * 2 ** b.lo);
    default:
      return anyI32;
  }
}

function intrinsic(name: string, args: readonly Expr[], ranges: Ranges): Interval {
  if (name === 'min' || name === 'max') {
    const pick = name === 'min' ? Math.min : Math.max;
    const a = intervalOf(args[0]!, ranges);
    const b = intervalOf(args[1]!, ranges);
    return { lo: pick(a.lo, b.lo), hi: pick(a.hi, b.hi) };
  }
  if (name === 'select') {
    return joinIntervals(intervalOf(args[1]!, ranges), intervalOf(args[2]!, ranges));
  }
  return anyI32;
}
