/**
 * The sessions of a generation by the ids that clients know, and who asked which of them what: each
 * ask that a session was handed is answered by it, or by its end. Owned by the generation.
 */
import { StatusError, type StatusRecord } from '../../runtime/base/errors.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Address } from '../../runtime/system/address.js';
import type { Message } from '../../runtime/system/envelope.js';
import type { Row } from '../../runtime/text/retained-row.js';
import type { SessionAnswer } from '../protocol.js';
import { missingSession } from './missing-session.js';
import { session, type SessionAsk } from './session.js';
import type { SessionHome } from './session-home.js';

/** Sessions that had to end are remembered, so that who asks for one hears why. */
const EVICTED_MAX = 256;

export interface SessionBookOptions {
  readonly model: string;
  readonly generation: number;
  /** Rows of the model. */
  readonly rows: number;
  readonly home: () => SessionHome;
  /** What was counted as a request is over. */
  readonly over: () => void;
}

export class SessionBook {
  readonly #self: ActorSelf;
  readonly #options: SessionBookOptions;
  /** Asks that sessions have and have not answered, by id. */
  readonly #requests = new Map<string, { readonly ask: Message; readonly session: Address }>();
  /** By id. */
  readonly #sessions = new Map<string, Address>();
  /** Why sessions had to end, by id. */
  readonly #evicted = new Map<string, StatusRecord>();
  #opened = 0;

  constructor(self: ActorSelf, options: SessionBookOptions) {
    this.#self = self;
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  get requests(): number {
    return this.#requests.size;
  }

  /** One more session may have a row: turns that keep nothing must find one, too. */
  get hasRoom(): boolean {
    return this.#sessions.size < Math.max(1, this.#options.rows - 1);
  }

  open(row: Row): SessionAnswer {
    const { model, generation, home } = this.#options;
    this.#opened += 1;
    const name = `${model}@${generation}.${this.#opened}`;
    const input = { id: name, row, home: home() };
    const address = this.#self.spawn(`sessions/${this.#opened}`, session, input);
    this.#sessions.set(name, address);
    const { context } = home().geometry;
    return { id: name, state: 'idle', tokens: row.ids.length, checkpoints: [], context };
  }

  /** Throws where there is none, or none any more. */
  addressOf(name: string): Address {
    const address = this.#sessions.get(name);
    if (address === undefined) throw this.#missing(name);
    return address;
  }

  /** From now on the session answers it, or its end does. */
  handOver(ask: Message, address: Address): void {
    this.#requests.set(ask.id, { ask, session: address });
    this.#self.handOver(ask, address);
    this.#self.tell(address, 'session.ask', { ask } satisfies SessionAsk);
  }

  isOpen(ask: string): boolean {
    return this.#requests.has(ask);
  }

  ended(ask: string): void {
    this.#requests.delete(ask);
  }

  /** What was on the way to it has nobody to answer it. */
  closed(name: string, address: Address): void {
    if (name !== '') this.#sessions.delete(name);
    for (const [id, { ask, session: holder }] of this.#requests) {
      if (holder !== address) continue;
      this.#requests.delete(id);
      this.#self.replyError(ask, this.#missing(name).status);
      this.#options.over();
    }
  }

  /** What it held is gone for good: it ends, and whoever asks for it hears why. */
  evict(address: Address, reason: StatusRecord): void {
    this.#self.tell(address, 'session.evicted', {});
    for (const [name, holder] of this.#sessions) {
      if (holder === address) this.#evicted.set(name, reason);
    }
    for (const name of this.#evicted.keys()) {
      if (this.#evicted.size <= EVICTED_MAX) break;
      this.#evicted.delete(name);
    }
  }

  #missing(name: string): StatusError {
    const reason = this.#evicted.get(name);
    if (reason !== undefined) return StatusError.from(reason);
    const { model, generation } = this.#options;
    return missingSession(name, { model, generation, opened: this.#opened });
  }
}
