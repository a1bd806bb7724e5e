/**
 * How long a request may take and what ends it early. The bound is `--request-timeout`, or the
 * header `x-request-timeout` (seconds, decimals allowed) where that is shorter. One signal covers
 * both ends: it aborts when the client leaves and when the deadline passes. The work is raced
 * against it, so an answer never waits for a server that is slow to notice.
 */
import { z } from '@hono/zod-openapi';
import { CancelSource } from '../runtime/base/cancel-source.js';
import { StatusError } from '../runtime/base/errors.js';
import type { Ports } from '../runtime/base/ports.js';
import type { LoomContext } from './context.js';
import type { CallOptions } from './serving.js';

/** What /openapi.json says of the headers that such a route reads. */
export const requestHeaders = z.object({
  'x-request-timeout': z
    .string()
    .optional()
    .openapi({
      description:
        'Seconds within which the answer must be ready, decimals allowed; 504 when it is not. ' +
        'Cannot exceed --request-timeout.',
      example: '2.5',
    }),
  'x-request-id': z.string().optional().openapi({
    description: 'An id for the log and the answer; made up when absent or no plain token.',
  }),
});

export interface DeadlineInput {
  readonly ports: Ports;
  readonly arrivedMs: number;
  readonly requestTimeoutMs: number;
  /** Text of the header, if any. */
  readonly header: string | undefined;
  /** Calls back when the client's connection ends; gives back how to stop listening. */
  readonly onLeave: (leave: () => void) => () => void;
}

/**
 * Listens to the socket where there is one: the request's own signal would be a second controller
 * for each request. An answer that was written whole closes nothing early.
 */
export function clientLeaves(c: LoomContext): DeadlineInput['onLeave'] {
  // `env` itself is absent when tests call the application without a socket.
  const outgoing = (c.env as LoomContext['env'] | undefined)?.outgoing;
  if (outgoing === undefined) return (leave) => onAbort(c.req.raw.signal, leave);
  return (leave) => {
    const closed = (): void => {
      if (!outgoing.writableFinished) leave();
    };
    outgoing.once('close', closed);
    if (outgoing.destroyed) closed();
    return () => void outgoing.off('close', closed);
  };
}

function onAbort(signal: AbortSignal, leave: () => void): () => void {
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  return () => signal.removeEventListener('abort', leave);
}

/** Runs `work` under the deadline; rejects with `deadlineExceeded` or `cancelled`. */
export function withDeadline<T>(
  input: DeadlineInput,
  work: (options: CallOptions) => Promise<T>,
): Promise<T> {
  const { ports, arrivedMs, requestTimeoutMs, header, onLeave } = input;
  return new Promise((resolve, reject) => {
    const allowedMs = allowance(header, requestTimeoutMs);
    const deadlineMs = arrivedMs + allowedMs;
    const signal = new CancelSource();
    const end = (error: StatusError): void => {
      reject(error);
      signal.abort();
    };
    const remainingMs = Math.max(0, deadlineMs - ports.clock.now());
    const timer = ports.timers.start(remainingMs, () => end(tooLate(allowedMs)));
    const stopListening = onLeave(() =>
      end(new StatusError('cancelled', 'the client closed the connection')),
    );
    const settle = (): void => {
      ports.timers.cancel(timer);
      stopListening();
    };
    started(work, { signal, deadlineMs }).then(
      (value) => {
        settle();
        resolve(value);
      },
      (error: unknown) => {
        settle();
        reject(error as Error);
      },
    );
  });
}

/** A work that throws at once has ended as one that rejects. */
function started<T>(work: (options: CallOptions) => Promise<T>, options: CallOptions): Promise<T> {
  try {
    return work(options);
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

function tooLate(allowedMs: number): StatusError {
  return new StatusError(
    'deadlineExceeded',
    `the request was not answered within ${allowedMs / 1000} s; raise --request-timeout, ` +
      'or the header x-request-timeout if the client sent one',
  );
}

function allowance(header: string | undefined, requestTimeoutMs: number): number {
  if (header === undefined) return requestTimeoutMs;
  const seconds = Number(header);
  if (header.trim() === '' || !Number.isFinite(seconds) || seconds <= 0) {
    throw new StatusError(
      'invalidArgument',
      `the header x-request-timeout must be a positive number of seconds, not "${header}"`,
      { param: 'x-request-timeout' },
    );
  }
  return Math.min(requestTimeoutMs, seconds * 1000);
}
