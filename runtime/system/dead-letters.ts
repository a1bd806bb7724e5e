/**
 * Messages that nobody will handle: counted by reason, the last ones kept, and shown to observers.
 * A lost tell is never an error by itself; an ask that becomes a dead letter is also answered.
 */
import type { Envelope, Lane, Role } from './envelope.js';

export const deadLetterReasons = [
  /** No such actor. */
  'absent',
  /** It went down, or waits for its restart, before it handled this. */
  'stopped',
  /** The data lane of its mailbox was full. */
  'full',
  /** An ask whose deadline passed while it waited. */
  'expired',
  /** A reply to an ask that had its terminal already, or to a message that was no ask. */
  'lateReply',
  /** No port to that thread. */
  'noRoute',
  /** That thread has ended. */
  'threadLost',
  /** The payload cannot be cloned to another thread. */
  'uncloneable',
] as const;

export type DeadLetterReason = (typeof deadLetterReasons)[number];

export interface DeadLetter {
  readonly atMs: number;
  readonly reason: DeadLetterReason;
  readonly id: string;
  readonly from: string;
  readonly to: string;
  readonly kind: string;
  readonly role: Role;
  readonly lane: Lane;
}

/** The last dead letters that are kept for the admin page. */
const KEPT = 64;

export class DeadLetters {
  readonly #counts = new Map<DeadLetterReason, number>();
  readonly #last: DeadLetter[] = [];
  readonly #observers = new Set<(letter: DeadLetter) => void>();

  add(atMs: number, reason: DeadLetterReason, envelope: Envelope): DeadLetter {
    const { id, from, to, kind, role, lane } = envelope;
    const letter: DeadLetter = { atMs, reason, id, from, to, kind, role, lane };
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
    this.#last.push(letter);
    if (this.#last.length > KEPT) this.#last.shift();
    for (const observer of this.#observers) observer(letter);
    return letter;
  }

  /** Calls `observer` for each new dead letter until the returned function is called. */
  observe(observer: (letter: DeadLetter) => void): () => void {
    this.#observers.add(observer);
    return () => this.#observers.delete(observer);
  }

  get last(): readonly DeadLetter[] {
    return this.#last;
  }

  counts(): Record<DeadLetterReason, number> {
    return Object.fromEntries(
      deadLetterReasons.map((reason) => [reason, this.#counts.get(reason) ?? 0]),
    ) as Record<DeadLetterReason, number>;
  }
}
