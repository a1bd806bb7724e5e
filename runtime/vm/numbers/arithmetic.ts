/**
 * Arithmetic of scalars as LOOM 3 defines it. i64 are bigints and raise on overflow; u32 and i32
 * wrap; f32 round once after each operation (the double result of one f32 operation rounds to the
 * same f32). Division by zero raises on the host and gives 0 on devices.
 */
import { StatusError } from '../../base/errors.js';
import type { ArithmeticOp, CompareOp, ScalarName } from '../../loom/typed.js';
import type { RawValue } from '../executor.js';
import { faults } from '../faults.js';

export type World = 'host' | 'device';
export type Numbers = (left: number, right: number) => number;
type BigInts = (left: bigint, right: bigint) => bigint;
/** Elements that are numbers here. */
export type NumberName = Exclude<ScalarName, 'i64'>;
/** Operands and result are bigints for i64, numbers for all else, as the element type says. */
export type Binary = (left: RawValue, right: RawValue) => RawValue;

const I64_MIN = -(2n ** 63n);
const I64_MAX = 2n ** 63n - 1n;

export function binary(operator: ArithmeticOp, elem: NumberName, world: World): Numbers;
export function binary(operator: ArithmeticOp, elem: ScalarName, world: World): Binary;
export function binary(operator: ArithmeticOp, elem: ScalarName, world: World): Binary | Numbers {
  const run = operatorsOf(elem)[operator] as Binary | undefined;
  if (!run) throw new StatusError('unimplemented', `operator ${operator} on ${elem}`);
  const divides = operator === '/' || operator === '%';
  if (!divides || elem === 'f32' || elem === 'f64') return run;
  const isZero = (value: RawValue): boolean => value === 0 || value === 0n;
  if (world === 'device') {
    return (left: RawValue, right: RawValue) => (isZero(right) ? 0 : run(left, right));
  }
  return (left: RawValue, right: RawValue) => {
    if (isZero(right)) throw faults.divisionByZero(operator);
    return run(left, right);
  };
}

function operatorsOf(elem: ScalarName): Readonly<Partial<Record<ArithmeticOp, Numbers | BigInts>>> {
  if (elem === 'i64') return i64Operators;
  if (elem === 'f32') return f32Operators;
  if (elem === 'f64') return f64Operators;
  return elem === 'i32' ? i32Operators : u32Operators;
}

function checked(operator: string, run: BigInts): BigInts {
  return (left, right) => {
    const result = run(left, right);
    if (result < I64_MIN || result > I64_MAX) throw faults.overflow(operator);
    return result;
  };
}

const i64Operators: Readonly<Record<ArithmeticOp, BigInts>> = {
  '+': checked('+', (a, b) => a + b),
  '-': checked('-', (a, b) => a - b),
  '*': checked('*', (a, b) => a * b),
  // MIN / -1 = MIN
  '/': (a, b) => BigInt.asIntN(64, a / b),
  '%': (a, b) => a % b,
  '<<': (a, b) => BigInt.asIntN(64, a << (b & 63n)),
  '>>': (a, b) => a >> (b & 63n),
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
};

const i32Operators: Readonly<Record<ArithmeticOp, Numbers>> = {
  '+': (a, b) => (a + b) | 0,
  '-': (a, b) => (a - b) | 0,
  '*': (a, b) => Math.imul(a, b),
  '/': (a, b) => (a / b) | 0,
  '%': (a, b) => (a % b) | 0,
  '<<': (a, b) => a << b,
  '>>': (a, b) => a >> b,
  '&': (a, b) => a & b,
  '|': (a, b) => a | b,
  '^': (a, b) => a ^ b,
};

const u32Operators: Readonly<Record<ArithmeticOp, Numbers>> = {
  '+': (a, b) => (a + b) >>> 0,
  '-': (a, b) => (a - b) >>> 0,
  '*': (a, b) => Math.imul(a, b) >>> 0,
  '/': (a, b) => (a / b) >>> 0,
  '%': (a, b) => (a % b) >>> 0,
  '<<': (a, b) => (a << b) >>> 0,
  '>>': (a, b) => a >>> b,
  '&': (a, b) => (a & b) >>> 0,
  '|': (a, b) => (a | b) >>> 0,
  '^': (a, b) => (a ^ b) >>> 0,
};

const f32Operators: Readonly<Partial<Record<ArithmeticOp, Numbers>>> = {
  '+': (a, b) => Math.fround(a + b),
  '-': (a, b) => Math.fround(a - b),
  '*': (a, b) => Math.fround(a * b),
  '/': (a, b) => Math.fround(a / b),
};

const f64Operators: Readonly<Partial<Record<ArithmeticOp, Numbers>>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
};

/** Comparison of two scalars of one type: 0 or 1. */
export function comparison(operator: CompareOp): (left: RawValue, right: RawValue) => 0 | 1 {
  switch (operator) {
    case '==':
      return (a, b) => (a === b ? 1 : 0);
    case '!=':
      return (a, b) => (a !== b ? 1 : 0);
    case '<':
      return (a, b) => (a < b ? 1 : 0);
    case '<=':
      return (a, b) => (a <= b ? 1 : 0);
    case '>':
      return (a, b) => (a > b ? 1 : 0);
    case '>=':
      return (a, b) => (a >= b ? 1 : 0);
  }
}

export type Unary = (value: RawValue) => RawValue;

export function negation(elem: NumberName): (value: number) => number;
export function negation(elem: ScalarName): Unary;
export function negation(elem: ScalarName): Unary | ((value: number) => number) {
  return elem === 'i64' ? (negateI64 as Unary) : numberNegation(elem);
}

function negateI64(value: bigint): bigint {
  if (value === I64_MIN) throw faults.overflow('negate');
  return -value;
}

function numberNegation(elem: ScalarName): (value: number) => number {
  if (elem === 'f32' || elem === 'f64') return (value) => -value;
  return elem === 'i32' ? (value) => -value | 0 : (value) => -value >>> 0;
}

export function inversion(elem: NumberName): (value: number) => number;
export function inversion(elem: ScalarName): Unary;
export function inversion(elem: ScalarName): Unary | ((value: number) => number) {
  if (elem === 'i64') return ((value: bigint) => ~value) as Unary;
  return elem === 'i32' ? (value: number) => ~value : (value: number) => ~value >>> 0;
}
