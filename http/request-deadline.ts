/**
 * How long a request may take and what ends it early. The bound is an option of the server, or the
 * header `x-request-timeout` (seconds, decimals allowed) where that is shorter. One signal covers
 * all ends: it aborts when the client leaves, when another request cancels this one and when the
 * deadline passes. The work is raced against it, so an answer never waits for a server that is slow
 * to notice.
 */
import type { HttpBindings } from '@hono/node-server';
import { z } from '@hono/zod-openapi';
import { CancelSource } from '../runtime/base/cancel-source.js';
import { StatusError } from '../runtime/base/errors.js';
import type { Ports, TimerId } from '../runtime/base/ports.js';
import type { LoomContext } from './context.js';
import type { HttpLimits, Services } from './services.js';
import type { CallOptions } from './serving.js';

type Outgoing = HttpBindings['outgoing'];

/** What /openapi.json says of the headers that such a route reads. */
export const requestHeaders = z.object({
  'x-request-timeout': z
    .string()
    .optional()
    .openapi({
      description:
        'Seconds within which the answer must be ready, decimals allowed; 504 when it is not. ' +
        'Cannot exceed --request-timeout, or --generation-timeout where text is generated.',
      example: '2.5',
    }),
  'x-request-id': z.string().optional().openapi({
    description: 'An id for the log and the answer; made up when absent or no plain token.',
  }),
});

export interface DeadlineInput {
  readonly ports: Ports;
  readonly arrivedMs: number;
  readonly timeoutMs: number;
  /** The option that sets it. */
  readonly knob: string;
  /** Text of the header, if any. */
  readonly header: string | undefined;
  /** Calls back when the client's connection ends; gives back how to stop listening. */
  readonly onLeave: (leave: () => void) => () => void;
  /** The same when somebody asks for the end of this request. */
  readonly onCancel: (cancel: () => void) => () => void;
}

export type Bound = Pick<DeadlineInput, 'timeoutMs' | 'knob'>;

export const requestBound = (limits: HttpLimits): Bound => ({
  timeoutMs: limits.requestTimeoutMs,
  knob: '--request-timeout',
});

export const generationBound = (limits: HttpLimits): Bound => ({
  timeoutMs: limits.generationTimeoutMs,
  knob: '--generation-timeout',
});

export function deadlineOf(c: LoomContext, services: Services, bound: Bound): DeadlineInput {
  const { requestId, arrivedMs } = c.get('scope');
  return {
    ports: services.ports,
    arrivedMs,
    header: c.req.header('x-request-timeout'),
    onLeave: clientLeaves(c),
    onCancel: (cancel) => services.open.enter(requestId, cancel),
    ...bound,
  };
}

/**
 * Listens to the socket where there is one: the request's own signal would be a second controller
 * for each request. An answer that was written whole closes nothing early.
 */
export function clientLeaves(c: LoomContext): DeadlineInput['onLeave'] {
  // `env` itself is absent when tests call the application without a socket.
  const outgoing = (c.env as LoomContext['env'] | undefined)?.outgoing;
  if (outgoing === undefined) return (leave) => onAbort(c.req.raw.signal, leave);
  return socketLeaves(outgoing);
}

export function socketLeaves(outgoing: Outgoing): DeadlineInput['onLeave'] {
  return (leave) => {
    const closed = (): void => {
      if (!outgoing.writableFinished) leave();
    };
    outgoing.on('close', closed);
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
  const { ports, arrivedMs, timeoutMs, knob, header } = input;
  return new Promise((resolve, reject) => {
    const allowedMs = allowance(header, timeoutMs);
    const deadlineMs = arrivedMs + allowedMs;
    const ends = new EarlyEnds(input, { allowedMs, deadlineMs, reject });
    started(work, { signal: ends.signal, deadlineMs }).then(
      (value) => {
        ends.stop();
        resolve(value);
      },
      (error: unknown) => {
        ends.stop();
        // The actors keep the same deadline: whoever is first, its caller hears of the knobs.
        const isLate = isTimeout(error) && ports.clock.now() >= deadlineMs - TIMER_SLACK_MS;
        reject(isLate ? tooLate(allowedMs, knob) : (error as Error));
      },
    );
  });
}

interface Bounded {
  readonly allowedMs: number;
  readonly deadlineMs: number;
  readonly reject: (error: StatusError) => void;
}

/** What may end a request before its answer: the first that does, does; after `stop` none. */
class EarlyEnds {
  readonly signal = new CancelSource();
  readonly #input: DeadlineInput;
  readonly #bounded: Bounded;
  readonly #timer: TimerId;
  #stopLeave: (() => void) | null = null;
  #stopCancel: (() => void) | null = null;
  #isOver = false;

  constructor(input: DeadlineInput, bounded: Bounded) {
    const { ports, knob, onLeave, onCancel } = input;
    const { allowedMs, deadlineMs } = bounded;
    this.#input = input;
    this.#bounded = bounded;
    const remainingMs = Math.max(0, deadlineMs - ports.clock.now());
    this.#timer = ports.timers.start(remainingMs, () => this.#end(tooLate(allowedMs, knob)));
    const cancel = (why: string): void => this.#end(new StatusError('cancelled', why));
    this.#stopLeave = onLeave(() => cancel('the client closed the connection'));
    this.#stopCancel = onCancel(() => cancel('the request was cancelled by its id'));
    // The client may have left before.
    if (this.#isOver) this.#release();
  }

  stop(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
  }

  #end(error: StatusError): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#release();
    this.#bounded.reject(error);
    this.signal.abort();
  }

  /** While it is being made only what is there already. */
  #release(): void {
    this.#input.ports.timers.cancel(this.#timer);
    this.#stopLeave?.();
    this.#stopCancel?.();
  }
}

/** Timers of two clocks of one thread come this far apart. */
const TIMER_SLACK_MS = 2;

const isTimeout = (error: unknown): boolean =>
  error instanceof StatusError && error.code === 'deadlineExceeded';

/** A work that throws at once has ended as one that rejects. */
function started<T>(work: (options: CallOptions) => Promise<T>, options: CallOptions): Promise<T> {
  try {
    return work(options);
  } catch (error) {
    return Promise.reject(error as Error);
  }
}

function tooLate(allowedMs: number, knob: string): StatusError {
  return new StatusError(
    'deadlineExceeded',
    `the request was not answered within ${allowedMs / 1000} s; raise ${knob}, ` +
      'or the header x-request-timeout if the client sent one',
  );
}

function allowance(header: string | undefined, timeoutMs: number): number {
  if (header === undefined) return timeoutMs;
  const seconds = Number(header);
  if (header.trim() === '' || !Number.isFinite(seconds) || seconds <= 0) {
    throw new StatusError(
      'invalidArgument',
      `the header x-request-timeout must be a positive number of seconds, not "${header}"`,
      { param: 'x-request-timeout' },
    );
  }
  return Math.min(timeoutMs, seconds * 1000);
}
