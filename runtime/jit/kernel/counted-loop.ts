/**
 * A counted loop of a kernel and the locals with which it is emitted; shared by the loop emitter
 * and by the emitter of its pointers.
 */
import type { Block, Expr, LocalId } from '../../loom/typed.js';

export interface CountedLoop {
  readonly local: LocalId;
  readonly from: Expr;
  readonly to: Expr;
  readonly step: number;
  readonly body: Block;
  /** Emitted at the start of every round (the lane's address of private arrays). */
  readonly start?: (() => void) | undefined;
}

/** Locals of a loop being emitted. */
export interface Counter {
  /** Runs from `from` to `end` in steps; the loop variable itself unless the body assigns that. */
  readonly value: number;
  /** First value not run: `from` plus a multiple of the step (may wrap). */
  readonly end: number;
  readonly first: number | null;
  readonly last: number | null;
}
