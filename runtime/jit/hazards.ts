/**
 * Decides where a program needs barriers. A step must wait for all earlier ones when it touches
 * bytes that one of them, since the last barrier, also touches and either of the two writes. Ranges
 * are absolute: workspaces that share bytes after placement meet here as one space.
 */

export interface Touch {
  /** Ranges of different spaces never overlap (roots, by the rule checked at submission). */
  readonly space: string;
  readonly start: number;
  /** Exclusive; Infinity for "to the end of the root". */
  readonly end: number;
  readonly writes: boolean;
}

export class HazardTracker {
  #since: Touch[] = [];

  /** Whether a step with these touches needs a barrier before it. Remembers them. */
  step(touches: readonly Touch[]): boolean {
    const conflict = touches.some((touch) =>
      this.#since.some((earlier) => conflicts(touch, earlier)),
    );
    if (conflict) this.#since = [];
    this.#since.push(...touches);
    return conflict;
  }

  /** Everything earlier has finished (start of a part). */
  reset(): void {
    this.#since = [];
  }
}

export function conflicts(a: Touch, b: Touch): boolean {
  return a.space === b.space && (a.writes || b.writes) && a.start < b.end && b.start < a.end;
}
