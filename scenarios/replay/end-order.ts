/**
 * When a request may begin: when everything has ended that had ended before it arrived. So answers
 * come before what was asked because of them, and no more is open at a time than was in the
 * recording: whoever is open together there overlapped pairwise, and intervals that overlap
 * pairwise have a moment in common.
 */
import type { RecordedRequest } from './recorded-request.js';

export class EndOrder {
  /** In the order in which they ended; those without an end hold up nobody. */
  readonly #ends: readonly RecordedRequest[];
  readonly #ended = new Set<RecordedRequest>();
  #waiting: { readonly needs: number; readonly go: () => void }[] = [];
  /** So many of the first have all ended. */
  #prefix = 0;

  constructor(requests: readonly RecordedRequest[]) {
    this.#ends = requests
      .filter(({ endedMs }) => Number.isFinite(endedMs))
      .sort((left, right) => left.endedMs - right.endedMs);
  }

  /** Resolves when it may begin. */
  turnOf({ arrivedMs }: Pick<RecordedRequest, 'arrivedMs'>): Promise<void> {
    const needs = this.#endedBefore(arrivedMs);
    if (needs <= this.#prefix) return Promise.resolve();
    return new Promise((go) => this.#waiting.push({ needs, go }));
  }

  ended(request: RecordedRequest): void {
    this.#ended.add(request);
    while (this.#prefix < this.#ends.length && this.#ended.has(this.#ends[this.#prefix]!)) {
      this.#ended.delete(this.#ends[this.#prefix]!);
      this.#prefix += 1;
    }
    const free = this.#waiting.filter(({ needs }) => needs <= this.#prefix);
    if (free.length === 0) return;
    this.#waiting = this.#waiting.filter(({ needs }) => needs > this.#prefix);
    for (const { go } of free) go();
  }

  #endedBefore(ms: number): number {
    let low = 0;
    let high = this.#ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#ends[middle]!.endedMs < ms) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
