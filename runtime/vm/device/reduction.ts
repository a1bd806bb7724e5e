/**
 * Reductions of shared arrays in the language's fixed orders. The array is left as it was; elements
 * outside it count as zero. Tree order: with h the largest power of two below n, a[i] takes in
 * a[i + h] for i + h < n, then n = h.
 */
import type { Type } from '../../loom/typed.js';
import type { RawValue } from '../executor.js';
import { binary, type Binary, type Numbers } from '../numbers/arithmetic.js';
import { pick, shapeOf } from '../numbers/intrinsic.js';
import { zeroValue } from './storage-codec.js';

type Vector = readonly number[];
export type Reduction = (values: readonly RawValue[], first: number, count: number) => RawValue;

export function reduction(kind: 'add' | 'max' | 'min' | 'in_order', type: Type): Reduction {
  const { elem, lanes } = shapeOf(type);
  const isPick = kind === 'max' || kind === 'min';
  const scalar = (isPick ? pick(kind) : binary('+', elem, 'device')) as Numbers;
  const byLane = (a: Vector, b: Vector): Vector => a.map((value, lane) => scalar(value, b[lane]!));
  const combine = (lanes === 1 ? scalar : byLane) as Binary;
  const zero = zeroValue(type);
  return (values, first, count) => {
    const copy = Array.from({ length: count }, (_, i) => values[first + i] ?? zero);
    if (count === 0) return zero;
    if (kind === 'in_order') return copy.reduce((sum, value) => combine(sum, value));
    for (let n = count; n > 1;) {
      const half = 2 ** (31 - Math.clz32(n - 1));
      for (let i = 0; i + half < n; i++) copy[i] = combine(copy[i]!, copy[i + half]!);
      n = half;
    }
    return copy[0]!;
  };
}

/** Value and id of the largest of `count` elements, ties to the lower id, in order of index. */
export function argmax(
  values: readonly RawValue[],
  ids: readonly RawValue[],
  count: number,
): { value: RawValue; id: RawValue } {
  let value = values[0] ?? 0;
  let id = ids[0] ?? 0;
  for (let i = 1; i < Math.min(count, values.length, ids.length); i++) {
    const [candidate, candidateId] = [values[i]!, ids[i]!];
    if (candidate > value || (candidate === value && candidateId < id)) {
      value = candidate;
      id = candidateId;
    }
  }
  return { value, id };
}
