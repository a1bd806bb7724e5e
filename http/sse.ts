/**
 * The one writer of server-sent events, over Node's outgoing message. It owns the answer from its
 * head to its end: events in order, comments where nothing else moves, and an end that comes once.
 *
 * Holds: an answer that has not begun has sent nothing, so an error can still have a status of its
 * own. Bytes that the reader has not taken are counted; beyond `bufferBytes` each `send` gives a
 * promise that resolves when half of that is gone, or the reader is.
 */
import type { ServerResponse } from 'node:http';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import { assert } from '../runtime/base/errors.js';
import type { Ports, TimerId } from '../runtime/base/ports.js';
import type { LoomContext } from './context.js';
import { errorAnswer } from './errors.js';
import type { OpenRequests } from './open-requests.js';
import type { Services } from './services.js';

/** Proxies and clients give up on connections that are silent for half a minute or more. */
const idleMs = 15_000;

export interface SseOptions {
  readonly ports: Ports;
  readonly open: OpenRequests;
  readonly bufferBytes: number;
  /** A reader that does not take what was written for so long is cut. */
  readonly stallMs: number;
  readonly requestId: string;
}

/** An event that its reader tells from others, and from which it can go on later. */
export interface NamedEvent {
  readonly event: string;
  readonly id: number;
}

export class SseStream {
  readonly #outgoing: ServerResponse;
  readonly #options: SseOptions;
  readonly #leave: () => void;
  #waiting: (() => void)[] = [];
  #heldBytes = 0;
  #hasBegun = false;
  #isOver = false;
  #writtenMs: number;
  /** When the reader last took something; where it holds us up, since when. */
  #takenMs = 0;
  #timer: TimerId;

  constructor(outgoing: ServerResponse, options: SseOptions) {
    const { ports, open } = options;
    this.#outgoing = outgoing;
    this.#options = options;
    this.#writtenMs = ports.clock.now();
    // The request may be over already: its deadline has answered, or its client has left.
    this.#isOver = outgoing.destroyed || outgoing.headersSent;
    if (this.#isOver) {
      this.#timer = 0;
      this.#leave = () => undefined;
      return;
    }
    this.#timer = this.#watchIn(idleMs);
    this.#leave = open.enterStream(this);
    outgoing.once('close', () => this.#closed());
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Of events that the operating system has not taken yet. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** One event; null when more is welcome at once. `data` has no line breaks. */
  send(data: string, named: NamedEvent | null = null): Promise<void> | null {
    if (!this.#isLive) return null;
    const head = named === null ? '' : `event: ${named.event}\nid: ${named.id}\n`;
    this.#write(`${head}data: ${data}\n\n`);
    if (this.#heldBytes < this.#options.bufferBytes) return null;
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Begins the answer where the first event may be long in coming. */
  comment(text: string): void {
    if (this.#isLive) this.#write(`: ${text}\n\n`);
  }

  /** Nothing follows; the reader may still have to take what is there. */
  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    if (this.#hasBegun) this.#outgoing.end();
    else this.#stop();
  }

  /** The error is the last event of a stream that has begun. */
  fail(error: unknown): void {
    void this.send(JSON.stringify(errorAnswer(error).body));
    this.end();
  }

  /** Somebody else may have answered before it began. */
  get #isLive(): boolean {
    const { destroyed, headersSent } = this.#outgoing;
    return !this.#isOver && !destroyed && (this.#hasBegun || !headersSent);
  }

  #write(text: string): void {
    if (!this.#hasBegun) this.#begin();
    const bytes = Buffer.from(text);
    const nowMs = this.#options.ports.clock.now();
    if (this.#heldBytes === 0) this.#takenMs = nowMs;
    this.#heldBytes += bytes.length;
    this.#writtenMs = nowMs;
    this.#outgoing.write(bytes, () => this.#taken(bytes.length));
  }

  #begin(): void {
    const { requestId } = this.#options;
    this.#hasBegun = true;
    this.#outgoing.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': requestId,
    });
  }

  #taken(bytes: number): void {
    if (this.#outgoing.destroyed) return;
    this.#heldBytes -= bytes;
    this.#takenMs = this.#options.ports.clock.now();
    if (this.#heldBytes <= this.#options.bufferBytes / 2) this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }

  #closed(): void {
    this.#isOver = true;
    this.#heldBytes = 0;
    this.#stop();
    this.#wake();
  }

  #stop(): void {
    this.#options.ports.timers.cancel(this.#timer);
    this.#leave();
  }

  #watchIn(delayMs: number): TimerId {
    const { ports, stallMs } = this.#options;
    return ports.timers.start(Math.min(delayMs, stallMs), () => this.#watch());
  }

  /** Writes a comment when nothing was written for the time; cuts a reader that does not read. */
  #watch(): void {
    const nowMs = this.#options.ports.clock.now();
    if (this.#heldBytes > 0) {
      const heldMs = nowMs - this.#takenMs;
      if (heldMs >= this.#options.stallMs) this.#outgoing.destroy();
      else this.#timer = this.#watchIn(this.#options.stallMs - heldMs);
      return;
    }
    const silentMs = nowMs - this.#writtenMs;
    if (silentMs >= idleMs) this.comment('waiting');
    this.#timer = this.#watchIn(silentMs >= idleMs ? idleMs : idleMs - silentMs);
  }
}

/** A stream as the answer to this request; nothing is sent before its first event. */
export function openStream(c: LoomContext, services: Services): SseStream {
  const outgoing = c.env.outgoing as ServerResponse | undefined;
  assert(outgoing !== undefined, 'a socket to stream to');
  return new SseStream(outgoing, {
    ports: services.ports,
    open: services.open,
    bufferBytes: services.limits.streamBufferBytes,
    stallMs: services.limits.streamStallMs,
    requestId: c.get('scope').requestId,
  });
}

/** What a route gives back whose stream has begun. */
export const streamed = (): Response => RESPONSE_ALREADY_SENT;
