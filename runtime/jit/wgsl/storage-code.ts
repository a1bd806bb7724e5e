/**
 * From what an array holds to the value of a storage element, and back. `word(n)` reads the n-th
 * word of the element.
 */
import { assert } from '../../base/errors.js';
import type { Storage } from '../../loom/typed.js';
import { carriedShape, loadedShape } from './carrier.js';
import type { Prelude } from './prelude.js';
import { nameOf } from './wgsl-types.js';

const isHalf = ({ elem }: Storage) => elem === 'f16' || elem === 'bf16';
const one = { elem: 'f32', lanes: 1 } as const;
const lanesOf = ['x', 'y', 'z', 'w'] as const;

/** The value of an element that lies in `raw`, of its carried shape. */
export function unpacked(storage: Storage, raw: string): string {
  if (!isHalf(storage)) return raw;
  const wordsOf = storage.lanes === 4 ? [`${raw}.x`, `${raw}.y`] : [raw];
  const pairs = wordsOf.map((word) => unpackedPair(storage, word));
  return pairs.length === 1 ? pairs[0]! : `vec4<f32>(${pairs.join(', ')})`;
}

function unpackedPair({ elem }: Storage, word: string): string {
  if (elem === 'f16') return `unpack2x16float(${word})`;
  return `bitcast<vec2<f32>>(vec2<u32>(${word} << 16u, ${word} & 0xffff0000u))`;
}

/** Element of less than a word: `word` holds it, `at` counts elements. */
export function unpackedPart(storage: Storage, word: string, at: string): string {
  const { elem, size } = storage;
  if (elem === 'f16') return `unpack2x16float(${word})[${at} & 1u]`;
  if (elem === 'bf16') return `bitcast<f32>((${word} >> ((${at} & 1u) * 16u)) << 16u)`;
  assert(size === 1, 'a byte, of all that is smaller than a word');
  const shift = `((${at} & 3u) * 8u)`;
  if (elem === 'u8') return `((${word} >> ${shift}) & 255u)`;
  return `((i32(${word}) << (24u - ${shift})) >> 24u)`;
}

/** The value of an element whose words are read one by one. */
export function unpackedWords(storage: Storage, word: (n: number) => string): string {
  const shape = carriedShape(storage);
  const list = Array.from({ length: shape.lanes }, (_, n) => word(n));
  const unsigned = nameOf({ elem: 'u32', lanes: shape.lanes });
  const raw = list.length === 1 ? list[0]! : `${unsigned}(${list.join(', ')})`;
  if (isHalf(storage)) {
    const pairs = list.map((text) => unpackedPair(storage, text));
    return pairs.length === 1 ? pairs[0]! : `vec4<f32>(${pairs.join(', ')})`;
  }
  return shape.elem === 'u32' ? raw : `bitcast<${nameOf(shape)}>(${raw})`;
}

/** The words of `value`, of the loaded shape, as the carried shape holds them. */
export function packed(storage: Storage, value: string, prelude: Prelude): string {
  if (!isHalf(storage)) return value;
  assert(storage.lanes > 1, 'no store of a single 16-bit float on a device');
  const round = prelude.call(storage.elem === 'f16' ? 'round_f16' : 'round_bf16', one);
  const pair = (low: string, high: string) =>
    `${round}(${value}.${low}) | (${round}(${value}.${high}) << 16u)`;
  if (storage.lanes === 2) return pair('x', 'y');
  return `vec2<u32>(${pair('x', 'y')}, ${pair('z', 'w')})`;
}

/** The same, word by word. */
export function packedWords(storage: Storage, value: string, prelude: Prelude): readonly string[] {
  const shape = carriedShape(storage);
  const raw = packed(storage, value, prelude);
  const list =
    shape.lanes === 1 ? [raw] : lanesOf.slice(0, shape.lanes).map((lane) => `(${raw}).${lane}`);
  return shape.elem === 'u32' ? list : list.map((word) => `bitcast<u32>(${word})`);
}

export const loadedName = (storage: Storage): string => nameOf(loadedShape(storage));
