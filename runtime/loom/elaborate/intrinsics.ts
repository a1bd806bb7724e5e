/**
 * Built-in functions with one meaning on host and device: arithmetic that rounds once, selection,
 * bits, packed bytes. On vectors they work by component. exp, log and their kin are library code.
 */
import type { Expr, Intrinsic, Type } from '../typed.js';
import type { Builtin, Call } from './call.js';
import { coerce, valueType } from './coercion.js';
import { foldCall } from './constant-folding.js';
import { once } from './host-layout.js';
import { folding, operate, unify } from './operators.js';
import { wordCall } from './command-words.js';
import {
  BOOL,
  F32,
  U32,
  bytes,
  componentOf,
  isBool,
  isFloat,
  isInteger,
  isScalar,
  sameType,
  typeName,
  vector,
} from './types.js';
import type { Value } from './value.js';

function node(call: Call, name: Intrinsic, type: Type, args: readonly Expr[]): Value {
  const rank = call.frame.rankOf(...call.values());
  return { kind: 'expr', rank, expr: { op: 'intrinsic', type, site: call.site, name, args } };
}

function folded(call: Call): Value | null {
  const values = call.values();
  if (values.some((value) => value.kind === 'word')) return wordCall(call);
  const constants = values.filter((value) => value.kind === 'const');
  if (constants.length !== values.length) return null;
  return folding(call.frame, call.at, () => foldCall(call.name, constants));
}

function reject(call: Call, type: Type): never {
  throw call.frame.problem(call.at, `'${call.name}' does not apply to ${typeName(type)}`);
}

/** Arguments brought to one type, scalars beside vectors splat. */
function unified(call: Call, values: readonly Value[]): Expr[] {
  let model: Value = values.find((value) => value.kind !== 'const') ?? (values[0] as Value);
  for (const value of values) {
    if (value.kind === 'expr' && value.expr.type.kind === 'vector') model = value;
  }
  return values.map((value, index) => {
    const [expr] = unify(call.frame, {
      op: call.name,
      left: value,
      right: model,
      at: call.argAt(index),
    });
    return expr;
  });
}

function numeric(name: Intrinsic, arity: number, accepts: (type: Type) => boolean): Builtin {
  return (call) => {
    call.counts(arity);
    const constant = folded(call);
    if (constant !== null) return constant;
    const args = unified(call, call.values());
    const { type } = args[0] as Expr;
    const component = componentOf(type);
    if (component === null || !accepts(component)) return reject(call, type);
    return node(call, name, type, args);
  };
}

const number = (type: Type): boolean => !isBool(type);

const select: Builtin = (call) => {
  call.counts(3);
  const constant = folded(call);
  if (constant !== null) return constant;
  const condition = call.value(0);
  if (condition.kind === 'const' && typeof condition.value === 'boolean') {
    return call.value(condition.value ? 1 : 2);
  }
  const chosen = coerce(call.frame, condition, BOOL, {
    at: call.argAt(0),
    what: "the condition of 'select'",
  });
  const sides = [call.value(1), call.value(2)] as const;
  const [left, right] = unify(call.frame, {
    op: 'select',
    left: sides[0],
    right: sides[1],
    at: call.at,
  });
  return node(call, 'select', left.type, [chosen, left, right]);
};

const ceilDiv: Builtin = (call) => {
  call.counts(2);
  const constant = folded(call);
  if (constant !== null) return constant;
  const { frame, at } = call;
  const [left, right] = unify(frame, {
    op: call.name,
    left: call.value(0),
    right: call.value(1),
    at,
  });
  if (!isInteger(left.type)) return reject(call, left.type);
  const rank = frame.rankOf(...call.values());
  const divisor: Value = { kind: 'expr', rank, expr: once(frame, right) };
  const one: Value = { kind: 'const', type: null, value: 1n };
  const less = operate(frame, { op: '-', left: divisor, right: one, at });
  const sum = operate(frame, {
    op: '+',
    left: { kind: 'expr', rank, expr: left },
    right: less,
    at,
  });
  return operate(frame, { op: '/', left: sum, right: divisor, at });
};

const log2: Builtin = (call) => {
  call.counts(1);
  const constant = folded(call);
  if (constant !== null) return constant;
  throw call.frame.problem(
    call.at,
    'log2 is for constants',
    'the logarithm of values is library code',
  );
};

const dot: Builtin = (call) => {
  call.counts(2, 3);
  const { frame } = call;
  const left = call.any(0);
  if (left.type.kind === 'bytes') {
    call.counts(3);
    const wide = bytes('i8', 16);
    const args = [call.arg(0, wide), call.arg(1, wide), call.arg(2, vector('i32', 4))];
    return node(call, 'dot8', vector('i32', 4), args);
  }
  call.counts(2);
  if (left.type.kind !== 'vector' || left.type.elem !== 'f32') return reject(call, left.type);
  const right = coerce(frame, call.value(1), left.type, call.argAt(1));
  return node(call, 'dot', F32, [left, right]);
};

/** One argument of a fixed type, by its component. */
function mapped(name: Intrinsic, from: Type, to: Type): Builtin {
  return (call) => {
    call.counts(1);
    const value = call.value(0);
    const type = valueType(call.frame, value);
    if (type?.kind === 'vector' && type.elem === typeName(from) && to.kind === 'scalar') {
      return node(call, name, vector(to.name as 'f32', type.lanes), [call.any(0)]);
    }
    return node(call, name, to, [call.arg(0, from)]);
  };
}

const floatBits = mapped('bits', F32, U32);

const bits: Builtin = (call) => {
  call.counts(1);
  const type = valueType(call.frame, call.value(0));
  const isWide = type?.kind === 'bytes' && type.lanes === 16;
  return isWide ? node(call, 'bits', vector('u32', 4), [call.any(0)]) : floatBits(call);
};

const pack =
  (name: 'pack_i8' | 'pack_u8'): Builtin =>
  (call) => {
    call.counts(1);
    const value = call.any(0);
    const fits = sameType(value.type, vector('f32', 4)) || sameType(value.type, vector('i32', 4));
    if (!fits) return reject(call, value.type);
    return node(call, name, bytes(name === 'pack_i8' ? 'i8' : 'u8', 4), [value]);
  };

const isNan: Builtin = (call) => {
  call.counts(1);
  const value = call.any(0);
  if (!isFloat(value.type)) return reject(call, value.type);
  return node(call, 'is_nan', BOOL, [value]);
};

const mulHi: Builtin = (call) => {
  call.counts(2);
  return node(call, 'mul_hi', U32, [call.arg(0, U32), call.arg(1, U32)]);
};

/** Methods of vectors that are intrinsics: `v.sum()`. */
export const vectorMethods: ReadonlyMap<string, Intrinsic> = new Map([
  ['sum', 'sum'],
  ['max_lane', 'max_lane'],
  ['min_lane', 'min_lane'],
]);

export const intrinsics: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['min', numeric('min', 2, number)],
  ['max', numeric('max', 2, number)],
  ['abs', numeric('abs', 1, (type) => number(type) && !isScalar(type, 'u32'))],
  ['sqrt', numeric('sqrt', 1, isFloat)],
  ['floor', numeric('floor', 1, isFloat)],
  ['ceil', numeric('ceil', 1, isFloat)],
  ['trunc', numeric('trunc', 1, isFloat)],
  ['round', numeric('round', 1, isFloat)],
  ['mad', numeric('mad', 3, number)],
  ['select', select],
  ['ceil_div', ceilDiv],
  ['log2', log2],
  ['dot', dot],
  ['mul_hi', mulHi],
  ['bits', bits],
  ['f32_from_bits', mapped('f32_from_bits', U32, F32)],
  ['clz', mapped('clz', U32, U32)],
  ['popcount', mapped('popcount', U32, U32)],
  ['is_nan', isNan],
  ['unpack_i8', mapped('unpack_i8', bytes('i8', 4), vector('i32', 4))],
  ['unpack_u8', mapped('unpack_u8', bytes('u8', 4), vector('i32', 4))],
  ['pack_i8', pack('pack_i8')],
  ['pack_u8', pack('pack_u8')],
]);
