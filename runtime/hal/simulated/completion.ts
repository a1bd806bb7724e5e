/**
 * How a simulated device ends commands: by hand, or after a delay that a plan chooses. Holds the
 * commands that were started and are not done; knows nothing of what they do.
 */
import { assert, type StatusRecord } from '../../base/errors.js';
import type { TimerId, Timers } from '../../base/ports.js';
import type { DeviceCommand } from '../command.js';

/** What shall become of one command. A failure replaces its effect. */
export interface Fate {
  readonly delayMs: number;
  readonly failure?: StatusRecord;
}

/** `manual`: whoever holds the device completes commands one by one. */
export type CompletionPlan = 'manual' | ((command: DeviceCommand) => Fate);

interface Started {
  readonly command: DeviceCommand;
  readonly end: (failure: StatusRecord | null) => void;
  readonly timer: TimerId | null;
}

export class Completion {
  readonly #plan: CompletionPlan;
  readonly #timers: Timers;
  #started: Started[] = [];

  constructor(plan: CompletionPlan, timers: Timers) {
    this.#plan = plan;
    this.#timers = timers;
  }

  /** Commands started and not done, in order of their start. */
  get pending(): readonly DeviceCommand[] {
    return this.#started.map(({ command }) => command);
  }

  /** `end` is called exactly once. */
  start(command: DeviceCommand, end: (failure: StatusRecord | null) => void): void {
    if (this.#plan === 'manual') {
      this.#started.push({ command, end, timer: null });
      return;
    }
    const { delayMs, failure } = this.#plan(command);
    const timer = this.#timers.start(delayMs, () => this.#end(entry, failure ?? null));
    const entry: Started = { command, end, timer };
    this.#started.push(entry);
  }

  /** Ends the command at `index` of `pending`. */
  complete(index: number, failure: StatusRecord | null): void {
    const entry = this.#started[index];
    assert(entry, `a pending command at ${index}`);
    this.#end(entry, failure);
  }

  /** Ends everything that is pending. */
  failAll(status: StatusRecord): void {
    for (const entry of [...this.#started]) this.#end(entry, status);
  }

  #end(entry: Started, failure: StatusRecord | null): void {
    if (!this.#started.includes(entry)) return;
    this.#started = this.#started.filter((other) => other !== entry);
    if (entry.timer !== null) this.#timers.cancel(entry.timer);
    entry.end(failure);
  }
}
