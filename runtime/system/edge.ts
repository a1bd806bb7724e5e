/**
 * The door between actors and the promise world (HTTP, the command line, tests). A request is an
 * ask whose terminal settles a promise. When its signal aborts, the promise rejects at once and
 * whoever holds the ask gets `cancel` on the control lane, as it does when the deadline passes.
 */
import type { TransferListItem } from 'node:worker_threads';
import type { CancelSignal } from '../base/cancel-source.js';
import { StatusError } from '../base/errors.js';
import type { TellOptions } from './actor.js';
import { addressOf, type Address } from './address.js';
import type { CellHost } from './cell-host.js';
import type { Cancel, Lane, Message, Reply, Role } from './envelope.js';
import type { Asker } from './pending-asks.js';

export interface RequestOptions {
  /** Absolute milliseconds of the process clock. */
  readonly deadlineMs: number;
  readonly signal?: CancelSignal;
  readonly transfer?: readonly TransferListItem[];
  readonly lane?: Lane;
  /** By which whoever asked knows it: records tell it. */
  readonly label?: string;
  /** Told a value that comes, before the deadline, after the signal aborted. */
  readonly onLate?: (value: unknown) => void;
}

export class Edge {
  readonly #host: CellHost;
  readonly #address: Address;
  #seq = 0;

  constructor(host: CellHost) {
    this.#host = host;
    this.#address = addressOf(host.thread, '/edge');
  }

  tell(to: Address, kind: string, payload?: unknown, options: TellOptions = {}): void {
    this.#host.post(this.#message('tell', { to, kind, payload, deadline: null, ...options }));
  }

  request(to: Address, kind: string, payload: unknown, options: RequestOptions): Promise<unknown> {
    const { deadlineMs, signal, transfer, lane, onLate, label } = options;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(abandoned(kind));
        return;
      }
      const parts = { to, kind, payload, deadline: deadlineMs, transfer, lane };
      const ask = this.#message('ask', parts);
      if (label !== undefined) this.#label(ask.id, label);
      const abort = (): void => {
        this.#cancel(ask.id, to);
        reject(abandoned(kind));
      };
      const asker: Asker = {
        settled: (_as, reply, from) => {
          signal?.removeEventListener('abort', abort);
          if (reply.outcome === 'timeout') this.#cancel(ask.id, from);
          if (signal?.aborted && reply.status === null) onLate?.(reply.value);
          settle(reply, resolve, reject);
        },
      };
      signal?.addEventListener('abort', abort, { once: true });
      this.#host.pendingAsks.add({ id: ask.id, asker, as: 'reply', holder: to, deadlineMs });
      this.#host.post(ask);
    });
  }

  #label(message: string, label: string): void {
    const { recorder, ports } = this.#host;
    recorder?.record({
      type: 'asked',
      atMs: ports.clock.now(),
      actor: this.#address,
      message,
      label,
    });
  }

  #cancel(correlation: string, holder: Address): void {
    const current = this.#host.pendingAsks.find(correlation)?.holder ?? holder;
    this.tell(current, 'cancel', { correlation } satisfies Cancel, { lane: 'control' });
  }

  #message(
    role: Role,
    parts: {
      to: Address;
      kind: string;
      payload: unknown;
      deadline: number | null;
      transfer?: readonly TransferListItem[];
      lane?: Lane;
    },
  ): Message {
    const { to, kind, payload, deadline, transfer = [], lane = 'data' } = parts;
    return {
      id: this.#host.ports.ids.next('m'),
      cause: null,
      from: this.#address,
      to,
      kind,
      role,
      lane,
      deadline,
      seq: ++this.#seq,
      payload,
      transfer,
      correlation: null,
    };
  }
}

function abandoned(kind: string): StatusError {
  return new StatusError('cancelled', `${kind} was abandoned by its caller`);
}

function settle(
  reply: Reply,
  resolve: (value: unknown) => void,
  reject: (error: StatusError) => void,
): void {
  if (reply.status === null) resolve(reply.value);
  else reject(StatusError.from(reply.status));
}
