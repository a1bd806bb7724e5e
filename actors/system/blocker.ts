/**
 * Blocks its thread as an endless loop would, until its word changes or its time is over: for fault
 * injection. Every thread has the kind; nothing that is reached from outside starts one.
 */
import type { ActorSelf, Behaviour } from '../../runtime/system/actor.js';

export interface BlockerInput {
  /** Two shared words: the first is 0 while it shall block, the second becomes 1 when it does. */
  readonly word: Int32Array;
  readonly ms: number;
}

export const blocker = (_self: ActorSelf, { word, ms }: BlockerInput): Behaviour => {
  Atomics.store(word, 1, 1);
  Atomics.wait(word, 0, 0, ms);
  return { receive() {} };
};
