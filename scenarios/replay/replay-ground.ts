/** What a recording is played on: a server on real threads, or one that is simulated. */
import type { Clock, Timers } from '../../runtime/base/ports.js';
import type { Answer } from '../ground.js';

/** A request as it goes over the wire. */
export interface WireCall {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | null;
}

export interface ReplayGround {
  readonly clock: Clock;
  readonly timers: Timers;
  /** Rejects when there is no answer: the signal was aborted, or the connection broke. */
  fetch(call: WireCall, signal: AbortSignal): Promise<Answer>;
  /** Work of the world outside, a disk, for which a virtual clock must not run on. */
  outside<Result>(work: Promise<Result>): Promise<Result>;
}

export const waitMs = ({ timers }: Pick<ReplayGround, 'timers'>, ms: number): Promise<void> =>
  new Promise((done) => void timers.start(Math.max(0, ms), done));

/** What `fetch` of the platform and requests of a simulated server are made of. */
export function requestInit({ method, headers, body }: WireCall): RequestInit {
  return { method, headers, ...(body === null ? {} : { body: Buffer.from(body) }) };
}
