/** One act on its way: what has happened of it already, and who waits for the rest. */
import type { HeardEvent, Outcome } from './outcome.js';
import type { Act } from './scenario.js';

/** Something that happens once, however many wait for it. */
class Happening {
  readonly #waiting: (() => void)[] = [];
  #isPast = false;

  come(): void {
    this.#isPast = true;
    for (const done of this.#waiting.splice(0)) done();
  }

  wait(): Promise<void> {
    if (this.#isPast) return Promise.resolve();
    return new Promise((done) => void this.#waiting.push(done));
  }
}

export class Playing {
  readonly act: Act;
  /** The head of its answer has come; what it holds is held. */
  readonly answering = new Happening();
  readonly ended = new Happening();
  readonly events: HeardEvent[] = [];
  readonly #counted = new Map<number, Happening>();
  /** What it waits for, for the report of a hang. */
  waitsFor = 'its moment';
  outcome: Outcome | null = null;

  constructor(act: Act) {
    this.act = act;
  }

  said(events: number): Promise<void> {
    const known = this.#counted.get(events) ?? new Happening();
    this.#counted.set(events, known);
    if (this.events.length >= events) known.come();
    return known.wait();
  }

  hear(event: HeardEvent): void {
    this.events.push(event);
    this.#counted.get(this.events.length)?.come();
  }
}
