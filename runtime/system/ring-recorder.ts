/**
 * Keeps the last records of a system in memory until somebody takes them. Bounded: the oldest
 * records give way, and are counted.
 */
import type { Recorder, SystemRecord } from './recorder.js';

/** Records taken from a ring, oldest first, and how many gave way since the last were taken. */
export interface RecordBatch {
  readonly records: readonly SystemRecord[];
  readonly lost: number;
}

export class RingRecorder implements Recorder {
  readonly #capacity: number;
  #records: SystemRecord[] = [];
  #next = 0;
  #total = 0;
  #lost = 0;

  constructor(capacity = 4096) {
    this.#capacity = capacity;
  }

  record(record: SystemRecord): void {
    if (this.#records.length < this.#capacity) this.#records.push(record);
    else {
      this.#records[this.#next] = record;
      this.#lost += 1;
    }
    this.#next = (this.#next + 1) % this.#capacity;
    this.#total += 1;
  }

  /** Records ever, kept or not. */
  get total(): number {
    return this.#total;
  }

  /** Oldest first. */
  get records(): SystemRecord[] {
    if (this.#records.length < this.#capacity) return [...this.#records];
    return [...this.#records.slice(this.#next), ...this.#records.slice(0, this.#next)];
  }

  /** What is kept; the ring is empty then. */
  take(): RecordBatch {
    const { records } = this;
    const lost = this.#lost;
    this.#records = [];
    this.#next = 0;
    this.#lost = 0;
    return { records, lost };
  }
}
