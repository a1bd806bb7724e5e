/**
 * Envelopes over message ports, one port between any two threads. What is sent to a peer that is at
 * work leaves as one `postMessage` with one transfer list when the event loop has gone around once:
 * waking another thread costs more than what it is told. A peer that has worked through all that it
 * got is sent the next turn's words at once: it begins while this thread goes on, and both find
 * more to do at a time the longer they take.
 *
 * What one turn said to a peer leaves together. A payload is cloned only when it leaves: a sender
 * that changes it after sending changes what arrives.
 *
 * Turns run in microtasks, a few milliseconds before the event loop gets its turn again: what they
 * said leaves then at the latest, and a cancel arrives, however long the next turn is.
 */
import type { MessagePort } from 'node:worker_threads';
import { assert } from '../../base/errors.js';
import { afterEventLoop, burstMs } from '../../base/event-loop.js';
import type { Envelope } from '../envelope.js';
import type { Transport, TransportReceiver } from '../transport.js';
import { PeerPort } from './peer-port.js';

/** Turns in a row, and how long they may last together; one turn lasts as long as it does. */
const BURST_TURNS = 128;
const BURST_MS = 2;

export class ThreadsTransport implements Transport {
  readonly #peers = new Map<string, PeerPort>();
  /** The same, for who goes through them after each turn. */
  #ports: readonly PeerPort[] = [];
  #receiver: TransportReceiver | null = null;
  #isAwake = false;
  #willEndRound = false;
  #isClosed = false;

  attach(receiver: TransportReceiver): void {
    assert(this.#receiver === null, 'a transport to serve one system');
    this.#receiver = receiver;
    for (const thread of this.#peers.keys()) receiver.threadFound(thread);
  }

  /** Introduces a peer. The port belongs to the transport from now on. */
  connect(thread: string, port: MessagePort): void {
    assert(!this.#peers.has(thread), `one port to thread ${thread}`);
    const peer = new PeerPort(port, {
      arrive: (envelope) => this.#receiver?.arrive(envelope),
      arrived: () => this.#endRoundSoon(),
      uncloneable: (envelope, detail) =>
        this.#receiver?.undeliverable(envelope, 'uncloneable', detail),
    });
    this.#peers.set(thread, peer);
    this.#ports = [...this.#peers.values()];
    this.#receiver?.threadFound(thread);
    port.on('close', () => {
      if (this.#peers.get(thread) !== peer) return;
      this.disconnect(thread);
    });
  }

  /** The peer has ended, or is to be treated so. */
  disconnect(thread: string): void {
    const peer = this.#peers.get(thread);
    if (peer === undefined) return;
    this.#peers.delete(thread);
    this.#ports = [...this.#peers.values()];
    peer.close();
    const detail = `thread ${thread} has ended`;
    for (const left of peer.queued) {
      if (left.role !== 'signal') this.#receiver?.undeliverable(left, 'threadLost', detail);
    }
    this.#receiver?.threadLost(thread);
  }

  wake(): void {
    if (this.#isAwake || this.#isClosed) return;
    this.#isAwake = true;
    queueMicrotask(() => this.#burst());
  }

  send(thread: string, envelope: Envelope): boolean {
    const peer = this.#peers.get(thread);
    if (peer === undefined) return false;
    peer.queue(envelope);
    this.#endRoundSoon();
    return true;
  }

  /** Sends what is queued, then closes every port. */
  close(): void {
    if (this.#isClosed) return;
    this.#endRound();
    this.#isClosed = true;
    for (const peer of this.#peers.values()) peer.close();
    this.#peers.clear();
    this.#ports = [];
  }

  #burst(): void {
    if (this.#isClosed) return;
    const started = burstMs();
    let hasMore = true;
    for (let turns = 0; hasMore && turns < BURST_TURNS; turns += 1) {
      hasMore = this.#receiver?.turn(1) ?? false;
      for (const peer of this.#ports) peer.flushIfIdle();
      if (burstMs() - started > BURST_MS) break;
    }
    // What fails to leave is answered, and the answer wakes this again.
    this.#isAwake = hasMore;
    if (hasMore) afterEventLoop(() => this.#burst());
    else this.#endRoundSoon();
  }

  #endRoundSoon(): void {
    if (this.#willEndRound) return;
    this.#willEndRound = true;
    afterEventLoop(() => {
      this.#willEndRound = false;
      if (!this.#isClosed) this.#endRound();
    });
  }

  #endRound(): void {
    for (const peer of this.#peers.values()) {
      peer.flush();
      if (!this.#isAwake) peer.workedThrough();
    }
  }
}
