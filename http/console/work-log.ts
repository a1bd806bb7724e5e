/**
 * What the devices did, from first to last, whatever the cursor shows: each work once, with the
 * life of the actor that submitted it. Bounded: the oldest works give way.
 */
import type { WireRecord, WorkRecord } from './wire.js';

export interface Life {
  fromMs: number;
  /** Null while it lives. */
  toMs: number | null;
}

export interface LoggedWork extends WorkRecord {
  readonly life: Life | null;
}

export class WorkLog {
  readonly #worksMax: number;
  readonly #works = new Map<string, LoggedWork>();
  readonly #lives = new Map<string, Life>();

  constructor(worksMax = 20_000) {
    this.#worksMax = worksMax;
  }

  add(record: WireRecord): void {
    if (record.type === 'work') {
      // Told at acceptance and at retirement, by two actors: moments may differ a little.
      const key = `${record.device} ${record.invocation}`;
      const known = this.#works.get(key);
      // In a file, sorted by these moments, the retirement may come first.
      if (record.retiredMs === null && (known?.retiredMs ?? null) !== null) return;
      const life = known?.life ?? this.#lives.get(record.invocation) ?? null;
      this.#works.set(key, { ...record, life });
      trim(this.#works, this.#worksMax);
    } else if (record.type === 'spawn') {
      this.#lives.set(record.actor, { fromMs: record.atMs, toMs: null });
      trim(this.#lives, this.#worksMax);
    } else if (record.type === 'stop') {
      const life = this.#lives.get(record.actor);
      if (life !== undefined) life.toMs = record.atMs;
    }
  }

  /** Works that touch the time between, in order of acceptance. */
  between(fromMs: number, toMs: number): LoggedWork[] {
    return [...this.#works.values()]
      .filter((work) => {
        const { acceptedMs, life } = work;
        const beginsMs = Math.min(acceptedMs, life?.fromMs ?? acceptedMs);
        return beginsMs <= toMs && (endOf(work) ?? toMs) >= fromMs;
      })
      .sort((left, right) => left.acceptedMs - right.acceptedMs);
  }
}

/** Null while it is on the device; that it has left may also show by the end of its submitter. */
export const endOf = ({ retiredMs, life }: LoggedWork): number | null =>
  retiredMs ?? life?.toMs ?? null;

/** Drops the entries that came first. */
function trim(map: Map<string, unknown>, sizeMax: number): void {
  for (const key of map.keys()) {
    if (map.size <= sizeMax) return;
    map.delete(key);
  }
}
