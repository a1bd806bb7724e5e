/**
 * Node's outgoing message without a socket: what was written waits until its reader takes it, and
 * every byte counts as held until then, as with a socket that takes nothing in advance.
 */
import { EventEmitter } from 'node:events';

interface Written {
  readonly bytes: Uint8Array;
  readonly taken: () => void;
}

export interface Head {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

export class SimulatedOutgoing extends EventEmitter {
  readonly #written: Written[] = [];
  #isEnded = false;
  #hasMore: () => void = () => undefined;
  #begin: (head: Head) => void = () => undefined;
  /** When a stream has begun. */
  readonly head = new Promise<Head>((done) => {
    this.#begin = done;
  });
  destroyed = false;
  writableFinished = false;

  writeHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.#begin({ status, headers });
  }

  write(bytes: Uint8Array, taken: () => void = () => undefined): void {
    this.#written.push({ bytes, taken });
    this.#hasMore();
  }

  end(): void {
    this.#isEnded = true;
    this.#hasMore();
  }

  /** The connection ends before the answer does. */
  destroy(): void {
    if (this.destroyed) return;
    this.destroyed = true;
    this.#hasMore();
    this.emit('close');
  }

  /** Its answer was taken whole. */
  finish(): void {
    if (this.destroyed) return;
    this.writableFinished = true;
    this.destroyed = true;
    this.emit('close');
  }

  async *body(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const next = this.#written.shift();
      if (next !== undefined) {
        next.taken();
        yield next.bytes;
      } else if (this.destroyed) throw new Error('the connection was closed');
      else if (this.#isEnded) return this.finish();
      else await new Promise<void>((done) => (this.#hasMore = done));
    }
  }
}
