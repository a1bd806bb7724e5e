/**
 * What every route is given: the server behind the seam, the ports, where measurements and lines
 * go, and the limits and access rules that the operator chose. Made once by `serve` (or a test) and
 * never changed, except `isStarting` and `isDraining`: `serve` turns the one off when the packages
 * of its command line serve, and the other on when the first signal arrives.
 */
import type { Ports } from '../runtime/base/ports.js';
import type { Metrics } from './metrics.js';
import type { Observing } from './observing.js';
import type { OpenRequests } from './open-requests.js';
import type { RequestSpans } from './request-spans.js';
import type { Log, Serving } from './serving.js';
import type { TextServing } from './text-serving.js';
import type { TrafficRecorder } from './traffic/traffic-recorder.js';

/** Each limit names the `serve` option that changes it, so that an error can say the knob. */
export interface HttpLimits {
  /** `--max-body`: bytes of a request body. */
  readonly bodyBytesMax: number;
  /** `--max-batch`: inputs of one request. */
  readonly batchMax: number;
  /** `--request-timeout`, also the most that the header `x-request-timeout` can ask for. */
  readonly requestTimeoutMs: number;
  /** `--generation-timeout`: the same for requests that generate text. */
  readonly generationTimeoutMs: number;
  /** `--stream-buffer`: bytes that one stream holds for its reader before it asks for no more. */
  readonly streamBufferBytes: number;
  /** `--stream-stall`: a reader that takes nothing for this long is cut. */
  readonly streamStallMs: number;
}

export interface AdminAccess {
  /** The server listens on a loopback address only. */
  readonly loopback: boolean;
  /** `--admin-token`; null when none was given. */
  readonly token: string | null;
}

export interface Services {
  readonly serving: Serving;
  readonly text: TextServing;
  readonly observing: Observing;
  readonly open: OpenRequests;
  readonly ports: Ports;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Null: nobody wants them. */
  readonly spans: RequestSpans | null;
  readonly limits: HttpLimits;
  readonly admin: AdminAccess;
  readonly version: string;
  /** Told what arrives and leaves; absent or null: nobody records. */
  readonly traffic?: TrafficRecorder | null;
  isStarting(): boolean;
  isDraining(): boolean;
}

export const defaultLimits: HttpLimits = {
  bodyBytesMax: 8 * 1024 * 1024,
  batchMax: 2048,
  requestTimeoutMs: 60_000,
  generationTimeoutMs: 600_000,
  streamBufferBytes: 256 * 1024,
  streamStallMs: 90_000,
};
