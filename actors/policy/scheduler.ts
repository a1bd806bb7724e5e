/**
 * Which waiting members share the next cohort. Pure bookkeeping, no clock and no timers: a cohort
 * is formed when there is room for one, from what waits at that moment.
 *
 * Law I10: the oldest prepared member is always in the next cohort; a newer one overtakes only by
 * riding along (same compatibility tag, and its units still fit).
 */
export interface Offer {
  /** Which member: the request's address and the member's place in it. */
  readonly request: string;
  readonly member: number;
  readonly units: number;
  readonly tag: bigint;
  /** When it became ready; of two offers the one with the smaller number is older. */
  readonly age: number;
  /** Runs in a cohort of its own: a shared call that held it failed. */
  readonly alone: boolean;
}

/** Waiting members looked at, past the oldest, while one cohort is filled. */
const SCAN_MAX = 4096;

export class Scheduler<Offered extends Offer = Offer> {
  /** Oldest first; of equal ages, the one that was offered first. */
  #waiting: Offered[] = [];

  get size(): number {
    return this.#waiting.length;
  }

  /** Who waits, oldest first. */
  get waiting(): readonly Offered[] {
    return this.#waiting;
  }

  /** Takes its place by age: one that comes back after a failed call is as old as ever. */
  offer(offer: Offered): void {
    let at = this.#waiting.length;
    while (at > 0 && this.#waiting[at - 1]!.age > offer.age) at -= 1;
    if (at === this.#waiting.length) this.#waiting.push(offer);
    else this.#waiting.splice(at, 0, offer);
  }

  /** Removes the members of one request that still wait; returns how many. */
  withdraw(request: string): number {
    const before = this.#waiting.length;
    this.#waiting = this.#waiting.filter((offer) => offer.request !== request);
    return before - this.#waiting.length;
  }

  /** The next cohort, oldest first, at most `unitsMax` units; empty when nobody waits. */
  take(unitsMax: number): Offered[] {
    const oldest = this.#waiting[0];
    if (oldest === undefined) return [];
    if (oldest.alone) return this.#waiting.splice(0, 1);
    const taken: Offered[] = [];
    const kept: Offered[] = [];
    let units = 0;
    const scanned = Math.min(this.#waiting.length, SCAN_MAX);
    for (let i = 0; i < scanned; i++) {
      const offer = this.#waiting[i]!;
      const rides = offer.tag === oldest.tag && !offer.alone && units + offer.units <= unitsMax;
      if (rides) {
        taken.push(offer);
        units += offer.units;
      } else {
        kept.push(offer);
      }
      if (units === unitsMax) {
        kept.push(...this.#waiting.slice(i + 1, scanned));
        break;
      }
    }
    this.#waiting = kept.concat(this.#waiting.slice(scanned));
    return taken;
  }
}
