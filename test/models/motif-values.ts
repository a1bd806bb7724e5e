/** What the tests of shared libraries share: their texts, and numbers that show a wrong order. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../runtime/packages/repository-root.js';

/** Texts of `models/motifs`, as the files of a program. */
export function motifs(...names: readonly string[]): Readonly<Record<string, string>> {
  const text = (name: string) =>
    readFileSync(join(repositoryRoot, `models/motifs/${name}.loom`), 'utf8');
  return Object.fromEntries(names.map((name) => [`${name}.loom`, text(name)]));
}

/** Values of mixed size and sign, so that another order of a sum shows in its last bits. */
export function mixedValues(count: number, seed: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32 - 0.5) * 2 ** ((state >>> 7) % 9);
  });
}

export const bytesOf = (values: Float32Array): Uint8Array => new Uint8Array(values.slice().buffer);
export const floatsOf = (bytes: Uint8Array): Float32Array => new Float32Array(bytes.slice().buffer);
