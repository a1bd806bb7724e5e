/**
 * Blocks its thread as an endless loop would, for so long: for fault injection. Every thread has
 * the kind; nothing that is reached from outside starts one.
 */
import type { ActorSelf, Behaviour } from '../../runtime/system/actor.js';

export interface BlockerInput {
  readonly ms: number;
}

export const blocker = (_self: ActorSelf, { ms }: BlockerInput): Behaviour => {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
  return { receive() {} };
};
