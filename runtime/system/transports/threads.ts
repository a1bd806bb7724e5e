/**
 * Envelopes over message ports, one port between any two threads. What is sent to a peer while the
 * event loop goes around once leaves as one `postMessage` with one transfer list: waking another
 * thread costs more than what it is told, and a loop that finds many sockets readable would wake it
 * once for each. A payload is cloned only then: a sender that changes it after sending changes what
 * arrives.
 *
 * Turns run in microtasks, a few milliseconds before the event loop gets its turn again: what they
 * said leaves then, and a cancel arrives, however long the next turn is.
 */
import type { MessagePort } from 'node:worker_threads';
import { assert } from '../../base/errors.js';
import { afterEventLoop, burstMs } from '../../base/event-loop.js';
import type { Envelope } from '../envelope.js';
import type { Transport, TransportReceiver } from '../transport.js';
import { packBatch, unpackBatch } from './envelope-batch.js';

/** Turns in a row, and how long they may last together; one turn lasts as long as it does. */
const BURST_TURNS = 128;
const BURST_MS = 2;

interface Peer {
  readonly port: MessagePort;
  /** Waits for the end of this round of the event loop. */
  queued: Envelope[];
}

export class ThreadsTransport implements Transport {
  readonly #peers = new Map<string, Peer>();
  #receiver: TransportReceiver | null = null;
  #isAwake = false;
  #willFlush = false;
  #isClosed = false;

  attach(receiver: TransportReceiver): void {
    assert(this.#receiver === null, 'a transport to serve one system');
    this.#receiver = receiver;
    for (const thread of this.#peers.keys()) receiver.threadFound(thread);
  }

  /** Introduces a peer. The port belongs to the transport from now on. */
  connect(thread: string, port: MessagePort): void {
    assert(!this.#peers.has(thread), `one port to thread ${thread}`);
    const peer: Peer = { port, queued: [] };
    this.#peers.set(thread, peer);
    this.#receiver?.threadFound(thread);
    port.on('message', (fields: readonly unknown[]) => {
      for (const envelope of unpackBatch(fields)) this.#receiver?.arrive(envelope);
    });
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
    peer.port.close();
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
    peer.queued.push(envelope);
    this.#flushSoon();
    return true;
  }

  /** Sends what is queued, then closes every port. */
  close(): void {
    if (this.#isClosed) return;
    this.#flush();
    this.#isClosed = true;
    for (const { port } of this.#peers.values()) port.close();
    this.#peers.clear();
  }

  #burst(): void {
    if (this.#isClosed) return;
    const started = burstMs();
    let hasMore = true;
    for (let turns = 0; hasMore && turns < BURST_TURNS; turns += 1) {
      hasMore = this.#receiver?.turn(1) ?? false;
      if (burstMs() - started > BURST_MS) break;
    }
    // What fails to leave is answered, and the answer wakes this again.
    this.#isAwake = hasMore;
    if (hasMore) afterEventLoop(() => this.#burst());
  }

  #flushSoon(): void {
    if (this.#willFlush) return;
    this.#willFlush = true;
    afterEventLoop(() => {
      this.#willFlush = false;
      if (!this.#isClosed) this.#flush();
    });
  }

  #flush(): void {
    for (const peer of this.#peers.values()) {
      if (peer.queued.length === 0) continue;
      const batch = peer.queued;
      peer.queued = [];
      try {
        post(peer.port, batch);
      } catch {
        this.#postEach(peer.port, batch);
      }
    }
  }

  /** One envelope of the batch cannot be cloned: the others still go, in order. */
  #postEach(port: MessagePort, batch: readonly Envelope[]): void {
    for (const envelope of batch) {
      try {
        post(port, [envelope]);
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        this.#receiver?.undeliverable(envelope, 'uncloneable', detail);
      }
    }
  }
}

function post(port: MessagePort, batch: readonly Envelope[]): void {
  const { fields, transfer } = packBatch(batch);
  port.postMessage(fields, transfer);
}
