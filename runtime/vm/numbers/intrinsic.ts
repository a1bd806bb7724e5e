/**
 * The intrinsics of the typed tree on values: scalars are numbers (i64 bigints), vectors arrays of
 * numbers. Each returns what `typed.ts` defines, to the bit; vectors go by component.
 */
import { StatusError } from '../../base/errors.js';
import type { Intrinsic, ScalarName, Type } from '../../loom/typed.js';
import type { RawValue } from '../executor.js';
import { binary, type Binary, type Numbers } from './arithmetic.js';
import { conversion } from './convert.js';
import { bitsOfF32, f32OfBits, roundHalfEven } from './half-float.js';

type Vector = readonly number[];
/** Arguments fit the types with which it was made. */
export type Run = (...args: RawValue[]) => RawValue;
// An implementation names its own types.
type Made = (...args: never[]) => RawValue;

/** Element type and lanes of a number or vector; bytes count as their elements. */
export function shapeOf(type: Type): { readonly elem: ScalarName; readonly lanes: number } {
  if (type.kind === 'scalar') return { elem: type.name, lanes: 1 };
  if (type.kind === 'vector') return { elem: type.elem, lanes: type.lanes };
  if (type.kind === 'bytes') return { elem: type.elem === 'i8' ? 'i32' : 'u32', lanes: type.lanes };
  throw new Error(`expected a number or a vector, got ${type.kind}. This is a bug.`);
}

export function intrinsicOf(name: Intrinsic, args: readonly Type[]): Run {
  return implementation(name, args) as Run;
}

function implementation(name: Intrinsic, args: readonly Type[]): Made {
  if (name === 'select')
    return (condition: number, a: RawValue, b: RawValue) => (condition ? a : b);
  const { elem, lanes } = shapeOf(args[0]!);
  switch (name) {
    case 'dot':
      return dotOf(elem, lanes);
    case 'sum':
      return folded(lanes, binary('+', elem, 'device') as Numbers);
    case 'max_lane':
      return folded(lanes, pick('max') as Numbers);
    case 'min_lane':
      return folded(lanes, pick('min') as Numbers);
    case 'dot8':
      return dot8;
    case 'bits':
      return lanes === 16 ? words : byComponent(bitsOfF32, lanes);
    case 'unpack_i8':
    case 'unpack_u8':
      return (bytes: Vector) => bytes;
    case 'pack_i8':
      return packed(elem, [-128, 127]);
    case 'pack_u8':
      return packed(elem, [0, 255]);
    default:
      return byComponent(scalarIntrinsic(name, elem), lanes);
  }
}

function byComponent(made: Made, lanes: number): Made {
  if (lanes === 1) return made;
  const run = made as (...args: number[]) => number;
  return (...vectors: Vector[]) =>
    vectors[0]!.map((_, lane) => run(...vectors.map((vector) => vector[lane]!)));
}

/** min(a, b) = b < a ? b : a; max(a, b) = b > a ? b : a (NaN in b keeps a). */
export function pick(kind: 'min' | 'max'): Binary {
  return kind === 'min' ? (a, b) => (b < a ? b : a) : (a, b) => (b > a ? b : a);
}

/** x4 as (x·z)·(y·w), x2 as x·y. */
function folded(lanes: number, combine: Numbers): (vector: Vector) => number {
  if (lanes === 2) return ([x, y]) => combine(x!, y!);
  return ([x, y, z, w]) => combine(combine(x!, z!), combine(y!, w!));
}

function dotOf(elem: ScalarName, lanes: number): (a: Vector, b: Vector) => number {
  const times = binary('*', elem, 'device') as Numbers;
  const sum = folded(lanes, binary('+', elem, 'device') as Numbers);
  return (a, b) => sum(a.map((value, lane) => times(value, b[lane]!)));
}

/** Four bytes a word, the lowest first. */
function words(bytes: Vector): Vector {
  return [...new Uint32Array(Int8Array.from(bytes).buffer)];
}

/** Lane i gains the products of bytes 2i, 2i+1, 2i+8 and 2i+9. */
function dot8(a: Vector, b: Vector, acc: Vector): Vector {
  return acc.map((start, lane) => {
    const at = 2 * lane;
    const low = a[at]! * b[at]! + a[at + 1]! * b[at + 1]!;
    const high = a[at + 8]! * b[at + 8]! + a[at + 9]! * b[at + 9]!;
    return (start + low + high) | 0;
  });
}

function packed(elem: ScalarName, [low, high]: readonly [number, number]): Made {
  const whole = elem === 'f32' ? conversion('f32', 'i32') : (value: number) => value;
  return (vector: Vector) => vector.map((value) => Math.min(Math.max(whole(value), low), high));
}

function scalarIntrinsic(name: Intrinsic, elem: ScalarName): Made {
  switch (name) {
    case 'min':
    case 'max':
      return pick(name);
    case 'abs':
      return absolute(elem);
    case 'sqrt':
      return elem === 'f32' ? (value: number) => Math.fround(Math.sqrt(value)) : Math.sqrt;
    case 'floor':
      return Math.floor;
    case 'ceil':
      return Math.ceil;
    case 'trunc':
      return Math.trunc;
    case 'round':
      return (value: number) => (Math.abs(value) < 2 ** 52 ? roundHalfEven(value) : value);
    case 'mad':
      return multiplyAdd(elem);
    case 'mul_hi':
      return (a: number, b: number) => Number((BigInt(a) * BigInt(b)) >> 32n);
    case 'f32_from_bits':
      return f32OfBits;
    case 'clz':
      return Math.clz32;
    case 'popcount':
      return popcount;
    case 'is_nan':
      return (value: number) => (Number.isNaN(value) ? 1 : 0);
    default:
      throw new StatusError('unimplemented', `intrinsic ${name}`);
  }
}

/** The smallest integer stays what it is. */
function absolute(elem: ScalarName): Made {
  if (elem === 'i64') return (value: bigint) => BigInt.asIntN(64, value < 0n ? -value : value);
  if (elem === 'i32') return (value: number) => Math.abs(value) | 0;
  return Math.abs;
}

/** a * b + c with two roundings. */
function multiplyAdd(elem: ScalarName): Made {
  const times = binary('*', elem, 'device');
  const plus = binary('+', elem, 'device');
  return (a: RawValue, b: RawValue, c: RawValue) => plus(times(a, b), c);
}

function popcount(value: number): number {
  let count = 0;
  for (let rest = value; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
