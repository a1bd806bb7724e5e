/**
 * The asker's side of asks. An ask is pending from the moment it is sent to its one terminal:
 * whoever removes it from this table (a reply, a death, the deadline) delivers the terminal, and
 * everything that comes later finds nothing. `holder` follows the ask when it is forwarded.
 */
import { ChurnMap } from '../base/churn-map.js';
import type { Ports, TimerId } from '../base/ports.js';
import { threadOf, type Address } from './address.js';
import type { Reply } from './envelope.js';

/** Who waits: an actor, or a promise at the edge. */
export interface Asker {
  settled(as: string, reply: Reply, from: Address): void;
}

export interface PendingAsk {
  readonly id: string;
  readonly asker: Asker;
  readonly as: string;
  holder: Address;
  timer: TimerId;
}

export interface NewAsk {
  readonly id: string;
  readonly asker: Asker;
  readonly as: string;
  readonly holder: Address;
  readonly deadlineMs: number;
}

export class PendingAsks {
  readonly #ports: Ports;
  readonly #onTimeout: (ask: PendingAsk) => void;
  readonly #pending = new ChurnMap<string, PendingAsk>();
  #timeouts = 0;

  /** `onTimeout` is told after the terminal was delivered. */
  constructor(ports: Ports, onTimeout: (ask: PendingAsk) => void) {
    this.#ports = ports;
    this.#onTimeout = onTimeout;
  }

  get size(): number {
    return this.#pending.size;
  }

  get timeouts(): number {
    return this.#timeouts;
  }

  add({ id, asker, as, holder, deadlineMs }: NewAsk): void {
    const startedMs = this.#ports.clock.now();
    const delayMs = Math.max(0, deadlineMs - startedMs);
    const timer = this.#ports.timers.start(delayMs, () => this.#expire(id, startedMs));
    this.#pending.set(id, { id, asker, as, holder, timer });
  }

  find(id: string): PendingAsk | undefined {
    return this.#pending.get(id);
  }

  /** Delivers the terminal; false when there was one before. */
  settle(reply: Reply, from: Address): boolean {
    const ask = this.#remove(reply.correlation);
    if (ask === undefined) return false;
    ask.asker.settled(ask.as, reply, from);
    return true;
  }

  /** Asks held in a thread, oldest first. */
  heldIn(thread: string): PendingAsk[] {
    return [...this.#pending.values()].filter((ask) => threadOf(ask.holder) === thread);
  }

  /** No reply can come any more: every asker that is still there is told. */
  endAll(reason: string): void {
    for (const { id, holder } of [...this.#pending.values()]) {
      const status = { code: 'unavailable', message: reason, where: holder } as const;
      this.settle({ correlation: id, outcome: 'down', value: undefined, status }, holder);
    }
  }

  /** The asker is gone: nobody is told. */
  dropOf(asker: Asker): void {
    for (const ask of this.#pending.values()) if (ask.asker === asker) this.#remove(ask.id);
  }

  #remove(id: string): PendingAsk | undefined {
    const ask = this.#pending.get(id);
    if (ask === undefined) return undefined;
    this.#pending.delete(id);
    this.#ports.timers.cancel(ask.timer);
    return ask;
  }

  #expire(id: string, startedMs: number): void {
    const ask = this.#remove(id);
    if (ask === undefined) return;
    this.#timeouts += 1;
    const waitedMs = Math.round(this.#ports.clock.now() - startedMs);
    const message = `${ask.holder} did not answer within ${waitedMs} ms`;
    const status = { code: 'deadlineExceeded', message, where: ask.holder } as const;
    const reply: Reply = { correlation: id, outcome: 'timeout', value: undefined, status };
    ask.asker.settled(ask.as, reply, ask.holder);
    this.#onTimeout(ask);
  }
}
