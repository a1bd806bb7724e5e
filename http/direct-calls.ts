/**
 * Finite calls from a socket to the server and back, without a `Request`, a `Response` or a context
 * between: a server takes thousands of them a second, and what they carry is a few bytes. Only
 * plain requests for a route that it knows are taken; whatever has something unusual about it goes
 * through hono's chain.
 *
 * Holds: a request is answered as the chain would answer it, in status, headers and body, and is
 * counted, timed, recorded and cancelled as there. It is taken before anything of it was read. Its
 * body is no longer than `--max-body`, since it says how long it is.
 */
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { jsonType } from './answer.js';
import type { RequestScope } from './context.js';
import { errorAnswer } from './errors.js';
import { beginFinite, inferFinite, type FiniteRoute } from './finite-call.js';
import { requestBound, socketLeaves, withDeadline } from './request-deadline.js';
import { asError, endScope, openScope } from './request-record.js';
import type { Services } from './services.js';

/** A name or an IPv4 address, with a port: what needs no parser to be valid. */
const plainHost = /^[a-z0-9._-]+(?::[1-5]?\d{1,4})?$/;

export class DirectCalls {
  readonly #services: Services;
  readonly #routes: ReadonlyMap<string, FiniteRoute>;

  constructor(services: Services, routes: readonly FiniteRoute[]) {
    this.#services = services;
    this.#routes = new Map(routes.map((route) => [route.path, route]));
  }

  /** False where it is not for here: nothing has been done with it then. */
  take(incoming: IncomingMessage, outgoing: ServerResponse): boolean {
    if (incoming.method !== 'POST') return false;
    const route = this.#routes.get(incoming.url ?? '');
    if (route === undefined) return false;
    if (!isPlain(incoming.headers, this.#services.limits.bodyBytesMax)) return false;
    answerDirectly(this.#services, route, { incoming, outgoing });
    return true;
  }
}

function isPlain(headers: IncomingHttpHeaders, bodyBytesMax: number): boolean {
  const { host, expect } = headers;
  if (host === undefined || !plainHost.test(host) || expect !== undefined) return false;
  if (headers['content-encoding'] !== undefined) return false;
  const length = headers['content-length'];
  return length !== undefined && Number(length) <= bodyBytesMax;
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

function answerDirectly(services: Services, route: FiniteRoute, exchange: Exchange): void {
  const { incoming, outgoing } = exchange;
  const { headers } = incoming;
  const scope = openScope(services, headerOf(headers, 'x-request-id'), exchange);
  const end = (status: number, error: Error | undefined): void => {
    const traceparent = headerOf(headers, 'traceparent');
    endScope(services, scope, { method: 'POST', status, error, traceparent });
  };
  const fail = (thrown: unknown): void => {
    const { status, headers: more, body } = errorAnswer(thrown);
    end(status, asError(thrown));
    give(outgoing, scope, { status, more, text: JSON.stringify(body) });
  };
  const request = { scope, route };
  try {
    beginFinite(services, request, headers['content-type']);
  } catch (error) {
    fail(error);
    return;
  }
  const { requestId, arrivedMs } = scope;
  const deadline = {
    ports: services.ports,
    arrivedMs,
    header: headerOf(headers, 'x-request-timeout'),
    onLeave: socketLeaves(outgoing),
    onCancel: (cancel: () => void) => services.open.enter(requestId, cancel),
    ...requestBound(services.limits),
  };
  withDeadline(deadline, (options) =>
    wholeBody(incoming).then((bytes) => inferFinite(services, request, bytes, options)),
  ).then((text) => {
    end(200, undefined);
    give(outgoing, scope, { status: 200, more: null, text });
  }, fail);
}

/** Node joins what is sent twice, but for a few headers of its own. */
function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  return headers[name] as string | undefined;
}

function wholeBody(incoming: IncomingMessage): Promise<Uint8Array> {
  return new Promise((resolve) => {
    let first: Uint8Array | null = null;
    let more: Uint8Array[] | null = null;
    incoming.on('data', (chunk: Uint8Array) => {
      if (first === null) first = chunk;
      else (more ??= [first]).push(chunk);
    });
    incoming.on('end', () => resolve(more === null ? (first ?? empty) : Buffer.concat(more)));
  });
}

const empty = new Uint8Array(0);

interface Answer {
  readonly status: number;
  /** Besides those of every answer. */
  readonly more: Readonly<Record<string, string>> | null;
  readonly text: string;
}

function give(
  outgoing: ServerResponse,
  { requestId }: RequestScope,
  { status, more, text }: Answer,
): void {
  // Its client has left.
  if (outgoing.destroyed) return;
  outgoing.writeHead(status, {
    'content-type': jsonType,
    'x-request-id': requestId,
    'content-length': Buffer.byteLength(text),
    ...more,
  });
  outgoing.end(text);
}
