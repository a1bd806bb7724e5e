/**
 * The named timers of one actor. A timer that fires becomes a message; its token tells, when the
 * message is taken from the mailbox, whether the timer was cancelled or replaced meanwhile.
 */
import type { Ports, TimerId } from '../base/ports.js';

interface RunningTimer {
  readonly id: TimerId;
  readonly token: number;
}

export class ActorTimers {
  readonly #ports: Ports;
  #running: Map<string, RunningTimer> | null = null;
  #tokens = 0;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  start(name: string, delayMs: number, fire: (token: number) => void): void {
    this.cancel(name);
    const token = ++this.#tokens;
    const id = this.#ports.timers.start(delayMs, () => fire(token));
    (this.#running ??= new Map()).set(name, { id, token });
  }

  cancel(name: string): void {
    const timer = this.#running?.get(name);
    if (timer === undefined) return;
    this.#running?.delete(name);
    this.#ports.timers.cancel(timer.id);
  }

  /** Whether a fired timer still counts; it is used up by this. */
  claim(name: string, token: number): boolean {
    if (this.#running?.get(name)?.token !== token) return false;
    this.#running.delete(name);
    return true;
  }

  cancelAll(): void {
    if (this.#running === null) return;
    for (const { id } of this.#running.values()) this.#ports.timers.cancel(id);
    this.#running = null;
  }
}
