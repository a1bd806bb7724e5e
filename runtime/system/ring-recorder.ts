/**
 * Keeps the last records of a system in memory, for the console and for traces on demand. Bounded:
 * the oldest records give way.
 */
import type { Recorder, SystemRecord } from './recorder.js';

export class RingRecorder implements Recorder {
  readonly #capacity: number;
  readonly #records: SystemRecord[] = [];
  #next = 0;
  #total = 0;

  constructor(capacity = 4096) {
    this.#capacity = capacity;
  }

  record(record: SystemRecord): void {
    if (this.#records.length < this.#capacity) this.#records.push(record);
    else this.#records[this.#next] = record;
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
}
