/**
 * What travels between actors. An envelope is plain data (structured-clone safe) but for buffers in
 * `transfer`; it belongs to the system once sent, and the sender must not touch its payload again.
 * Order is kept per pair of actors and lane; delivery is at most once.
 */
import type { TransferListItem } from 'node:worker_threads';
import type { StatusRecord } from '../base/errors.js';
import type { Address } from './address.js';
import type { StopReason } from './stop-reason.js';

/** The control lane is drained first and never refuses; use it for cancels and the like only. */
export type Lane = 'data' | 'control';

/**
 * What a message is to its receiver. A `tell` is answered by nothing; an `ask` may be replied to
 * once; `reply`, `down` and `timer` come from the system. `signal` never reaches an actor.
 */
export type Role = 'tell' | 'ask' | 'reply' | 'down' | 'timer' | 'signal';

export interface Envelope {
  /** Unique in the process. The id of an ask is the correlation of its reply. */
  readonly id: string;
  /** Id of the message in whose turn this one was sent; null at the edge. */
  readonly cause: string | null;
  readonly from: Address;
  readonly to: Address;
  readonly kind: string;
  readonly role: Role;
  readonly lane: Lane;
  /** Absolute milliseconds of the process clock by which an ask must be answered. */
  readonly deadline: number | null;
  /** Grows with each message that the sender sends. */
  readonly seq: number;
  readonly payload: unknown;
  /** Buffers and ports that move with the payload to another thread; empty on arrival. */
  readonly transfer: readonly TransferListItem[];
  /** Reply: id of the ask. Timer: the timer's name. Otherwise null. */
  readonly correlation: string | null;
}

/** An envelope as an actor receives it. It may be kept to be answered later. */
export type Message = Envelope;

/** How an ask ended; exactly one arrives for each ask, whatever happens. */
export type ReplyOutcome = 'value' | 'error' | 'down' | 'timeout';

/** Payload of a message with role `reply` (its kind is the ask's `as`, else `reply`). */
export interface Reply {
  readonly correlation: string;
  readonly outcome: ReplyOutcome;
  /** Present when the outcome is `value`. */
  readonly value: unknown;
  /** Null exactly when the outcome is `value`. */
  readonly status: StatusRecord | null;
}

/** Payload of a message with role and kind `down`; exactly one for each watch. */
export interface Down {
  readonly address: Address;
  readonly reason: StopReason;
}

/** Payload of the control message `cancel`: the asker no longer wants the answer. */
export interface Cancel {
  readonly correlation: string;
}
