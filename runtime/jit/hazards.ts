/**
 * Decides where a program needs barriers. A step must wait for all earlier ones when it touches
 * bytes that one of them, since the last barrier, also touches and either of the two writes. Ranges
 * are absolute: workspaces that share bytes after placement meet here as one space. Programs have
 * thousands of steps without a barrier, so what was touched is kept merged and sorted.
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
  /** By space, since the last barrier. */
  readonly #touched = new Map<string, IntervalSet>();
  readonly #written = new Map<string, IntervalSet>();

  /** Whether a step with these touches needs a barrier before it. Remembers them. */
  step(touches: readonly Touch[]): boolean {
    const conflict = touches.some(({ space, start, end, writes }) => {
      const earlier = (writes ? this.#touched : this.#written).get(space);
      return earlier?.overlaps(start, end) ?? false;
    });
    if (conflict) this.reset();
    for (const touch of touches) {
      add(this.#touched, touch);
      if (touch.writes) add(this.#written, touch);
    }
    return conflict;
  }

  /** Everything earlier has finished (start of a part). */
  reset(): void {
    this.#touched.clear();
    this.#written.clear();
  }
}

function add(sets: Map<string, IntervalSet>, { space, start, end }: Touch): void {
  let set = sets.get(space);
  if (set === undefined) sets.set(space, (set = new IntervalSet()));
  set.add(start, end);
}

/** A set of numbers as disjoint intervals in ascending order; touching ones are merged. */
class IntervalSet {
  readonly #starts: number[] = [];
  readonly #ends: number[] = [];

  overlaps(start: number, end: number): boolean {
    if (start >= end) return false;
    const first = this.#firstEndingAfter(start);
    return first < this.#starts.length && this.#starts[first]! < end;
  }

  add(start: number, end: number): void {
    if (start >= end) return;
    // From the first that ends at or behind `start` to the last that starts at or before `end`.
    const first = this.#firstEndingAfter(start - 1);
    let last = first;
    while (last < this.#starts.length && this.#starts[last]! <= end) last += 1;
    const merged = last > first;
    const from = merged ? Math.min(start, this.#starts[first]!) : start;
    const to = merged ? Math.max(end, this.#ends[last - 1]!) : end;
    this.#starts.splice(first, last - first, from);
    this.#ends.splice(first, last - first, to);
  }

  /** Index of the first interval whose end is greater than `value`. */
  #firstEndingAfter(value: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ends[middle]! > value) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
