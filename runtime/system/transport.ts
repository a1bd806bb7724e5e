/**
 * The seam between an actor system and what carries its envelopes. Two implementations: `threads`
 * (message ports) and `simulated` (many systems in one thread, seeded order). A transport keeps the
 * order of what one system sends to another; it may lose everything of a peer that has ended, and
 * then says so once, after the last envelope of that peer.
 */
import type { DeadLetterReason } from './dead-letters.js';
import type { Envelope } from './envelope.js';

/** What the transport does to its system. */
export interface TransportReceiver {
  /** An envelope for this thread, in order. */
  arrive(envelope: Envelope): void;
  /** Runs up to `limit` turns. True while more could run. `choose` picks among n that wait. */
  turn(limit: number, choose?: (n: number) => number): boolean;
  /** A peer of this name can be reached (again). */
  threadFound(thread: string): void;
  /** The peer has ended: nothing more comes from it, nothing reaches it. */
  threadLost(thread: string): void;
  /** An envelope that was taken by `send` cannot travel after all. */
  undeliverable(envelope: Envelope, reason: DeadLetterReason, detail: string): void;
}

export interface Transport {
  attach(receiver: TransportReceiver): void;
  /** There are turns to run or envelopes to flush: call `turn` soon. May be called often. */
  wake(): void;
  /** Takes an envelope for another thread; false when no such peer is known, and once closed. */
  send(thread: string, envelope: Envelope): boolean;
  close(): void;
}
