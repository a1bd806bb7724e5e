/**
 * What compiled closures work on: one frame a running function or workgroup. Statements tell by a
 * number how they ended, so that loops, labels and returns need no exceptions.
 */
import type { RawValue } from '../executor.js';

export interface Frame {
  readonly locals: RawValue[];
  results: readonly RawValue[];
}

export type Eval<Value extends RawValue = RawValue, F extends Frame = Frame> = (frame: F) => Value;
export type Exec<F extends Frame = Frame> = (frame: F) => number;

/** Fell through to the next statement. */
export const NEXT = 0;
export const BREAK = 1;
export const CONTINUE = 2;
export const RETURN = 3;
/** `leave` of label n is FIRST_LABEL + n. */
export const FIRST_LABEL = 4;
