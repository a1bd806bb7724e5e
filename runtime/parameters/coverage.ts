/**
 * The parts of one field that placements cover so far: disjoint ranges in order. Units are bytes
 * for copies and rows for what a kernel packs.
 */

export interface CoveredRange {
  readonly start: number;
  readonly end: number;
}

export class Coverage {
  readonly #ranges: CoveredRange[] = [];

  /** Adds a range that is not empty, unless it overlaps one: then that one is the result. */
  add(range: CoveredRange): CoveredRange | null {
    const at = this.#positionOf(range.start);
    const before = this.#ranges[at - 1];
    const after = this.#ranges[at];
    if (before !== undefined && before.end > range.start) return before;
    if (after !== undefined && after.start < range.end) return after;
    this.#ranges.splice(at, 0, range);
    return null;
  }

  /** End of the last range. */
  get end(): number {
    return this.#ranges.at(-1)?.end ?? 0;
  }

  /** The first part of 0 to `end` that nothing covers. */
  firstGap(end: number): CoveredRange | null {
    let covered = 0;
    for (const range of this.#ranges) {
      if (range.start > covered) return { start: covered, end: range.start };
      covered = range.end;
    }
    return covered < end ? { start: covered, end } : null;
  }

  /** Index of the first range that starts at or behind `start`. */
  #positionOf(start: number): number {
    let low = 0;
    let high = this.#ranges.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ranges[middle]!.start < start) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
