/** A state of the automaton, with what has been found about it. */
import type { Frame } from './frame.js';

/** One way to read a text so far: the next byte is one of `node`, within the rules of `frame`. */
export interface Reading {
  readonly node: number;
  readonly frame: Frame;
}

export class AutomatonState {
  readonly readings: readonly Reading[];
  /** The text is one of the grammar as it is. */
  readonly isComplete: boolean;
  /** By byte; null: none; undefined: not looked for. */
  readonly after: (AutomatonState | null | undefined)[] = new Array<undefined>(256).fill(undefined);
  /** The state whose mask is this one's, too. */
  like: AutomatonState | null = null;
  mask: Uint32Array | null = null;
  /** Every plain byte leads back here; null: not looked for. */
  isLoop: boolean | null = null;

  constructor(readings: readonly Reading[], isComplete: boolean) {
    this.readings = readings;
    this.isComplete = isComplete;
  }

  forget(): void {
    this.after.fill(undefined);
    this.like = null;
    this.mask = null;
    this.isLoop = null;
  }
}
