/**
 * A monotonic counter of progress. Points are issued in order, one for each accepted work, and
 * settle in that order: a point is either reached or failed.
 *
 * Holds: the reached point only grows (law I5). Failure is sticky: once point p has failed, p and
 * every later point are failed, and points before p stay what they were. Only the queue settles
 * points; anybody may look and listen.
 */
import { assert, type StatusRecord } from '../base/errors.js';

export type PointState = 'pending' | 'reached' | StatusRecord;
/** Called exactly once, with null when the point was reached. */
export type PointListener = (failure: StatusRecord | null) => void;

export class Timeline {
  readonly label: string;
  #issued = 0;
  #settled = 0;
  #reached = 0;
  #failure: { readonly from: number; readonly status: StatusRecord } | null = null;
  #listeners: { readonly point: number; readonly listener: PointListener }[] = [];

  constructor(label: string) {
    this.label = label;
  }

  /** The last point issued; 0 before the first. */
  get issued(): number {
    return this.#issued;
  }

  /** The last point reached; 0 is reached from the start. */
  get reached(): number {
    return this.#reached;
  }

  get failure(): StatusRecord | null {
    return this.#failure?.status ?? null;
  }

  issue(): number {
    return ++this.#issued;
  }

  state(point: number): PointState {
    if (point <= this.#reached) return 'reached';
    if (this.#failure && point >= this.#failure.from) return this.#failure.status;
    return 'pending';
  }

  /** Settles the next point: reached, or failed with `failure` and all later points with it. */
  settle(point: number, failure: StatusRecord | null): void {
    assert(
      point === this.#settled + 1,
      `point ${this.#settled + 1} of ${this.label} to settle next`,
    );
    assert(point <= this.#issued, `point ${point} of ${this.label} to have been issued`);
    this.#settled = point;
    if (failure) this.#failure ??= { from: point, status: failure };
    assert(failure || !this.#failure, `no point of ${this.label} to be reached after a failure`);
    if (!failure) this.#reached = point;
    this.#notify();
  }

  listen(point: number, listener: PointListener): void {
    const state = this.state(point);
    if (state === 'pending') this.#listeners.push({ point, listener });
    else listener(state === 'reached' ? null : state);
  }

  #notify(): void {
    const waiting = this.#listeners;
    this.#listeners = waiting.filter(({ point }) => this.state(point) === 'pending');
    for (const { point, listener } of waiting) {
      const state = this.state(point);
      if (state !== 'pending') listener(state === 'reached' ? null : state);
    }
  }
}
