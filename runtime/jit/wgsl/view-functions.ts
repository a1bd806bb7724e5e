/**
 * Functions that read and write one element of a view, made for the accesses that a kernel has.
 * Each takes the view's base and length, so tiles and slices share those of the parameter they were
 * cut from. Out of range reads give zero, writes are dropped; the index is compared as unsigned, so
 * a negative one is out of range too.
 */
import { assert } from '../../base/errors.js';
import type { Storage, ViewInfo, ViewPlace } from '../../loom/typed.js';
import { carriedShape, loadedShape, type Carrier } from './carrier.js';
import type { Prelude } from './prelude.js';
import {
  loadedName,
  packed,
  packedWords,
  unpacked,
  unpackedPart,
  unpackedWords,
} from './storage-code.js';
import { nameOf, type Shape } from './wgsl-types.js';

/** A view parameter as the shader knows it. */
export interface ViewParam {
  readonly info: ViewInfo;
  readonly carrier: Carrier;
  /** Name of the view in functions and in the slot, and of the array that it lies in. */
  readonly name: string;
  readonly array: string;
  /** The array is of the constant family: what uniform code reads there is uniform. */
  readonly constant: boolean;
}

/** What of an element is touched: all of it, or a field of a layout. */
export interface Part {
  readonly storage: Storage;
  readonly offset: number;
  readonly sub: { readonly count: number; readonly stride: number } | null;
}

export const partOf = ({ storage, offset, sub }: ViewPlace): Part => ({
  storage,
  offset,
  sub: sub && { count: sub.count, stride: sub.stride },
});

const PARAMS = 'base: u32, length: u32, index: i32';

function suffix({ info }: ViewParam, { storage, offset, sub }: Part): string {
  if (info.storage !== null) return '';
  return `_${storage.elem}x${storage.lanes}_at_${offset}${sub ? '_each' : ''}`;
}

/** `at`: place of the element in the array, in units of the base. */
function place({ info, carrier }: ViewParam, { offset, sub }: Part): string {
  if (!carrier.words || info.elementSize < 4) return 'base + u32(index)';
  const stride = info.elementSize / 4;
  const element = stride === 1 ? 'u32(index)' : `u32(index) * ${stride}u`;
  const field = offset === 0 ? '' : ` + ${offset / 4}u`;
  const each = sub ? ` + u32(sub) * ${sub.stride / 4}u` : '';
  return `base + ${element}${field}${each}`;
}

const inside = ({ sub }: Part): string =>
  sub ? `u32(index) < length && u32(sub) < ${sub.count}u` : 'u32(index) < length';

export function readFunction(prelude: Prelude, view: ViewParam, part: Part): string {
  const name = `read_${view.name}${suffix(view, part)}`;
  const params = part.sub ? `${PARAMS}, sub: i32` : PARAMS;
  return prelude.add(name, () => {
    const result = loadedName(part.storage);
    return `fn ${name}(${params}) -> ${result} {
  let at = ${place(view, part)};
  return select(${result}(), ${loaded(view, part.storage)}, ${inside(part)});
}`;
  });
}

/** One of the four words of an element that is a vector of its array, as they lie. */
export function readWordFunction(
  prelude: Prelude,
  view: ViewParam,
  storage: Storage,
): { readonly call: string; readonly vector: string } {
  assert(!view.carrier.words, 'an array of vectors');
  const shape = carriedShape(storage);
  const name = `read_${view.name}_word`;
  const call = prelude.add(
    name,
    () => `fn ${name}(${PARAMS}, word: u32) -> ${shape.elem} {
  let at = base + u32(index);
  return select(${shape.elem}(), ${view.array}[at][word], u32(index) < length);
}`,
  );
  return { call, vector: nameOf(shape) };
}

function loaded({ info, carrier, array }: ViewParam, storage: Storage): string {
  assert(!carrier.atomic, 'no reads of what is accumulated');
  if (!carrier.words) return unpacked(storage, `${array}[at]`);
  if (info.elementSize === 1) return unpackedPart(storage, `${array}[at >> 2u]`, 'at');
  if (info.elementSize === 2) return unpackedPart(storage, `${array}[at >> 1u]`, 'at');
  return unpackedWords(storage, (n) => `${array}[at${n === 0 ? '' : ` + ${n}u`}]`);
}

export function writeFunction(prelude: Prelude, view: ViewParam, part: Part): string {
  const name = `write_${view.name}${suffix(view, part)}`;
  const params = part.sub ? `${PARAMS}, sub: i32` : PARAMS;
  return prelude.add(name, () => {
    const stores = stored(prelude, view, part.storage).map((line) => `    ${line}\n`);
    return `fn ${name}(${params}, value: ${loadedName(part.storage)}) {
  if (${inside(part)}) {
    let at = ${place(view, part)};
${stores.join('')}  }
}`;
  });
}

function stored(
  prelude: Prelude,
  { carrier, array, info }: ViewParam,
  storage: Storage,
): readonly string[] {
  if (!carrier.words) return [`${array}[at] = ${packed(storage, 'value', prelude)};`];
  assert(info.elementSize >= 4, 'no store of less than a word on a device');
  return packedWords(storage, 'value', prelude).map(
    (word, n) => `${array}[at${n === 0 ? '' : ` + ${n}u`}] = ${word};`,
  );
}

/** Four neighbours of scalar elements, each checked by itself. */
export function readFourFunction(prelude: Prelude, view: ViewParam, storage: Storage): string {
  const read = readFunction(prelude, view, { storage, offset: 0, sub: null });
  const name = `${read}_4`;
  const result = nameOf(fourOf(storage));
  return prelude.add(name, () => {
    const items = [0, 1, 2, 3].map((n) => `${read}(base, length, index + ${n}i)`);
    const each = storage.elem === 'u8' ? items.map((item) => `i32(${item})`) : items;
    return `fn ${name}(${PARAMS}) -> ${result} {\n  return ${result}(${each.join(', ')});\n}`;
  });
}

/** Bytes come as i32, as `unpack_u8` gives them. */
function fourOf(storage: Storage): Shape {
  const { elem } = loadedShape(storage);
  return { elem: storage.elem === 'u8' ? 'i32' : elem, lanes: 4 };
}

export function writeFourFunction(prelude: Prelude, view: ViewParam, storage: Storage): string {
  const write = writeFunction(prelude, view, { storage, offset: 0, sub: null });
  const name = `${write}_4`;
  return prelude.add(name, () => {
    const lines = ['x', 'y', 'z', 'w'].map(
      (lane, n) => `  ${write}(base, length, index + ${n}i, value.${lane});\n`,
    );
    return `fn ${name}(${PARAMS}, value: ${nameOf(fourOf(storage))}) {\n${lines.join('')}}`;
  });
}

export type AccumulateKind = 'add' | 'min' | 'max' | 'and' | 'or' | 'xor';
export const atomicOf: Readonly<Record<AccumulateKind, string>> = {
  add: 'atomicAdd',
  min: 'atomicMin',
  max: 'atomicMax',
  and: 'atomicAnd',
  or: 'atomicOr',
  xor: 'atomicXor',
};

export function accumulateFunction(
  prelude: Prelude,
  { name: view, array, info }: ViewParam,
  kind: AccumulateKind,
): string {
  const name = `${kind}_${view}`;
  const value = nameOf(carriedShape(info.storage!));
  return prelude.add(
    name,
    () => `fn ${name}(${PARAMS}, value: ${value}) {
  if (u32(index) < length) {
    ${atomicOf[kind]}(&${array}[base + u32(index)], value);
  }
}`,
  );
}
