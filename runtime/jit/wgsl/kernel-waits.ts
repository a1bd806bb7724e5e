/**
 * Whether a kernel waits by more than the barriers between its regions: reductions bring theirs.
 */
import type { Kernel } from '../../loom/typed.js';
import { visitBlock } from '../typed-walk.js';

export function hasWaits(kernel: Kernel): boolean {
  let waits = false;
  visitBlock(kernel.body, {
    statement: ({ op }) => {
      if (op === 'argmax') waits = true;
    },
    expression: ({ op }) => {
      if (op === 'reduce') waits = true;
    },
  });
  return waits && kernel.lanes > 1;
}
