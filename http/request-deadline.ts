/**
 * How long a request may take and what ends it early. The bound is `--request-timeout`, or the
 * header `x-request-timeout` (seconds, decimals allowed) where that is shorter. One signal covers
 * both ends: it aborts when the client leaves and when the deadline passes. The work is raced
 * against it, so an answer never waits for a server that is slow to notice.
 */
import { StatusError } from '../runtime/base/errors.js';
import type { Ports, TimerId } from '../runtime/base/ports.js';
import type { CallOptions } from './serving.js';

export interface DeadlineInput {
  readonly ports: Ports;
  readonly arrivedMs: number;
  readonly requestTimeoutMs: number;
  /** Text of the header, if any. */
  readonly header: string | undefined;
  /** Aborts when the client's connection ends. */
  readonly client: AbortSignal;
}

/** Runs `work` under the deadline; rejects with `deadlineExceeded` or `cancelled`. */
export async function withDeadline<T>(
  input: DeadlineInput,
  work: (options: CallOptions) => Promise<T>,
): Promise<T> {
  const allowedMs = allowance(input.header, input.requestTimeoutMs);
  const deadlineMs = input.arrivedMs + allowedMs;
  const controller = new AbortController();
  let timer: TimerId | null = null;
  let leave: (() => void) | null = null;
  const ended = new Promise<never>((_, reject) => {
    const end = (error: StatusError): void => {
      reject(error);
      controller.abort(error);
    };
    const remainingMs = Math.max(0, deadlineMs - input.ports.clock.now());
    timer = input.ports.timers.start(remainingMs, () => end(tooLate(allowedMs)));
    leave = () => end(new StatusError('cancelled', 'the client closed the connection'));
    input.client.addEventListener('abort', leave, { once: true });
    if (input.client.aborted) leave();
  });
  // The race below listens too; this one keeps a work that throws at once from leaving it alone.
  ended.catch(() => undefined);
  try {
    return await Promise.race([work({ signal: controller.signal, deadlineMs }), ended]);
  } finally {
    if (timer !== null) input.ports.timers.cancel(timer);
    if (leave !== null) input.client.removeEventListener('abort', leave);
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
