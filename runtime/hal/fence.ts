/**
 * A set of timeline points that stand for "all of this has happened". Immutable and free to copy.
 * `null` in place of a fence means that there is nothing to wait for.
 *
 * Holds: a fence covers exactly the points it was made of, so nothing that is submitted later, and
 * no later failure, can change what it means. It says *ready*, never who owns storage.
 */
import type { StatusRecord } from '../base/errors.js';
import type { PointListener, PointState, Timeline } from './timeline.js';

export interface FencePoint {
  readonly timeline: Timeline;
  readonly point: number;
}

export class Fence {
  readonly points: readonly FencePoint[];

  private constructor(points: readonly FencePoint[]) {
    this.points = points;
  }

  static at(timeline: Timeline, point: number): Fence {
    return new Fence([{ timeline, point }]);
  }

  /** All of them together; the largest point of a timeline covers its smaller ones. */
  static join(...fences: readonly (Fence | null)[]): Fence | null {
    const largest = new Map<Timeline, number>();
    for (const fence of fences) {
      for (const { timeline, point } of fence?.points ?? []) {
        largest.set(timeline, Math.max(point, largest.get(timeline) ?? 0));
      }
    }
    if (largest.size === 0) return null;
    return new Fence([...largest].map(([timeline, point]) => ({ timeline, point })));
  }

  /** Pending while any point is; then the first failure, if there is one. */
  get state(): PointState {
    let failure: StatusRecord | null = null;
    for (const { timeline, point } of this.points) {
      const state = timeline.state(point);
      if (state === 'pending') return state;
      if (state !== 'reached') failure ??= state;
    }
    return failure ?? 'reached';
  }

  /** Calls back once, when every point has settled, with the first failure among them. */
  listen(listener: PointListener): void {
    let open = this.points.length;
    let failure: StatusRecord | null = null;
    for (const { timeline, point } of this.points) {
      timeline.listen(point, (status) => {
        failure ??= status;
        open -= 1;
        if (open === 0) listener(failure);
      });
    }
  }
}
