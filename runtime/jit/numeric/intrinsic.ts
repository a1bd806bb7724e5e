/**
 * The intrinsics of the typed tree on operands that lie on the stack in order. Each follows the
 * definition in `typed.ts` to the bit: min and max by one comparison (`pmin`, `pmax`), `mad` with
 * two roundings, sums in the pairing (x+z)+(y+w), no relaxed SIMD anywhere.
 */
import { StatusError } from '../../base/errors.js';
import type { Intrinsic, Type } from '../../loom/typed.js';
import type { FunctionBody, ValueType } from '../wasm/function-body.js';
import { deviceFaults, emitArithmetic, emitPairsByLane, type Faults } from './arithmetic.js';
import { isFloat, scalarPrefix, shapeOf, valueTypeOf, vectorPrefix, type Shape } from './shape.js';

export interface IntrinsicCall {
  readonly name: Intrinsic;
  readonly args: readonly Type[];
  readonly result: Type;
  /** What the sums and products inside may raise; absent: nothing. */
  readonly faults?: (operator: '+' | '*') => Faults;
}

export function emitIntrinsic(code: FunctionBody, call: IntrinsicCall): void {
  const { name, args, result } = call;
  switch (name) {
    case 'min':
    case 'max':
      return emitPick(code, name, shapeOf(result));
    case 'select':
      return emitSelect(code, valueTypeOf(result));
    case 'mad':
      return emitMad(code, shapeOf(result), call.faults ?? (() => deviceFaults));
    case 'dot':
      emitArithmetic(code, '*', shapeOf(args[0]!), deviceFaults);
      return emitFold(code, shapeOf(args[0]!), (elem) => addScalars(code, elem));
    case 'sum':
      return emitFold(code, shapeOf(args[0]!), (elem) => addScalars(code, elem));
    case 'max_lane':
    case 'min_lane': {
      const pick = name === 'max_lane' ? 'max' : 'min';
      return emitFold(code, shapeOf(args[0]!), (elem) => emitPick(code, pick, elem));
    }
    case 'mul_hi':
      return emitMulHi(code, shapeOf(result));
    default:
      return emitUnary(code, call);
  }
}

function addScalars(code: FunctionBody, shape: Shape): void {
  emitArithmetic(code, '+', shape, deviceFaults);
}

const rounding: Readonly<Partial<Record<Intrinsic, string>>> = {
  sqrt: 'sqrt',
  floor: 'floor',
  ceil: 'ceil',
  trunc: 'trunc',
  round: 'nearest',
};

function emitUnary(code: FunctionBody, { name, args, result }: IntrinsicCall): void {
  const round = rounding[name];
  if (round !== undefined) {
    const shape = shapeOf(result);
    return code.op(`${shape.lanes > 1 ? 'f32x4' : shape.elem}.${round}`);
  }
  switch (name) {
    case 'abs':
      return emitAbs(code, shapeOf(result));
    case 'bits':
      return shapeOf(result).lanes > 1 ? undefined : code.op('i32.reinterpret_f32');
    case 'f32_from_bits':
      return shapeOf(result).lanes > 1 ? undefined : code.op('f32.reinterpret_i32');
    case 'clz':
      return emitByLane(code, shapeOf(result), 'i32.clz');
    case 'popcount':
      return emitByLane(code, shapeOf(result), 'i32.popcnt');
    case 'is_nan': {
      const elem = shapeOf(args[0]!).elem as 'f32' | 'f64';
      const value = code.temp(elem);
      code.tee(value);
      code.get(value);
      code.op(`${elem}.ne`);
      return code.release(elem, value);
    }
    case 'unpack_i8':
    case 'unpack_u8': {
      const sign = name === 'unpack_i8' ? 's' : 'u';
      return code.ops(
        'i32x4.splat',
        `i16x8.extend_low_i8x16_${sign}`,
        `i32x4.extend_low_i16x8_${sign}`,
      );
    }
    case 'pack_i8':
    case 'pack_u8':
      return emitPack(code, name === 'pack_i8' ? 's' : 'u', shapeOf(args[0]!));
    default:
      throw new StatusError('unimplemented', `intrinsic ${name}`);
  }
}

/** Saturating, truncating narrowing of four numbers to four bytes. */
function emitPack(code: FunctionBody, sign: 's' | 'u', from: Shape): void {
  if (from.elem === 'f32') code.op('i32x4.trunc_sat_f32x4_s');
  if (from.elem === 'u32') {
    code.i32x4(0x7fff);
    code.op('i32x4.min_u');
  }
  const value = code.temp('v128');
  code.set(value);
  code.get(value);
  code.get(value);
  code.op('i16x8.narrow_i32x4_s');
  code.set(value);
  code.get(value);
  code.get(value);
  code.op(`i8x16.narrow_i16x8_${sign}`);
  code.lane('i32x4.extract_lane', 0);
  code.release('v128', value);
}

function emitByLane(code: FunctionBody, shape: Shape, operation: string): void {
  if (shape.lanes === 1) return code.op(operation);
  const value = code.temp('v128');
  code.set(value);
  code.get(value);
  for (let lane = 0; lane < shape.lanes; lane++) {
    code.get(value);
    code.lane('i32x4.extract_lane', lane);
    code.op(operation);
    code.lane('i32x4.replace_lane', lane);
  }
  code.release('v128', value);
}

/** min(a, b) = b < a ? b : a; max(a, b) = b > a ? b : a. */
export function emitPick(code: FunctionBody, pick: 'min' | 'max', shape: Shape): void {
  if (shape.lanes > 1) {
    if (shape.elem === 'f32') return code.op(`f32x4.p${pick}`);
    return code.op(`i32x4.${pick}_${shape.elem === 'u32' ? 'u' : 's'}`);
  }
  const type = valueTypeOf({ kind: 'scalar', name: shape.elem });
  const a = code.temp(type);
  const b = code.temp(type);
  code.set(b);
  code.set(a);
  code.get(b);
  code.get(a);
  code.get(b);
  code.get(a);
  const sign = isFloat(shape.elem) ? '' : shape.elem === 'u32' ? '_u' : '_s';
  code.op(`${scalarPrefix(shape.elem)}.${pick === 'min' ? 'lt' : 'gt'}${sign}`);
  code.op('select');
  code.release(type, a);
  code.release(type, b);
}

/** select(c, a, b): the condition lies lowest on the stack, both sides are already evaluated. */
function emitSelect(code: FunctionBody, type: ValueType): void {
  const a = code.temp(type);
  const b = code.temp(type);
  const condition = code.temp('i32');
  code.set(b);
  code.set(a);
  code.set(condition);
  code.get(a);
  code.get(b);
  code.get(condition);
  code.op('select');
  code.release(type, a);
  code.release(type, b);
  code.release('i32', condition);
}

function emitMad(code: FunctionBody, shape: Shape, faults: (operator: '+' | '*') => Faults): void {
  const type = valueTypeOf(
    shape.lanes > 1
      ? { kind: 'vector', elem: 'f32', lanes: 4 }
      : { kind: 'scalar', name: shape.elem },
  );
  const addend = code.temp(type);
  code.set(addend);
  emitArithmetic(code, '*', shape, faults('*'));
  code.get(addend);
  emitArithmetic(code, '+', shape, faults('+'));
  code.release(type, addend);
}

/** Folds the lanes of the vector on the stack: x4 as (x·z)·(y·w), x2 as x·y. */
function emitFold(code: FunctionBody, shape: Shape, combine: (elem: Shape) => void): void {
  const vector = code.temp('v128');
  const one: Shape = { elem: shape.elem, lanes: 1 };
  const extract = (lane: number) => {
    code.get(vector);
    code.lane(`${vectorPrefix(shape.elem)}.extract_lane`, lane);
  };
  code.set(vector);
  if (shape.lanes === 4) {
    // Both pairs at once: lanes (x, y) with lanes (z, w).
    code.get(vector);
    code.get(vector);
    code.get(vector);
    code.shuffle([8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15]);
    combine(shape);
    code.set(vector);
  }
  extract(0);
  extract(1);
  combine(one);
  code.release('v128', vector);
}

/** The upper words of the 64-bit products. */
function emitMulHi(code: FunctionBody, shape: Shape): void {
  if (shape.lanes > 1) {
    return emitPairsByLane(code, shape, () => emitMulHi(code, { ...shape, lanes: 1 }));
  }
  const b = code.temp('i32');
  code.set(b);
  code.op('i64.extend_i32_u');
  code.get(b);
  code.ops('i64.extend_i32_u', 'i64.mul');
  code.i64(32n);
  code.ops('i64.shr_u', 'i32.wrap_i64');
  code.release('i32', b);
}

function emitAbs(code: FunctionBody, shape: Shape): void {
  if (shape.lanes > 1) return code.op(`${vectorPrefix(shape.elem)}.abs`);
  if (isFloat(shape.elem)) return code.op(`${shape.elem}.abs`);
  if (shape.elem === 'u32') return;
  const type = scalarPrefix(shape.elem) as 'i32' | 'i64';
  const value = code.temp(type);
  code.set(value);
  if (type === 'i64') code.i64(0n);
  else code.i32(0);
  code.get(value);
  code.op(`${type}.sub`);
  code.get(value);
  code.get(value);
  if (type === 'i64') code.i64(0n);
  else code.i32(0);
  code.ops(`${type}.lt_s`, 'select');
  code.release(type, value);
}
