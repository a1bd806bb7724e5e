/**
 * Binary arithmetic, negation and comparison on operands that lie on the stack, left below right.
 * Integers wrap, shifts use the low 5 (6) bits, division never traps: what happens on a zero
 * divisor or an i64 overflow is the caller's `Faults` (the device yields 0, the host raises).
 */
import { StatusError } from '../../base/errors.js';
import type { ArithmeticOp, CompareOp } from '../../loom/typed.js';
import type { FunctionBody } from '../wasm/function-body.js';
import { isFloat, scalarPrefix, vectorPrefix, type Shape } from './shape.js';

/** Called with an i32 condition on the stack that says whether the fault happened. */
export interface Faults {
  /** null: a zero divisor gives 0. */
  readonly divisionByZero: (() => void) | null;
  /** null: i64 wraps. */
  readonly overflow: (() => void) | null;
}

export const deviceFaults: Faults = { divisionByZero: null, overflow: null };

const plain: Readonly<Partial<Record<ArithmeticOp, string>>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '<<': 'shl',
  '&': 'and',
  '|': 'or',
  '^': 'xor',
};

export function emitArithmetic(
  code: FunctionBody,
  operator: ArithmeticOp,
  shape: Shape,
  faults: Faults,
): void {
  if (shape.lanes > 1) emitVector(code, operator, shape, faults);
  else if (isFloat(shape.elem)) code.op(`${shape.elem}.${floatName(operator)}`);
  else if (operator === '/' || operator === '%') emitDivision(code, operator, shape, faults);
  else if (shape.elem === 'i64' && faults.overflow && '+-*'.includes(operator)) {
    emitChecked(code, operator, faults.overflow);
  } else {
    code.op(`${scalarPrefix(shape.elem)}.${integerName(operator, shape)}`);
  }
}

function integerName(operator: ArithmeticOp, shape: Shape): string {
  if (operator === '>>') return shape.elem === 'u32' ? 'shr_u' : 'shr_s';
  return plain[operator]!;
}

function floatName(operator: ArithmeticOp): string {
  const name = operator === '/' ? 'div' : plain[operator];
  if (name === undefined || operator === '<<' || '&|^'.includes(operator)) {
    throw new StatusError('unimplemented', `operator ${operator} on floating-point numbers`);
  }
  return name;
}

function emitVector(
  code: FunctionBody,
  operator: ArithmeticOp,
  shape: Shape,
  faults: Faults,
): void {
  const prefix = vectorPrefix(shape.elem);
  if (operator === '&' || operator === '|' || operator === '^') {
    code.op(`v128.${plain[operator]}`);
  } else if (shape.elem === 'f32') {
    code.op(`f32x4.${floatName(operator)}`);
  } else if (operator === '+' || operator === '-' || operator === '*') {
    code.op(`${prefix}.${plain[operator]}`);
  } else {
    emitPairsByLane(code, shape, () =>
      emitArithmetic(code, operator, { ...shape, lanes: 1 }, faults),
    );
  }
}

/** Applies a scalar operation of two integer operands lane by lane. */
export function emitPairsByLane(code: FunctionBody, shape: Shape, operation: () => void): void {
  const right = code.temp('v128');
  const left = code.temp('v128');
  const result = code.temp('v128');
  code.set(right);
  code.set(left);
  for (let lane = 0; lane < shape.lanes; lane++) {
    code.get(lane === 0 ? left : result);
    code.get(left);
    code.lane('i32x4.extract_lane', lane);
    code.get(right);
    code.lane('i32x4.extract_lane', lane);
    operation();
    code.lane('i32x4.replace_lane', lane);
    if (lane + 1 < shape.lanes) code.set(result);
  }
  code.release('v128', right);
  code.release('v128', left);
  code.release('v128', result);
}

/** Guarded division: zero divisor per `faults`; MIN / -1 = MIN, remainder 0. */
function emitDivision(code: FunctionBody, operator: '/' | '%', shape: Shape, faults: Faults): void {
  const type = scalarPrefix(shape.elem) as 'i32' | 'i64';
  const constant = (value: number) => (type === 'i64' ? code.i64(BigInt(value)) : code.i32(value));
  const left = code.temp(type);
  const right = code.temp(type);
  code.set(right);
  code.set(left);
  if (faults.divisionByZero) {
    code.get(right);
    code.op(`${type}.eqz`);
    faults.divisionByZero();
  }
  const unsigned = shape.elem === 'u32';
  // left op (right is 0 [or -1] ? 1 : right), then the special cases are selected over it.
  code.get(left);
  constant(1);
  code.get(right);
  if (unsigned) {
    code.get(right);
    code.op('i32.eqz');
  } else {
    code.get(right);
    constant(1);
    code.op(`${type}.add`);
    constant(2);
    code.op(`${type}.lt_u`); // -1 or 0
  }
  code.op('select');
  code.op(`${type}.${operator === '/' ? 'div' : 'rem'}_${unsigned ? 'u' : 's'}`);
  emitDivisionCases(code, { operator, type, unsigned, left, right, quiet: !faults.divisionByZero });
  code.release(type, left);
  code.release(type, right);
}

interface DivisionCases {
  readonly operator: '/' | '%';
  readonly type: 'i32' | 'i64';
  readonly unsigned: boolean;
  readonly left: number;
  readonly right: number;
  /** A zero divisor is still possible here and gives 0. */
  readonly quiet: boolean;
}

/** On the stack: left op 1 where the divisor was special (left, or 0 for a remainder). */
function emitDivisionCases(code: FunctionBody, cases: DivisionCases): void {
  const { operator, type, unsigned, left, right } = cases;
  // A remainder by 1 is 0, which is right for 0 and for -1 alike.
  if (operator === '%') return;
  if (!cases.quiet && unsigned) return;
  const result = code.temp(type);
  code.set(result);
  const constant = (value: number) => (type === 'i64' ? code.i64(BigInt(value)) : code.i32(value));
  if (!unsigned) {
    // left / -1 = 0 - left, wrapping.
    constant(0);
    code.get(left);
    code.op(`${type}.sub`);
    code.get(result);
    code.get(right);
    constant(-1);
    code.op(`${type}.eq`);
    code.op('select');
    code.set(result);
  }
  if (cases.quiet) {
    constant(0);
    code.get(result);
    code.get(right);
    code.op(`${type}.eqz`);
    code.op('select');
  } else {
    code.get(result);
  }
  code.release(type, result);
}

/** i64 + - * with the overflow condition handed to `overflow`. */
function emitChecked(code: FunctionBody, operator: ArithmeticOp, overflow: () => void): void {
  const left = code.temp('i64');
  const right = code.temp('i64');
  const result = code.temp('i64');
  code.set(right);
  code.tee(left);
  code.get(right);
  code.op(`i64.${plain[operator]}`);
  code.set(result);
  if (operator === '*') emitProductOverflow(code, left, right, result);
  else emitSumOverflow(code, { operator, left, right, result });
  overflow();
  code.get(result);
  code.release('i64', left);
  code.release('i64', right);
  code.release('i64', result);
}

interface SumLocals {
  readonly operator: ArithmeticOp;
  readonly left: number;
  readonly right: number;
  readonly result: number;
}

/** a + b overflows when both signs differ from the result's; a - b when a's differs from both. */
function emitSumOverflow(code: FunctionBody, { operator, left, right, result }: SumLocals): void {
  code.get(left);
  code.get(result);
  code.op('i64.xor');
  code.get(operator === '+' ? right : left);
  code.get(operator === '+' ? result : right);
  code.op('i64.xor');
  code.op('i64.and');
  code.i64(0n);
  code.op('i64.lt_s');
}

/** Operands within 32 bits cannot overflow; others are checked by dividing back. */
function emitProductOverflow(
  code: FunctionBody,
  left: number,
  right: number,
  result: number,
): void {
  const outsideI32 = (local: number) => {
    code.get(local);
    code.i64(2n ** 31n);
    code.op('i64.add');
    code.i64(32n);
    code.op('i64.shr_u');
  };
  outsideI32(left);
  outsideI32(right);
  code.ops('i64.or', 'i64.eqz');
  code.if('i32');
  code.i32(0);
  code.else();
  // right is 0: fine. right is -1: only MIN overflows. Else result / right must be left.
  code.get(right);
  code.op('i64.eqz');
  code.if('i32');
  code.i32(0);
  code.else();
  code.get(right);
  code.i64(-1n);
  code.op('i64.eq');
  code.if('i32');
  code.get(left);
  code.i64(-(2n ** 63n));
  code.op('i64.eq');
  code.else();
  code.get(result);
  code.get(right);
  code.op('i64.div_s');
  code.get(left);
  code.op('i64.ne');
  code.end();
  code.end();
  code.end();
}

const compareNames: Readonly<Record<CompareOp, string>> = {
  '==': 'eq',
  '!=': 'ne',
  '<': 'lt',
  '<=': 'le',
  '>': 'gt',
  '>=': 'ge',
};

/** Compares two scalars on the stack. */
export function emitCompare(code: FunctionBody, operator: CompareOp, elem: Shape['elem']): void {
  const name = compareNames[operator];
  const prefix = scalarPrefix(elem);
  const bare = isFloat(elem) || operator === '==' || operator === '!=';
  code.op(`${prefix}.${name}${bare ? '' : elem === 'u32' || elem === 'bool' ? '_u' : '_s'}`);
}

/** Negates the number on the stack; `overflow` as in arithmetic (i64 MIN). */
export function emitNegate(code: FunctionBody, shape: Shape, faults: Faults): void {
  if (shape.lanes > 1) return code.op(`${vectorPrefix(shape.elem)}.neg`);
  if (isFloat(shape.elem)) return code.op(`${shape.elem}.neg`);
  const type = scalarPrefix(shape.elem) as 'i32' | 'i64';
  const value = code.temp(type);
  code.set(value);
  if (type === 'i64') code.i64(0n);
  else code.i32(0);
  code.get(value);
  emitArithmetic(code, '-', shape, faults);
  code.release(type, value);
}

/** Bitwise complement of the integer on the stack. */
export function emitInvert(code: FunctionBody, shape: Shape): void {
  if (shape.lanes > 1) return code.op('v128.not');
  if (shape.elem === 'i64') code.i64(-1n);
  else code.i32(-1);
  code.op(`${scalarPrefix(shape.elem)}.xor`);
}
