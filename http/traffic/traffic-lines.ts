/**
 * The lines that a recording has of traffic, beside the records of actors: what the server was,
 * what it served, what arrived and what left. All of one request share a number. Times are points
 * on the clock of the recording; bodies are kept whole, payloads as digests.
 */
import type { HttpLimits } from '../services.js';
import type { EvictedSessions } from '../text-serving.js';
import type { Track } from './payload-digest.js';

/** Where lines go; false: there was no room for one, and it is counted as lost. */
export interface TrafficSink {
  append(line: object): boolean;
}

/** What the operator chose, as far as answers may depend on it. */
export interface ServerLine {
  readonly type: 'server';
  readonly atMs: number;
  readonly version: string;
  readonly options: ServerSettings;
}

export interface ServerSettings extends HttpLimits {
  readonly device: string;
  readonly otherDevices: readonly { readonly name: string; readonly memoryBytes: number | null }[];
  readonly threads: number | null;
  readonly modelThreads: number;
  readonly memoryBytes: number | null;
  readonly parameterRoots: readonly string[];
  readonly packageRoots: readonly string[];
  readonly cacheDir: string | null;
  readonly sessionDir: string | null;
  readonly queueMax: number;
  readonly sessionIdleMs: number;
  readonly evictedSessions: EvictedSessions;
}

/** A package that was registered: by the command line, or by a request that is in the recording. */
export interface PackageLine {
  readonly type: 'package';
  readonly atMs: number;
  readonly id: string;
  readonly isOfStart: boolean;
  /** What the registration said; a document is given whole. */
  readonly body: unknown;
  /** Of its files (`actors/edge/package-digest.ts`); null where they could not be read. */
  readonly digest: string | null;
}

export interface ArrivedLine {
  readonly type: 'arrived';
  readonly request: number;
  readonly atMs: number;
  /** Its `x-request-id`, sent or made: what draws depend on where no seed was given. */
  readonly id: string;
  readonly method: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface BodyLine {
  readonly type: 'body';
  readonly request: number;
  readonly atMs: number;
  readonly bytes: number;
  /** UTF-8, or base64 of what is not; neither where it was too long to be kept. */
  readonly text?: string;
  readonly base64?: string;
}

/** The last byte of the answer was given to the socket. */
export interface AnsweredLine extends Payload {
  readonly type: 'answered';
  readonly request: number;
  readonly atMs: number;
}

/** Its connection ended before its answer was taken whole. */
export interface LeftLine {
  readonly type: 'left';
  readonly request: number;
  readonly atMs: number;
  /** Events that had been written by then. */
  readonly events: number;
}

/** What left, without what differs from run to run (`exempt-fields.ts`). */
export interface Payload {
  readonly status: number;
  /** Bytes as they were sent. */
  readonly bytes: number;
  /** Null: no stream. */
  readonly events: number | null;
  /** SHA-256 of the payloads of all events, in order; null: no stream. */
  readonly eventsDigest: string | null;
  /** An error came inside, or its last event did not. */
  readonly isBroken: boolean;
  readonly tracks: Readonly<Record<string, Track>>;
  /** The id of the session that it made. */
  readonly made?: string;
}
