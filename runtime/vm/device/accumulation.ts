/** What `acc` views and shared arrays do with a value: wrapping, by the sign of the element. */
import type { Type } from '../../loom/typed.js';
import { binary, type Numbers } from '../numbers/arithmetic.js';
import { pick, shapeOf } from '../numbers/intrinsic.js';

const operators = { add: '+', and: '&', or: '|', xor: '^' } as const;

export function accumulation(
  kind: 'add' | 'min' | 'max' | 'and' | 'or' | 'xor',
  type: Type,
): (old: number, value: number) => number {
  if (kind === 'min' || kind === 'max') return pick(kind) as Numbers;
  return binary(operators[kind], shapeOf(type).elem, 'device') as Numbers;
}
