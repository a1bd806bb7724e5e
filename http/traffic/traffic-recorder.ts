/**
 * Tells a recording what arrives and what leaves, request by request. It sees heads and bodies as
 * routes do, and answers as they are given to the socket; it changes nothing of either.
 *
 * Holds: nobody waits for it. A line for which there is no room is lost and counted, and of a
 * request whose beginning is lost nothing else is told.
 */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Clock } from '../../runtime/base/ports.js';
import { PayloadDigest } from './payload-digest.js';
import { isRecorded } from './recorded-routes.js';
import { keptHeaders, keptPath } from './secret-headers.js';
import type { ArrivedLine, BodyLine, Payload, TrafficSink } from './traffic-lines.js';

/** Longer bodies are told by their length alone. */
const BODY_MAX = 16 * 1024 * 1024;
/** In JSON they take six characters each. */
const escaped = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/;
const strict = new TextDecoder('utf-8', { fatal: true });

export interface Arrival {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
  readonly requestId: string;
  readonly arrivedMs: number;
}

/** One request that is recorded. */
export interface Exchange {
  /** Its body has come whole. */
  body(bytes: Uint8Array): void;
}

export class TrafficRecorder {
  readonly #sink: TrafficSink;
  readonly #clock: Clock;
  #requests = 0;

  constructor(sink: TrafficSink, clock: Clock) {
    this.#sink = sink;
    this.#clock = clock;
  }

  /** Null where nothing of it is kept. */
  arrived({ incoming, outgoing, requestId, arrivedMs }: Arrival): Exchange | null {
    const method = incoming.method ?? 'GET';
    const path = keptPath(incoming.url ?? '/');
    if (!isRecorded(method, path)) return null;
    this.#requests += 1;
    const line: ArrivedLine = {
      type: 'arrived',
      request: this.#requests,
      atMs: arrivedMs,
      id: requestId,
      method,
      path,
      headers: keptHeaders(incoming.headers),
    };
    if (!this.#sink.append(line)) return null;
    return this.#watched(this.#requests, outgoing);
  }

  #watched(request: number, outgoing: ServerResponse): Exchange {
    const tell = (type: string, what: object): void =>
      void this.#sink.append({ type, request, atMs: this.#clock.now(), ...what });
    // Told before its last byte leaves: what its client asks next has arrived later.
    let isGone = false;
    const answer = watchAnswer(outgoing, (payload) => {
      if (!isGone) tell('answered', payload);
    });
    outgoing.once('close', () => {
      isGone = true;
      if (!outgoing.writableFinished) tell('left', { events: answer.events });
    });
    return { body: (bytes) => tell('body', bodyOf(bytes)) };
  }
}

interface WatchedAnswer {
  readonly events: number;
}

/** Sees what is written without standing in its way. */
function watchAnswer(outgoing: ServerResponse, onEnd: (payload: Payload) => void): WatchedAnswer {
  let digest: PayloadDigest | null = null;
  let isOver = false;
  const take = (chunk: unknown): PayloadDigest => {
    digest ??= new PayloadDigest(outgoing.statusCode, typeOf(outgoing.getHeaders()));
    if (typeof chunk === 'string') digest.take(Buffer.from(chunk));
    else if (chunk instanceof Uint8Array) digest.take(chunk);
    return digest;
  };
  const original = {
    writeHead: outgoing.writeHead.bind(outgoing) as (...all: unknown[]) => ServerResponse,
    write: outgoing.write.bind(outgoing) as (...all: unknown[]) => boolean,
    end: outgoing.end.bind(outgoing) as (...all: unknown[]) => ServerResponse,
  };
  Object.assign(outgoing, {
    writeHead(...all: unknown[]): ServerResponse {
      const headers = all.findLast((one) => typeof one === 'object' && one !== null);
      digest = new PayloadDigest(all[0] as number, typeOf(headers as object | undefined));
      return original.writeHead(...all);
    },
    write(...all: unknown[]): boolean {
      take(all[0]);
      return original.write(...all);
    },
    end(...all: unknown[]): ServerResponse {
      const whole = take(all[0]);
      if (!isOver) onEnd(whole.end());
      isOver = true;
      return original.end(...all);
    },
  });
  return {
    get events() {
      return digest?.events ?? 0;
    },
  };
}

/** The content type among headers, an object of them or a list of names and values. */
function typeOf(headers: object | undefined): string {
  if (headers === undefined) return '';
  const flat = Array.isArray(headers)
    ? (headers as unknown[]).flat()
    : Object.entries(headers).flat();
  const at = flat.findIndex((one) => String(one).toLowerCase() === 'content-type');
  return at < 0 ? '' : String(flat[at + 1]);
}

function bodyOf(bytes: Uint8Array): Pick<BodyLine, 'bytes' | 'text' | 'base64'> {
  const length = bytes.length;
  if (length > BODY_MAX) return { bytes: length };
  const text = textOf(bytes);
  if (text !== null) return { bytes: length, text };
  return { bytes: length, base64: Buffer.from(bytes).toString('base64') };
}

/** Null where JSON would not give the same bytes back, or take far more. */
function textOf(bytes: Uint8Array): string | null {
  try {
    // What begins with a byte order mark loses it.
    if (bytes[0] === 0xef) return null;
    const text = strict.decode(bytes);
    return escaped.test(text) ? null : text;
  } catch {
    return null;
  }
}
