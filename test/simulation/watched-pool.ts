/**
 * A pool whose ranges are watched, for law I1: what it hands out overlaps nothing that is handed
 * out, and no accepted work uses what it hands out or takes back at once.
 */
import { rangesOverlap, type DeviceRange } from '../../runtime/hal/buffer.js';
import type { Fence } from '../../runtime/hal/fence.js';
import type { Pool } from '../../runtime/hal/pool.js';

export interface PoolWatch {
  readonly report: (law: string, detail: string) => void;
  /** The machine has no more memory. */
  readonly isExhausted: () => boolean;
  /** What accepted works use. */
  readonly working: Iterable<{ readonly label: string; readonly ranges: readonly DeviceRange[] }>;
}

export class WatchedPool implements Pool {
  /** Handed out and not given back. */
  readonly held = new Set<DeviceRange>();
  readonly #pool: Pool;
  readonly #watch: PoolWatch;

  constructor(pool: Pool, watch: PoolWatch) {
    this.#pool = pool;
    this.#watch = watch;
  }

  get usedBytes(): number {
    return this.#pool.usedBytes;
  }

  get slabBytes(): number {
    return this.#pool.slabBytes;
  }

  allocate(...asked: Parameters<Pool['allocate']>): DeviceRange | null {
    const { report, isExhausted } = this.#watch;
    if (isExhausted()) return null;
    const range = this.#pool.allocate(...asked);
    if (range === null) return null;
    for (const other of this.held) {
      if (rangesOverlap(range, other))
        report('I1', `bytes at ${range.offset} are handed out twice`);
    }
    this.#expectUnused(range, 'handed out');
    this.held.add(range);
    return range;
  }

  release(range: DeviceRange, after: Fence | null): void {
    if (!this.held.delete(range)) {
      this.#watch.report('I1', `${range.offset} is released twice`);
    }
    if (after === null) this.#expectUnused(range, 'freed');
    this.#pool.release(range, after);
  }

  #expectUnused(range: DeviceRange, what: string): void {
    for (const { label, ranges } of this.#watch.working) {
      if (!ranges.some((used) => rangesOverlap(range, used))) continue;
      this.#watch.report('I1', `bytes at ${range.offset} are ${what} while ${label} uses them`);
    }
  }
}
