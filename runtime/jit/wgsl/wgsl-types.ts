/**
 * Types and constants of kernels in WGSL. Vectors are vectors, packed bytes of 4 a u32 and of 16 a
 * vec4<u32>, bool stays bool. Numbers that WGSL has no literal for (infinities, NaN) come as bits
 * and are no constants there.
 */
import { assert } from '../../base/errors.js';
import type { Type } from '../../loom/typed.js';
import { bitsOfF32 } from '../../vm/numbers/half-float.js';

export type Elem = 'bool' | 'i32' | 'u32' | 'f32';
export interface Shape {
  readonly elem: Elem;
  readonly lanes: 1 | 2 | 4;
}

export function shapeOf(type: Type): Shape {
  if (type.kind === 'vector') return { elem: type.elem, lanes: type.lanes };
  if (type.kind === 'bytes') return { elem: 'u32', lanes: type.lanes === 16 ? 4 : 1 };
  assert(
    type.kind === 'scalar' && type.name !== 'i64' && type.name !== 'f64',
    `a type of devices, got ${type.kind}`,
  );
  return { elem: type.name, lanes: 1 };
}

export const nameOf = ({ elem, lanes }: Shape): string =>
  lanes === 1 ? elem : `vec${lanes}<${elem}>`;
/** For names of functions: `f32`, `f32x4`. */
export const stemOf = ({ elem, lanes }: Shape): string => (lanes === 1 ? elem : `${elem}x${lanes}`);
export const typeName = (type: Type): string => nameOf(shapeOf(type));
export const zeroOf = (shape: Shape): string => `${nameOf(shape)}()`;
export const bytesOf = (shape: Shape): number => shape.lanes * 4;
/** A scalar in all lanes of a shape. */
export const splat = (shape: Shape, scalar: string): string =>
  shape.lanes === 1 ? scalar : `${nameOf(shape)}(${scalar})`;

/** An expression, and whether WGSL evaluates it while it compiles: errors there stop the shader. */
export interface Value {
  readonly text: string;
  readonly constant: boolean;
}

export const runtime = (text: string): Value => ({ text, constant: false });

export function literal(type: Type, value: unknown): Value {
  if (type.kind === 'bytes') return packedBytes(value as readonly number[]);
  const { elem, lanes } = shapeOf(type);
  if (lanes === 1) return scalarLiteral(elem, value as number | boolean);
  const items = (value as readonly number[]).map((item) => scalarLiteral(elem, item));
  return {
    text: `${nameOf({ elem, lanes })}(${items.map(({ text }) => text).join(', ')})`,
    constant: items.every(({ constant }) => constant),
  };
}

function scalarLiteral(elem: Elem, value: number | boolean): Value {
  if (elem === 'bool') return { text: value ? 'true' : 'false', constant: true };
  const number = Number(value);
  if (elem === 'u32') return { text: `${number >>> 0}u`, constant: true };
  if (elem === 'i32') {
    // The literal of the least i32 would be the negation of one that is too large.
    const text = number === -(2 ** 31) ? 'i32(-2147483648)' : `${number}i`;
    return { text: number < 0 && number > -(2 ** 31) ? `(${text})` : text, constant: true };
  }
  if (!Number.isFinite(number)) return { text: bitsText(number), constant: false };
  if (Object.is(number, -0)) return { text: bitsText(number), constant: false };
  return { text: number < 0 ? `(${number}f)` : `${number}f`, constant: true };
}

/** `zero_bits` is a variable, so the shader compiler does not see the number. */
const bitsText = (number: number): string => `bitcast<f32>(zero_bits | ${bitsOfF32(number)}u)`;

function packedBytes(values: readonly number[]): Value {
  const words: string[] = [];
  for (let at = 0; at < values.length; at += 4) {
    const word = [3, 2, 1, 0].reduce((sum, i) => (sum << 8) | (values[at + i]! & 255), 0);
    words.push(`${word >>> 0}u`);
  }
  const text = words.length === 1 ? words[0]! : `vec4<u32>(${words.join(', ')})`;
  return { text, constant: true };
}
