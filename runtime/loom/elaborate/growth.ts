/**
 * The limit on what elaboration may write out: unrolled loops and inlined functions multiply, so
 * growth is checked while it happens and not afterwards.
 */
import type { At } from '../tree.js';
import type { Frame } from './frame.js';
import { elaborationLimits } from './session.js';

export function checkGrowth(frame: Frame, at: At): void {
  const isCommand = frame.world === 'command';
  const limit = isCommand ? elaborationLimits.commandNodes : elaborationLimits.kernelNodes;
  if (frame.body.nodes <= limit) return;
  const what = isCommand ? 'command program' : 'kernel';
  throw frame.problem(at, `the ${what} grows beyond ${limit} nodes here`, 'unroll less');
}
