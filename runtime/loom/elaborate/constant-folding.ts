/**
 * Arithmetic of constants. Flexible integers are exact within i64 (anything else is an error);
 * fixed ones wrap as their type does; reals are f64 until a type is needed. Throws `FoldError`
 * with a message; the caller knows the place.
 */
import type { Type } from '../typed.js';
import type { BinaryOp, UnaryOp } from '../tree.js';
import { BOOL, isScalar, sameType, typeName } from './types.js';
import type { ConstValue } from './value.js';

export class FoldError extends Error {}

const textMax = 65_536;
const I64_MIN = -(2n ** 63n);
const I64_MAX = 2n ** 63n - 1n;

export const flexible = (value: bigint | number): ConstValue => ({
  kind: 'const',
  type: null,
  value,
});
/** As it would be written: a real keeps its point, so that messages tell 1.0 from 1. */
export function constantText(value: ConstValue['value']): string {
  if (typeof value === 'string') return JSON.stringify(value);
  const text = String(value);
  return typeof value === 'number' && /^-?\d+$/.test(text) ? `${text}.0` : text;
}

export const truth = (value: boolean): ConstValue => ({ kind: 'const', type: BOOL, value });

/** The value of `constant` as `type`, or null where it does not fit or is of another kind. */
export function adapt(constant: ConstValue, type: Type): ConstValue['value'] | null {
  const { value } = constant;
  if (constant.type !== null && !sameType(constant.type, type)) return null;
  if (type.kind === 'string') return typeof value === 'string' ? value : null;
  if (type.kind !== 'scalar') return null;
  if (type.name === 'bool') return typeof value === 'boolean' ? value : null;
  if (type.name === 'f32' || type.name === 'f64') {
    if (typeof value !== 'bigint' && typeof value !== 'number') return null;
    const real = type.name === 'f32' ? Math.fround(Number(value)) : Number(value);
    if (!Number.isFinite(real)) return null;
    return typeof value === 'bigint' && BigInt(real) !== value ? null : real;
  }
  if (typeof value !== 'bigint') return null;
  return wrap(value, type) === value ? value : null;
}

/** Why `adapt` says no, for messages: the constant, and the range of f32 if that is the reason. */
export function misfitText({ value }: ConstValue, type: Type): string {
  if (typeof value === 'string') return 'a string';
  const shown = `the constant ${constantText(value)}`;
  const isReal = typeof value === 'number' && isScalar(type, 'f32');
  return isReal ? `${shown}, which is beyond f32 (f32.lowest to f32.max)` : shown;
}

/** `value` modulo the width of an integer type. */
export function wrap(value: bigint, type: Type): bigint {
  if (isScalar(type, 'i32')) return BigInt.asIntN(32, value);
  if (isScalar(type, 'u32')) return BigInt.asUintN(32, value);
  return BigInt.asIntN(64, value);
}

function settle(value: bigint, type: Type | null): ConstValue {
  if (type !== null) return { kind: 'const', type, value: wrap(value, type) };
  if (value < I64_MIN || value > I64_MAX) {
    throw new FoldError(`the constant ${value} is outside the range of i64`);
  }
  return flexible(value);
}

/** Types of two constants joined: fixed wins over flexible; null when they differ. */
function join(left: ConstValue, right: ConstValue): Type | null {
  if (left.type === null) return right.type;
  if (right.type === null || sameType(left.type, right.type)) return left.type;
  const [a, b] = [typeName(left.type), typeName(right.type)];
  throw new FoldError(`the two sides have different types, ${a} and ${b}`);
}

/** Null: this pair is not folded (fixed reals: executors round them). */
export function foldBinary(op: BinaryOp, left: ConstValue, right: ConstValue): ConstValue | null {
  const a = left.value;
  const b = right.value;
  if (typeof a === 'boolean' && typeof b === 'boolean') return foldTruth(op, a, b);
  if (typeof a === 'string' && typeof b === 'string') return foldText(op, a, b);
  if (typeof a === 'bigint' && typeof b === 'bigint') {
    const type = join(left, right);
    if (type !== null && isScalar(type, 'f32')) return null;
    if (type !== null && (adapt(left, type) === null || adapt(right, type) === null)) {
      throw new FoldError(`the constant does not fit ${typeName(type)}`);
    }
    return foldIntegers(op, { a, b, type });
  }
  if (typeof a === 'boolean' || typeof b === 'boolean') return null;
  if (typeof a === 'string' || typeof b === 'string') return null;
  if (left.type !== null || right.type !== null) return null;
  return foldReals(op, Number(a), Number(b));
}

function foldTruth(op: BinaryOp, a: boolean, b: boolean): ConstValue | null {
  if (op === '&&') return truth(a && b);
  if (op === '||') return truth(a || b);
  if (op === '==') return truth(a === b);
  return op === '!=' ? truth(a !== b) : null;
}

function foldText(op: BinaryOp, a: string, b: string): ConstValue | null {
  if (op === '==') return truth(a === b);
  if (op === '!=') return truth(a !== b);
  if (op !== '+') return null;
  // Doubling constants would outgrow any memory.
  if (a.length + b.length > textMax) {
    throw new FoldError(`a constant text is longer than ${textMax} bytes`);
  }
  return { kind: 'const', type: { kind: 'string' }, value: a + b };
}

interface Integers {
  readonly a: bigint;
  readonly b: bigint;
  readonly type: Type | null;
}

function foldIntegers(op: BinaryOp, { a, b, type }: Integers): ConstValue | null {
  const compared = compare(op, a, b);
  if (compared !== null) return compared;
  const shift = b & (type !== null && !isScalar(type, 'i64') ? 31n : 63n);
  switch (op) {
    case '+':
      return settle(a + b, type);
    case '-':
      return settle(a - b, type);
    case '*':
      return settle(a * b, type);
    case '/':
    case '%':
      if (b === 0n) throw new FoldError('division of a constant by zero');
      return settle(op === '/' ? a / b : a % b, type);
    case '<<':
      return settle(a << shift, type);
    case '>>':
      return settle(a >> shift, type);
    case '&':
      return settle(a & b, type);
    case '|':
      return settle(a | b, type);
    case '^':
      return settle(a ^ b, type);
    default:
      return null;
  }
}

function foldReals(op: BinaryOp, a: number, b: number): ConstValue | null {
  const compared = compare(op, a, b);
  if (compared !== null) return compared;
  if (op === '/' && b === 0) throw new FoldError('division of a constant by zero');
  const results: Partial<Record<BinaryOp, number>> = {
    '+': a + b,
    '-': a - b,
    '*': a * b,
    '/': a / b,
  };
  const value = results[op];
  if (value === undefined) return null;
  if (!Number.isFinite(value)) throw new FoldError('the constant is not a finite number');
  return flexible(value);
}

function compare<T extends bigint | number>(op: BinaryOp, a: T, b: T): ConstValue | null {
  switch (op) {
    case '==':
      return truth(a === b);
    case '!=':
      return truth(a !== b);
    case '<':
      return truth(a < b);
    case '<=':
      return truth(a <= b);
    case '>':
      return truth(a > b);
    case '>=':
      return truth(a >= b);
    default:
      return null;
  }
}

export function foldUnary(op: UnaryOp, operand: ConstValue): ConstValue | null {
  const { value, type } = operand;
  if (op === '!' && typeof value === 'boolean') return truth(!value);
  if (op === '-' && typeof value === 'bigint' && (type === null || !isScalar(type, 'u32'))) {
    return settle(-value, type);
  }
  if (op === '-' && typeof value === 'number' && type === null) return flexible(-value);
  if (op === '~' && typeof value === 'bigint') return settle(~value, type);
  return null;
}

/** `ceil_div min max select log2 abs` of constants; null when it is not folded. */
export function foldCall(name: string, args: readonly ConstValue[]): ConstValue | null {
  const [first, second, third] = args;
  if (name === 'select' && args.length === 3 && typeof first?.value === 'boolean') {
    return (first.value ? second : third) as ConstValue;
  }
  if (first === undefined) return null;
  if (name === 'log2' && args.length === 1 && typeof first.value === 'bigint') {
    return foldLog2(first.value);
  }
  if (name === 'abs' && args.length === 1 && first.type === null) {
    if (typeof first.value === 'bigint')
      return flexible(first.value < 0n ? -first.value : first.value);
    return typeof first.value === 'number' ? flexible(Math.abs(first.value)) : null;
  }
  if (second === undefined || args.length !== 2) return null;
  if (name === 'min' || name === 'max') {
    const less = foldBinary(name === 'min' ? '<' : '>', second, first);
    if (less === null) return null;
    const chosen = less.value === true ? second : first;
    return { ...chosen, type: join(first, second) };
  }
  if (name === 'ceil_div' && typeof first.value === 'bigint' && typeof second.value === 'bigint') {
    if (second.value <= 0n) throw new FoldError('ceil_div needs a positive divisor');
    const value = first.value;
    const rounded = value > 0n ? (value + second.value - 1n) / second.value : value / second.value;
    return settle(rounded, join(first, second));
  }
  return null;
}

function foldLog2(value: bigint): ConstValue {
  if (value <= 0n) throw new FoldError('log2 needs a positive integer');
  return flexible(BigInt(value.toString(2).length - 1));
}
