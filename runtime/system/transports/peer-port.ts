/**
 * One peer of a transport over message ports: what waits to be sent to it, and whether it has come
 * to the end of what was. Each side counts in shared memory the batches that it has worked through,
 * and shows that memory to the other with the first message of the port.
 *
 * Holds: envelopes leave in the order in which they were queued, each once, whatever cannot be
 * cloned. A peer whose count has not been shown yet is never idle. Owned by `ThreadsTransport`.
 */
import type { MessagePort } from 'node:worker_threads';
import type { Envelope } from '../envelope.js';
import { packBatch, unpackBatch } from './envelope-batch.js';

export interface PeerCalls {
  arrive(envelope: Envelope): void;
  /** After the last envelope of a batch. */
  arrived(): void;
  uncloneable(envelope: Envelope, detail: string): void;
}

export class PeerPort {
  readonly #port: MessagePort;
  readonly #calls: PeerCalls;
  #queued: Envelope[] = [];
  /** Batches sent, and the peer's count of those that it has worked through; both wrap. */
  #sent = 0;
  #theirs: Int32Array | null = null;
  /** Batches that came, and how many of them are worked through, for the peer to read. */
  #came = 0;
  readonly #ours = new Int32Array(new SharedArrayBuffer(4));

  constructor(port: MessagePort, calls: PeerCalls) {
    this.#port = port;
    this.#calls = calls;
    port.postMessage(this.#ours.buffer);
    port.on('message', (message: SharedArrayBuffer | readonly unknown[]) => {
      if (message instanceof SharedArrayBuffer) this.#theirs = new Int32Array(message);
      else this.#receive(message);
    });
  }

  /** Waits to be sent. */
  get queued(): readonly Envelope[] {
    return this.#queued;
  }

  queue(envelope: Envelope): void {
    this.#queued.push(envelope);
  }

  /** Everything that came from it has had its turns. */
  workedThrough(): void {
    Atomics.store(this.#ours, 0, this.#came);
  }

  /** Sends what waits if the peer has nothing else to do for this thread. */
  flushIfIdle(): void {
    if (this.#queued.length === 0 || this.#theirs === null) return;
    if (Atomics.load(this.#theirs, 0) !== this.#sent) return;
    try {
      this.#post(this.#queued);
      this.#queued = [];
    } catch {
      // Who cannot be sent is found by `flush`: no turn is interrupted by an answer of its own.
    }
  }

  flush(): void {
    if (this.#queued.length === 0) return;
    const batch = this.#queued;
    this.#queued = [];
    try {
      this.#post(batch);
    } catch {
      this.#postEach(batch);
    }
  }

  close(): void {
    this.#port.close();
  }

  #receive(fields: readonly unknown[]): void {
    this.#came = (this.#came + 1) | 0;
    for (const envelope of unpackBatch(fields)) this.#calls.arrive(envelope);
    this.#calls.arrived();
  }

  #post(batch: readonly Envelope[]): void {
    const { fields, transfer } = packBatch(batch);
    this.#port.postMessage(fields, transfer);
    this.#sent = (this.#sent + 1) | 0;
  }

  /** One envelope of the batch cannot be cloned: the others still go, in order. */
  #postEach(batch: readonly Envelope[]): void {
    for (const envelope of batch) {
      try {
        this.#post([envelope]);
      } catch (error) {
        const detail = error instanceof Error ? error.message : String(error);
        this.#calls.uncloneable(envelope, detail);
      }
    }
  }
}
