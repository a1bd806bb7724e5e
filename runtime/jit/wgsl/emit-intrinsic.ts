/** Intrinsics on operands in text form; at least one of them is no constant of WGSL. */
import { StatusError } from '../../base/errors.js';
import type { Expr } from '../../loom/typed.js';
import type { WgslScope } from './wgsl-scope.js';
import { nameOf, shapeOf, type Shape } from './wgsl-types.js';

type IntrinsicExpr = Expr & { readonly op: 'intrinsic' };

const sameName: Readonly<Record<string, string>> = {
  abs: 'abs',
  sqrt: 'sqrt',
  floor: 'floor',
  ceil: 'ceil',
  trunc: 'trunc',
  // WGSL rounds to the nearest even number too.
  round: 'round',
  clz: 'countLeadingZeros',
  popcount: 'countOneBits',
};

export function intrinsicText(
  scope: WgslScope,
  expr: IntrinsicExpr,
  args: readonly string[],
): string {
  const { name } = expr;
  const plain = sameName[name];
  if (plain !== undefined) return `${plain}(${args[0]})`;
  const shape = shapeOf(expr.type);
  const from = shapeOf(expr.args[0]!.type);
  switch (name) {
    case 'select':
      return `select(${args[2]}, ${args[1]}, ${args[0]})`;
    case 'mad':
      return `(${args[0]} * ${args[1]} + ${args[2]})`;
    case 'dot':
      return foldText(scope, 'sum', from, `(${args[0]} * ${args[1]})`);
    case 'sum':
    case 'max_lane':
    case 'min_lane':
      return foldText(scope, name, from, args[0]!);
    case 'bits':
    case 'f32_from_bits':
      return `bitcast<${nameOf(shape)}>(${args[0]})`;
    case 'dot8':
      return dot8Text(scope, expr, args);
    case 'pack_i8':
    case 'pack_u8':
      return packText(scope, name, from, args[0]!);
    default:
      return calledText(scope, expr, args);
  }
}

function calledText(
  scope: WgslScope,
  { name, args: given }: IntrinsicExpr,
  args: readonly string[],
) {
  const { prelude } = scope;
  const from = shapeOf(given[0]!.type);
  switch (name) {
    case 'min':
    case 'max':
      // Integers have one way to be ordered; floats pick as the language says (-0, NaN).
      return `${from.elem === 'f32' ? prelude.call(name, from) : name}(${args.join(', ')})`;
    case 'mul_hi':
    case 'is_nan':
      return `${prelude.call(name, from)}(${args.join(', ')})`;
    case 'unpack_i8':
    case 'unpack_u8':
      return `${prelude.call(name, from)}(${args[0]})`;
    default:
      throw new StatusError('unimplemented', `intrinsic ${name}`);
  }
}

/** x4 as (x·z)·(y·w), x2 as x·y; names the vector first, since it is used four times. */
function foldText(
  scope: WgslScope,
  name: 'sum' | 'max_lane' | 'min_lane',
  from: Shape,
  vector: string,
): string {
  const v = scope.code.let(vector);
  if (name === 'sum') {
    return from.lanes === 2 ? `(${v}.x + ${v}.y)` : `((${v}.x + ${v}.z) + (${v}.y + ${v}.w))`;
  }
  const pick = name === 'max_lane' ? 'max' : 'min';
  const scalar: Shape = { elem: from.elem, lanes: 1 };
  const call = from.elem === 'f32' ? scope.prelude.call(pick, scalar) : pick;
  if (from.lanes === 2) return `${call}(${v}.x, ${v}.y)`;
  return `${call}(${call}(${v}.x, ${v}.z), ${call}(${v}.y, ${v}.w))`;
}

function dot8Text(scope: WgslScope, expr: IntrinsicExpr, args: readonly string[]): string {
  const { prelude, target } = scope;
  const shape = shapeOf(expr.type);
  if (!target.packedDot) return `${prelude.call('dot8_plain', shape)}(${args.join(', ')})`;
  scope.needs.add('packed_4x8_integer_dot_product');
  const name = scope.totals.has(expr) ? 'dot8_total' : 'dot8';
  return `${prelude.call(name, shape)}(${args.join(', ')})`;
}

/** Truncates floats, saturates to the byte, packs four. */
function packText(
  scope: WgslScope,
  name: 'pack_i8' | 'pack_u8',
  from: Shape,
  vector: string,
): string {
  const { prelude } = scope;
  const [low, high] = name === 'pack_i8' ? ['-128', '127'] : ['0', '255'];
  const whole: Shape = { elem: 'i32', lanes: 4 };
  const integers =
    from.elem === 'f32'
      ? `${prelude.call('to_i32', whole)}(${vector})`
      : from.elem === 'u32'
        ? `vec4<i32>(min(${vector}, vec4<u32>(0x7fffu)))`
        : vector;
  const bounded = `clamp(${integers}, vec4<i32>(${low}), vec4<i32>(${high}))`;
  return `${prelude.call('pack_bytes', { elem: 'u32', lanes: 1 })}(${bounded})`;
}
