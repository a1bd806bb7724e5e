/**
 * Types called as functions: `i32(x)`, `f32x4(a, b, c, d)`, `f32x4(x)` (splat), `i8x4(v)`
 * (saturating), `i32x2(v)` from a vector of the same width. Constants convert at compile time.
 */
import type { Expr, Type } from '../typed.js';
import type { Call } from './call.js';
import { coerce, constantExpr, expression, valueType } from './coercion.js';
import { FoldError, adapt, misfitText, wrap } from './constant-folding.js';
import { zeroOf } from './constants.js';
import { folding } from './operators.js';
import { bytes, componentOf, isBool, isScalar, sameType, typeName, vector } from './types.js';
import type { ConstValue, Value } from './value.js';

export function convert(call: Call, type: Type): Value {
  switch (type.kind) {
    case 'scalar':
      return toScalar(call, type);
    case 'vector':
      return toVector(call, type);
    case 'bytes':
      return toBytes(call, type);
    default:
      throw call.frame.problem(call.at, `${typeName(type)} cannot be made by a conversion`);
  }
}

function toScalar(call: Call, type: Type): Value {
  call.counts(1);
  const { frame, site } = call;
  const value = call.value(0);
  if (value.kind === 'word') return value;
  if (value.kind === 'const') {
    const converted = folding(frame, call.at, () => constantTo(value, type));
    if (converted !== null) return converted;
  }
  const expr = expression(frame, value, call.argAt(0));
  const rank = frame.rankOf(value);
  if (sameType(expr.type, type)) return { kind: 'expr', rank, expr };
  if (expr.type.kind !== 'scalar' || isBool(type)) {
    const hint = isBool(type) ? 'write a comparison: x != 0' : undefined;
    throw frame.problem(
      call.at,
      `${typeName(expr.type)} does not convert to ${typeName(type)}`,
      hint,
    );
  }
  if (isBool(expr.type)) {
    const args = [expr, constantExpr(1n, type, site), constantExpr(0n, type, site)];
    return { kind: 'expr', rank, expr: { op: 'intrinsic', type, site, name: 'select', args } };
  }
  return { kind: 'expr', rank, expr: { op: 'convert', type, site, value: expr } };
}

/** Integers wrap and reals saturate as at run time; a real beyond f32 is an error. */
function constantTo(value: ConstValue, type: Type): ConstValue | null {
  if (value.type !== null && sameType(value.type, type)) return value;
  if (typeof value.value === 'bigint') {
    const real = isScalar(type, 'f32') || isScalar(type, 'f64');
    if (real)
      return {
        kind: 'const',
        type,
        value: isScalar(type, 'f32') ? Math.fround(Number(value.value)) : Number(value.value),
      };
    return isBool(type) ? null : { kind: 'const', type, value: wrap(value.value, type) };
  }
  if (typeof value.value !== 'number' || isBool(type)) return null;
  const adapted = adapt({ ...value, type: null }, type);
  if (adapted !== null) return { kind: 'const', type, value: adapted };
  if (!isScalar(type, 'f32')) return { kind: 'const', type, value: saturate(value.value, type) };
  throw new FoldError(`expected f32, got ${misfitText(value, type)}`);
}

function saturate(value: number, type: Type): bigint {
  const bits = isScalar(type, 'i64') ? 64n : 32n;
  const unsigned = isScalar(type, 'u32');
  const max = unsigned ? 2n ** bits - 1n : 2n ** (bits - 1n) - 1n;
  const min = unsigned ? 0n : -(2n ** (bits - 1n));
  const whole = BigInt(Math.trunc(Math.max(-1e19, Math.min(1e19, value))));
  return whole < min ? min : whole > max ? max : whole;
}

type VectorType = Extract<Type, { kind: 'vector' }>;

function toVector(call: Call, type: VectorType): Value {
  const { frame, site } = call;
  if (call.args.length === 0) {
    return { kind: 'expr', rank: 'uniform', expr: zeroOf(frame, type, call.at) };
  }
  const component = componentOf(type) as Type;
  if (call.args.length === type.lanes) return items(call, type, component);
  call.counts(1, type.lanes);
  const value = call.value(0);
  const rank = frame.rankOf(value);
  const from = valueType(frame, value);
  if (from !== null && sameType(from, type)) return value;
  if (from?.kind === 'vector') {
    if (from.lanes !== type.lanes) {
      throw frame.problem(call.at, `${typeName(from)} does not convert to ${typeName(type)}`);
    }
    return { kind: 'expr', rank, expr: { op: 'convert', type, site, value: call.any(0) } };
  }
  if (from?.kind === 'bytes' && from.lanes === 4 && sameType(type, vector('i32', 4))) {
    const name = from.elem === 'i8' ? 'unpack_i8' : 'unpack_u8';
    return { kind: 'expr', rank, expr: { op: 'intrinsic', type, site, name, args: [call.any(0)] } };
  }
  const part = coerce(frame, value, component, { at: call.argAt(0), what: typeName(type) });
  if (part.op === 'const' && typeof part.value === 'number') {
    const filled = new Array<number>(type.lanes).fill(part.value);
    return { kind: 'expr', rank, expr: { op: 'const', type, site, value: filled } };
  }
  return { kind: 'expr', rank, expr: { op: 'splat', type, site, value: part } };
}

function items(call: Call, type: VectorType, component: Type): Value {
  const parts = call.args.map((_, index): Expr => call.arg(index, component));
  const rank = call.frame.rankOf(...call.values());
  const numbers = parts.map((part) => (part.op === 'const' ? part.value : null));
  if (numbers.every((part) => typeof part === 'number')) {
    return {
      kind: 'expr',
      rank,
      expr: { op: 'const', type, site: call.site, value: numbers as number[] },
    };
  }
  return { kind: 'expr', rank, expr: { op: 'vector', type, site: call.site, items: parts } };
}

function toBytes(call: Call, type: Type): Value {
  const { frame, site } = call;
  if (call.args.length === 0) {
    return { kind: 'expr', rank: 'uniform', expr: zeroOf(frame, type, call.at) };
  }
  call.counts(1);
  const value = call.value(0);
  const from = valueType(frame, value);
  if (from !== null && sameType(from, type)) return value;
  const isFour = sameType(type, bytes('i8', 4)) || sameType(type, bytes('u8', 4));
  const packs = from?.kind === 'vector' && from.lanes === 4 && from.elem !== 'u32';
  if (!isFour || !packs) {
    const shown = from === null ? 'this' : typeName(from);
    throw frame.problem(call.at, `${shown} does not convert to ${typeName(type)}`);
  }
  const name = sameType(type, bytes('i8', 4)) ? 'pack_i8' : 'pack_u8';
  const expr: Expr = { op: 'intrinsic', type, site, name, args: [call.any(0)] };
  return { kind: 'expr', rank: frame.rankOf(value), expr };
}
