/**
 * Arithmetic of scalars as LOOM 3 defines it. i64 are bigints and raise on overflow; u32 and i32
 * wrap; f32 round once after each operation (the double result of one f32 operation rounds to the
 * same f32). Division by zero raises on the host and gives 0 on devices.
 */
import { StatusError } from '../../base/errors.js';
import type { ArithmeticOp, CompareOp, ScalarName } from '../../loom/typed.js';
import { faults } from '../faults.js';

export type World = 'host' | 'device';
type Numbers = (left: number, right: number) => number;
type BigInts = (left: bigint, right: bigint) => bigint;
// One signature for both kinds of values; the caller pairs it with the type of its operands.
export type Binary = (left: any, right: any) => any;

const I64_MIN = -(2n ** 63n);
const I64_MAX = 2n ** 63n - 1n;

export function binary(operator: ArithmeticOp, elem: ScalarName, world: World): Binary {
  const table: Readonly<Partial<Record<ArithmeticOp, Binary>>> =
    elem === 'i64' ? i64Operators
    : elem === 'f32' ? f32Operators
    : elem === 'f64' ? f64Operators
    : elem === 'i32' ? i32Operators
    : u32Operators;
  const run = table[operator];
  if (!run) throw new StatusError('unimplemented', `operator ${operator} on ${elem}`);
  const divides = operator === '/' || operator === '%';
  if (!divides || elem === 'f32' || elem === 'f64') return run;
  return world === 'host' ? raising(run, operator) : yieldingZero(run);
}

/** The divisor of the guarded functions below is never 0. */
function raising(divide: Binary, operator: string): Binary {
  return (left, right) => {
    if (right == 0) throw faults.divisionByZero(operator);
    return divide(left, right);
  };
}

function yieldingZero(divide: Binary): Binary {
  return (left, right) => (right === 0 ? 0 : divide(left, right));
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

/** Comparison of two scalars: 0 or 1. */
export function comparison(operator: CompareOp): (left: any, right: any) => 0 | 1 {
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

export function negation(elem: ScalarName): (value: any) => any {
  switch (elem) {
    case 'i64':
      return (value: bigint) => {
        if (value === I64_MIN) throw faults.overflow('negate');
        return -value;
      };
    case 'f32':
    case 'f64':
      return (value: number) => -value;
    case 'i32':
      return (value: number) => -value | 0;
    default:
      return (value: number) => -value >>> 0;
  }
}

export function inversion(elem: ScalarName): (value: any) => any {
  if (elem === 'i64') return (value: bigint) => ~value;
  if (elem === 'i32') return (value: number) => ~value;
  return (value: number) => ~value >>> 0;
}
