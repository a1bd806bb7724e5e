/**
 * Puts an application behind a socket and takes it away again. `close` stops accepting at once,
 * lets answers in progress finish, and cuts what is left at the bound. It owns the server and its
 * connections; `serve` calls it.
 *
 * Holds: no connection takes for ever. Headers and bodies must arrive in time, and a client that
 * neither sends nor reads is cut once its request must have been answered.
 */
import { getRequestListener, type HttpBindings } from '@hono/node-server';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { isIPv6 } from 'node:net';
import { StatusError } from '../runtime/base/errors.js';
import type { Ports } from '../runtime/base/ports.js';
import {
  answerBroken,
  hostMissing,
  plainAnswer,
  refusedRequest,
  tooManyOpen,
} from './broken-request.js';
import type { LoomApp } from './context.js';
import type { DirectCalls } from './direct-calls.js';

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly ports: Ports;
  readonly times?: Partial<ConnectionTimes>;
  /** Asked first of each request; absent: the application answers all. */
  readonly direct?: DirectCalls;
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
  /** An address that this machine reaches. */
  readonly url: string;
  /** It listens on every address of the machine, not on the one of `url` alone. */
  readonly isEverywhere: boolean;
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
/** Hosts that stand for all addresses, and one that is among them: they can be bound, not asked. */
const anyAddress: ReadonlyMap<string, string> = new Map([
  ['0.0.0.0', '127.0.0.1'],
  ['::', '::1'],
]);
const keepAliveMs = 65_000;
/**
 * Requests of one connection that may be open at once. A client that pipelines and does not read
 * holds as many answers, since Node parses all that it finds in a socket.
 */
export const pipelinedMax = 64;
/** How often a close looks for connections that went idle. */
const idleSweepMs = 20;

export async function listen(app: LoomApp, options: ListenOptions): Promise<Listener> {
  const server = serverOf(app, options);
  await started(server, options);
  const { port } = server.address() as AddressInfo;
  const reached = anyAddress.get(options.host);
  const host = reached ?? options.host;
  let closing: Promise<void> | null = null;
  return {
    url: `http://${isIPv6(host) ? `[${host}]` : host}:${port}`,
    isEverywhere: reached !== undefined,
    port,
    close: (boundMs) => (closing ??= closed(server, options.ports, boundMs)),
  };
}

function serverOf(app: LoomApp, { times: given, direct }: ListenOptions): Server {
  const times = { ...defaultTimes, ...given };
  const { headersMs, bodyMs, bodyGraceMs, stalledMs } = times;
  const open = new WeakMap<Socket, number>();
  const serverOptions = {
    headersTimeout: headersMs,
    requestTimeout: Math.max(headersMs, bodyMs) + bodyGraceMs,
    keepAliveTimeout: keepAliveMs,
    // How often the two above are looked at.
    connectionsCheckingInterval: Math.min(1_000, Math.ceil(headersMs / 4)),
    // Node's own refusal has no body.
    requireHostHeader: false,
  };
  const onRequest = getRequestListener(
    (request, env) => refusalOf(open, env as HttpBindings) ?? app.fetch(request, env),
    // Who speaks HTTP/1.0 need not say whom it asks.
    { hostname: 'localhost', errorHandler: refusedRequest },
  );
  const server = createServer(serverOptions, (incoming, outgoing) => {
    const { socket } = incoming;
    const count = (open.get(socket) ?? 0) + 1;
    open.set(socket, count);
    outgoing.on('close', () => open.set(socket, (open.get(socket) ?? 1) - 1));
    if (count > pipelinedMax || direct?.take(incoming, outgoing) !== true) {
      void onRequest(incoming, outgoing);
    }
  });
  server.timeout = stalledMs;
  server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
    answerBroken(error, socket, times),
  );
  return server;
}

/** The refusal of a request that is malformed or one too many on its connection, else null. */
function refusalOf(open: WeakMap<Socket, number>, bindings: HttpBindings): Response | null {
  const count = open.get(bindings.incoming.socket) ?? 0;
  if (count > pipelinedMax) return plainAnswer(tooManyOpen(count, pipelinedMax));
  const fault = hostMissing(bindings);
  return fault === null ? null : plainAnswer(fault);
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
