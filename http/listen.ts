/**
 * Puts an application behind a socket and takes it away again. `close` stops accepting at once,
 * lets answers in progress finish, and cuts what is left at the bound. It owns the server and its
 * connections; `serve` calls it.
 */
import { createAdaptorServer } from '@hono/node-server';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isIPv6 } from 'node:net';
import { StatusError } from '../runtime/base/errors.js';
import type { Ports } from '../runtime/base/ports.js';
import type { LoomApp } from './context.js';

export interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly ports: Ports;
}

export interface Listener {
  readonly url: string;
  readonly port: number;
  /** Resolves when no connection is left. Safe to call twice. */
  close(boundMs: number): Promise<void>;
}

/** A request's headers must arrive within this; its body within the request timeout. */
const headersTimeoutMs = 20_000;
/** How often a close looks for connections that went idle. */
const idleSweepMs = 20;

export async function listen(app: LoomApp, options: ListenOptions): Promise<Listener> {
  const server = createAdaptorServer({
    fetch: app.fetch,
    serverOptions: { headersTimeout: headersTimeoutMs, keepAliveTimeout: 65_000 },
  }) as Server;
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
