/**
 * Puts an application behind a socket and takes it away again. `close` stops accepting at once,
 * lets answers in progress finish, and cuts what is left at the bound. It owns the server and its
 * connections; `serve` calls it.
 *
 * Holds: no connection takes for ever. Headers and bodies must arrive in time, and a client that
 * neither sends nor reads is cut once its request must have been answered.
 */
import { createAdaptorServer, type HttpBindings } from '@hono/node-server';
import { maxHeaderSize, STATUS_CODES } from 'node:http';
import type { Server } from 'node:http';
import type { Duplex } from 'node:stream';
import type { AddressInfo, Socket } from 'node:net';
import { isIPv6 } from 'node:net';
import { StatusError } from '../runtime/base/errors.js';
import type { Ports } from '../runtime/base/ports.js';
import type { LoomApp } from './context.js';
import { errorAnswer, HttpFault } from './errors.js';

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly ports: Ports;
  readonly times?: Partial<ConnectionTimes>;
}

export interface ConnectionTimes {
  /** `--header-timeout`: from the first byte of a request to the end of its headers. */
  readonly headersMs: number;
  /** `--request-timeout`: to the end of its body, for routes that set no deadline themselves. */
  readonly bodyMs: number;
  /** Beyond `bodyMs`: a route's own deadline answers first, with more to say. */
  readonly bodyGraceMs: number;
  /** A connection on which nothing moves for this is cut: whoever does not read its answer. */
  readonly stalledMs: number;
}

export interface Listener {
  readonly url: string;
  readonly port: number;
  /** Resolves when no connection is left. Safe to call twice. */
  close(boundMs: number): Promise<void>;
}

export const defaultTimes: ConnectionTimes = {
  headersMs: 20_000,
  bodyMs: 60_000,
  bodyGraceMs: 5_000,
  stalledMs: 90_000,
};
const keepAliveMs = 65_000;
/**
 * Requests of one connection that may be open at once. A client that pipelines and does not read
 * holds as many answers, since Node parses all that it finds in a socket.
 */
export const pipelinedMax = 64;
/** How often a close looks for connections that went idle. */
const idleSweepMs = 20;

export async function listen(app: LoomApp, options: ListenOptions): Promise<Listener> {
  const server = createServer(app, { ...defaultTimes, ...options.times });
  await started(server, options);
  const { port } = server.address() as AddressInfo;
  const host = isIPv6(options.host) ? `[${options.host}]` : options.host;
  let closing: Promise<void> | null = null;
  return {
    url: `http://${host}:${port}`,
    port,
    close: (boundMs) => (closing ??= closed(server, options.ports, boundMs)),
  };
}

function createServer(app: LoomApp, times: ConnectionTimes): Server {
  const { headersMs, bodyMs, bodyGraceMs, stalledMs } = times;
  const open = new WeakMap<Socket, number>();
  const server = createAdaptorServer({
    fetch: (request, env) => withinPipeline(open, env as HttpBindings) ?? app.fetch(request, env),
    serverOptions: {
      headersTimeout: headersMs,
      requestTimeout: Math.max(headersMs, bodyMs) + bodyGraceMs,
      keepAliveTimeout: keepAliveMs,
      // How often the two above are looked at.
      connectionsCheckingInterval: Math.min(1_000, Math.ceil(headersMs / 4)),
    },
  }) as Server;
  server.timeout = stalledMs;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    answerBroken(error, socket, times),
  );
  return server;
}

/** Counts the request in; the refusal of one that is too many, else null. */
function withinPipeline(
  open: WeakMap<Socket, number>,
  { incoming, outgoing }: HttpBindings,
): Response | null {
  const { socket } = incoming;
  const count = (open.get(socket) ?? 0) + 1;
  open.set(socket, count);
  outgoing.once('close', () => open.set(socket, (open.get(socket) ?? 1) - 1));
  if (count <= pipelinedMax) return null;
  const fault = new StatusError(
    'resourceExhausted',
    `the connection has ${count} open requests; at most ${pipelinedMax} may be pipelined`,
    { retryAfterS: 1 },
  );
  const { status, headers, body } = errorAnswer(fault);
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
  });
}

/** What is no request has no route: answered here, and the connection ends. */
function answerBroken(error: NodeJS.ErrnoException, socket: Duplex, times: ConnectionTimes): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = errorAnswer(brokenRequest(error, times));
  const text = JSON.stringify(body);
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Error'}\r\n` +
      'content-type: application/json; charset=utf-8\r\n' +
      `content-length: ${Buffer.byteLength(text)}\r\nconnection: close\r\n\r\n${text}`,
  );
}

function brokenRequest(error: NodeJS.ErrnoException, times: ConnectionTimes): HttpFault {
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    return new HttpFault(
      408,
      'request_timeout',
      `the request did not arrive in time: its headers may take ${times.headersMs / 1000} s ` +
        `(--header-timeout), its body ${times.bodyMs / 1000} s (--request-timeout)`,
    );
  }
  if (error.code === 'HPE_HEADER_OVERFLOW') {
    const message = `the headers have more than ${maxHeaderSize} bytes`;
    return new HttpFault(431, 'headers_too_large', message);
  }
  return new HttpFault(400, 'malformed_request', `this is no HTTP request: ${error.message}`);
}

function started(server: Server, options: ListenOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(cannotListen(error, options)));
    server.listen(options.port, options.host, resolve);
  });
}

function cannotListen(error: NodeJS.ErrnoException, options: ListenOptions): StatusError {
  const place = `${options.host} port ${options.port}`;
  if (error.code === 'EADDRINUSE') {
    return new StatusError(
      'unavailable',
      `${place} is in use; stop what listens there, or take another port with --port N`,
    );
  }
  return new StatusError('unavailable', `cannot listen on ${place}: ${error.message}`);
}

/** Idle keep-alive connections are swept: their clients would keep the server open for minutes. */
function closed(server: Server, ports: Ports, boundMs: number): Promise<void> {
  return new Promise((resolve) => {
    const deadlineMs = ports.clock.now() + boundMs;
    let isOpen = true;
    server.close(() => {
      isOpen = false;
      resolve();
    });
    const sweep = (): void => {
      if (!isOpen) return;
      if (ports.clock.now() >= deadlineMs) server.closeAllConnections();
      else server.closeIdleConnections();
      ports.timers.start(idleSweepMs, sweep);
    };
    sweep();
  });
}
