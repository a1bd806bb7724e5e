/**
 * What one function may be. The optimising compiler takes time that grows with the square of
 * blocks, loops and branches (three seconds for the most allowed here), so without a limit a few
 * kilobytes of program would keep a compile task busy for hours; locals and bytes are limits of V8.
 */
import { StatusError } from '../../base/errors.js';
import type { FunctionBody } from './function-body.js';

const CONSTRUCTS_MAX = 16_384;
const LOCALS_MAX = 49_000;
const CODE_BYTES_MAX = 7_500_000;

/** Throws when a body is too large; `where` names the function and its place. */
export function checkBody({ constructs, locals, codeBytes }: FunctionBody, where: string): void {
  const limits = [
    ['blocks, loops and branches', constructs, CONSTRUCTS_MAX],
    ['local values', locals, LOCALS_MAX],
    ['bytes of code', codeBytes, CODE_BYTES_MAX],
  ] as const;
  for (const [what, count, max] of limits) {
    if (count <= max) continue;
    throw new StatusError(
      'resourceExhausted',
      `${where} compiles to ${count} ${what}; the limit is ${max}: split it, or unroll less`,
      { where },
    );
  }
}
