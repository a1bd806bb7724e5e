/**
 * Ports of simulated threads: one virtual clock that moves only when the simulation says so, timers
 * that fire in order of their due time (then of their start), ids and random numbers that the seed
 * and the thread's name determine.
 */
import type { Ports, TimerId } from '../base/ports.js';
import { SeededRandom } from './seeded-random.js';

interface VirtualTimer {
  readonly id: TimerId;
  readonly thread: string;
  readonly dueMs: number;
  readonly action: () => void;
}

export class SimulatedTime {
  readonly #seed: number;
  readonly #timers = new Map<TimerId, VirtualTimer>();
  #nowMs: number;
  #nextTimer = 1;
  /** The timer that is due first; undefined: to be looked for, because the last one has gone. */
  #next: VirtualTimer | null | undefined = null;

  constructor(seed: number, startMs = 0) {
    this.#seed = seed;
    this.#nowMs = startMs;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  advanceTo(ms: number): void {
    this.#nowMs = Math.max(this.#nowMs, ms);
  }

  /** The timer that fires next. */
  get next(): { readonly dueMs: number; readonly thread: string } | null {
    return this.#first();
  }

  /** Fires the next timer, due or not. */
  fireNext(): void {
    const timer = this.#first();
    if (timer === null) return;
    this.#drop(timer.id);
    this.advanceTo(timer.dueMs);
    timer.action();
  }

  /** A dead thread's timers never fire. */
  dropTimersOf(thread: string): void {
    for (const timer of this.#timers.values()) {
      if (timer.thread === thread) this.#drop(timer.id);
    }
  }

  ports(thread: string): Ports {
    let nextId = 1;
    return {
      clock: { now: () => this.#nowMs, wallTime: () => this.#nowMs },
      timers: {
        start: (delayMs, action) => {
          const id = this.#nextTimer++;
          const dueMs = this.#nowMs + Math.max(0, delayMs);
          const timer = { id, thread, dueMs, action };
          this.#timers.set(id, timer);
          const next = this.#next;
          if (next === null || (next !== undefined && dueMs < next.dueMs)) this.#next = timer;
          return id;
        },
        cancel: (id) => this.#drop(id),
      },
      random: SeededRandom.for(this.#seed, thread),
      ids: { next: (prefix) => `${prefix}-${thread}-${(nextId++).toString(36)}` },
    };
  }

  #drop(id: TimerId): void {
    this.#timers.delete(id);
    if (this.#next?.id === id) this.#next = undefined;
  }

  /** Asked several times a step, and timers are many: looks for it only when it has changed. */
  #first(): VirtualTimer | null {
    this.#next ??= this.#timers.size === 0 ? null : this.#earliest();
    return this.#next;
  }

  #earliest(): VirtualTimer | null {
    let first: VirtualTimer | null = null;
    for (const timer of this.#timers.values()) {
      if (first === null || timer.dueMs < first.dueMs) first = timer;
    }
    return first;
  }
}
