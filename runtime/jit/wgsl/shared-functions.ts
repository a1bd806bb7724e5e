/**
 * Functions that read and write one element of a shared array, with the same rules as those of
 * views. Arrays that are accumulated into are atomic, and every access to them is.
 */
import type { Kernel, SharedId } from '../../loom/typed.js';
import { visitBlock } from '../typed-walk.js';
import type { Prelude } from './prelude.js';
import { atomicOf, type AccumulateKind } from './view-functions.js';
import { bytesOf, nameOf, shapeOf, type Shape } from './wgsl-types.js';

export interface SharedArray {
  readonly name: string;
  readonly shape: Shape;
  readonly count: number;
  readonly atomic: boolean;
}

export function sharedArrays(kernel: Kernel, names: readonly string[]): readonly SharedArray[] {
  const atomic = new Set<SharedId>();
  visitBlock(kernel.body, {
    statement: (stmt) => {
      if (stmt.op === 'accumulate' && 'shared' in stmt.target) atomic.add(stmt.target.shared);
    },
  });
  return kernel.shared.map(({ type, count }, id) => ({
    name: names[id]!,
    shape: shapeOf(type),
    count,
    atomic: atomic.has(id),
  }));
}

export function declaration({ name, shape, count, atomic }: SharedArray): string {
  const element = atomic ? `atomic<${nameOf(shape)}>` : nameOf(shape);
  return `var<workgroup> ${name}: array<${element}, ${count}>;`;
}

/** WebGPU counts each array in multiples of 16 bytes. */
export const workgroupBytes = (shape: Shape, count: number): number =>
  Math.ceil((bytesOf(shape) * count) / 16) * 16;

/** An element that is known to be inside. */
export const element = ({ name, atomic }: SharedArray, at: string): string =>
  atomic ? `atomicLoad(&${name}[${at}])` : `${name}[${at}]`;

export function readShared(prelude: Prelude, array: SharedArray): string {
  const name = `read_${array.name}`;
  const type = nameOf(array.shape);
  return prelude.add(
    name,
    () => `fn ${name}(index: i32) -> ${type} {
  return select(${type}(), ${element(array, 'u32(index)')}, u32(index) < ${array.count}u);
}`,
  );
}

export function writeShared(prelude: Prelude, array: SharedArray): string {
  const name = `write_${array.name}`;
  const store = storeElement(array, 'u32(index)', 'value');
  return prelude.add(
    name,
    () => `fn ${name}(index: i32, value: ${nameOf(array.shape)}) {
  if (u32(index) < ${array.count}u) { ${store} }
}`,
  );
}

export const storeElement = ({ name, atomic }: SharedArray, at: string, value: string): string =>
  atomic ? `atomicStore(&${name}[${at}], ${value});` : `${name}[${at}] = ${value};`;

export function accumulateShared(
  prelude: Prelude,
  { name: array, shape, count }: SharedArray,
  kind: AccumulateKind,
): string {
  const name = `${kind}_${array}`;
  return prelude.add(
    name,
    () => `fn ${name}(index: i32, value: ${nameOf(shape)}) {
  if (u32(index) < ${count}u) { ${atomicOf[kind]}(&${array}[u32(index)], value); }
}`,
  );
}
