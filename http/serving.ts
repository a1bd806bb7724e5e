/**
 * The one seam between encoding (http) and lifecycle (actors): what a route may ask of the server,
 * in plain data. No request, response, header or socket crosses it, and no actor, thread or buffer
 * of a device does either. Every rejection is a `StatusError`; http maps its code to a status once,
 * in errors.ts. `actors/` may import this file for its types only.
 */
import type { CancelSignal } from '../runtime/base/cancel-source.js';
import type { Ports } from '../runtime/base/ports.js';
import type { StatusRecord } from '../runtime/base/errors.js';
import type { FiniteBody } from '../runtime/profiles/finite-request.js';
import type { Observing } from './observing.js';
import type { EvictedSessions, TextServing } from './text-serving.js';
import type { TrafficSink } from './traffic/traffic-lines.js';

/**
 * One call of a finite profile: texts to embed, or questions to decide. It is one request to the
 * server, whatever it holds: at least one member, at most the batch limit. No text is empty (but
 * a context may be) and none has a lone surrogate.
 */
export interface FiniteCall {
  readonly requestId: string;
  readonly model: string;
  readonly body: FiniteBody;
}

/** Milliseconds that the request spent in each part of its way; for logs and histograms. */
export interface FiniteTimings {
  readonly queueMs: number;
  readonly prepareMs: number;
  readonly executeMs: number;
}

export interface FiniteResult {
  /** The deployment that answered, and the generation that accepted the request. */
  readonly model: string;
  readonly generation: number;
  /**
   * One row a member, in request order; every value is finite, and a question's are probabilities
   * that add up to 1. The caller owns them.
   */
  readonly rows: readonly Float32Array[];
  /** Units of all members together: what `usage` counts. */
  readonly units: number;
  /** Members of the cohort that ran it. */
  readonly cohortSize: number;
  readonly timings: FiniteTimings;
}

export interface CallOptions {
  /** Aborts when the client left or the deadline passed: a cancel, never an error of the server. */
  readonly signal: CancelSignal;
  /** A point on the clock of `Ports` (milliseconds), not a duration. */
  readonly deadlineMs: number;
}

/** What `GET /v1/models` says of a deployment that accepts requests. */
export interface ModelSummary {
  readonly id: string;
  readonly profile: string;
  readonly generation: number;
  /** Seconds since 1970. */
  readonly createdS: number;
}

export type DeploymentState =
  'registering' | 'preparing' | 'serving' | 'replacing' | 'draining' | 'removed' | 'failed';

export interface StageSummary {
  readonly ordinal: number;
  readonly name: string;
  readonly kind: 'command' | 'kernel';
  readonly roots: number;
  readonly dispatches: number;
  readonly workspacePeakBytes: number;
}

export interface ModelMemory {
  /** Peak that admission counts for one invocation, and what is held right now. */
  readonly preparedPeakBytes: number;
  readonly residentBytes: number;
  readonly hostStateBytes: number;
  /** What is resident, by the kind of who holds it. */
  readonly byOwner: Readonly<Record<string, number>>;
}

/** Pages and states of a text model on the device. */
export interface RowsState {
  /** `resting`: no turn runs, and they may leave when others need the room. */
  readonly state: 'absent' | 'inUse' | 'resting' | 'leaving';
  readonly bytes: number;
  /** They are in use, and others wait for their room. */
  readonly isWanted: boolean;
  readonly pinned: boolean;
  /** How often they had to leave; sessions read their text again then. */
  readonly evictions: number;
}

/** Resident parameters that stages of one generation share. */
export interface BankState {
  readonly id: string;
  readonly state: 'absent' | 'activating' | 'resident' | 'deactivating';
  readonly bytes: number;
  /** Bytes of checkpoints: read so far, and in all, by the activation that runs or ran last. */
  readonly loadedBytes: number;
  readonly totalBytes: number;
  /** NaN and infinity among the values that it decoded. */
  readonly nonFinite: number;
  /** Admitted invocations that use it: it does not leave before they have ended. */
  readonly users: number;
  readonly pinned: boolean;
}

/** What `GET /admin/models/ID` says. `error` is the last failure, also of a failed replacement. */
export interface ModelState {
  readonly id: string;
  readonly state: DeploymentState;
  readonly profile: string | null;
  /** Of the generation that serves; 0 before the first one did. */
  readonly generation: number;
  /** Name of the device that it is on. */
  readonly device: string;
  /** Units that one cohort may hold; null before preparation. */
  readonly unitsMax: number | null;
  readonly inFlight: number;
  readonly waiting: number;
  readonly stages: readonly StageSummary[];
  readonly memory: ModelMemory | null;
  readonly banks: readonly BankState[];
  /** Null for models that keep no rows. */
  readonly rows: RowsState | null;
  readonly package: string;
  readonly error: StatusRecord | null;
}

/** `{"package": DIR}`: a folder on the server. The other form carries the document itself. */
export type RegisterBody =
  | {
      readonly kind: 'package';
      /** Absolute folder with a `model.json`, or a checkpoint that has none. */
      readonly package: string;
      /** Of a checkpoint without `model.json`; absent: the name of its folder or file. */
      readonly id?: string;
    }
  | {
      readonly kind: 'document';
      readonly id: string;
      /** Absolute folder on the server that the document's references start from. */
      readonly base: string;
      /** The `model.json` document as parsed; the package schema checks it. */
      readonly model: unknown;
    };

export interface RegisterOptions {
  readonly wait: boolean;
  /** By the command line, not by a request: a recording tells them apart. */
  readonly isOfStart?: boolean;
}

export interface Readiness {
  readonly ready: boolean;
  /** Why not, one sentence each; empty when ready. */
  readonly reasons: readonly string[];
}

/** A node of the live actor tree. */
export interface ActorNode {
  readonly address: string;
  readonly state: string;
  readonly thread: string;
  readonly children: readonly ActorNode[];
}

export interface Serving {
  infer(call: FiniteCall, options: CallOptions): Promise<FiniteResult>;
  models(): Promise<readonly ModelSummary[]>;
  /** Rejects with `notFound` when no such deployment accepts requests. */
  model(id: string): Promise<ModelSummary>;
  /**
   * Starts a registration. Without `wait` it resolves once the deployment exists (state
   * `registering` or `preparing`); with it, when that generation serves, and rejects when it failed
   * (`invalidArgument` or `failedPrecondition`, diagnostics in `details`).
   */
  register(body: RegisterBody, options: RegisterOptions): Promise<ModelState>;
  /** Resolves when the last accepted work of the deployment has finished. */
  unregister(id: string): Promise<ModelState>;
  /** Resolves when the banks of the generation that serves are resident. */
  warmUp(id: string): Promise<ModelState>;
  /** Asks its banks to leave, each with its last use; the next request brings them back. */
  deactivate(id: string): Promise<ModelState>;
  modelStates(): Promise<readonly ModelState[]>;
  modelState(id: string): Promise<ModelState>;
  /** Runs case 0 of each deployment through the real path; cached briefly by the server. */
  readiness(): Promise<Readiness>;
  describe(): Promise<ActorNode>;
  /** Sets the gauges of `metricTable` (http/metrics.ts); called before each scrape. */
  collect(sink: MetricSink): Promise<void>;
  /** Stops accepting and resolves when all accepted work ended, at the bound at the latest. */
  drain(boundMs: number): Promise<void>;
}

export type Labels = Readonly<Record<string, string>>;

/** Where measurements go; names and labels are those of `metricTable` in http/metrics.ts. */
export interface MetricSink {
  /** Adds to a counter. */
  add(name: string, labels: Labels, amount: number): void;
  /** Sets a gauge. */
  set(name: string, labels: Labels, value: number): void;
  /** Adds one observation to a histogram. */
  observe(name: string, labels: Labels, value: number): void;
}

/** Structured lines: an object of fields and a message. A pino logger fits. */
export interface Log {
  /** Absent: it writes all. */
  isLevelEnabled?(level: string): boolean;
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** What the operator chose. Paths are absolute; null means "the server decides". */
export interface StartOptions {
  /** `auto`, `local`, `webgpu` or `webgpu:NAME`: the one for packages that name none. */
  readonly device: string;
  /** Those that are open beside it, each with a budget of its own; absent: none. */
  readonly otherDevices?: readonly { readonly name: string; readonly memoryBytes: number | null }[];
  readonly threads: number | null;
  readonly modelThreads: number;
  /** Absent: two. */
  readonly preparationThreads?: number;
  readonly memoryBytes: number | null;
  readonly parameterRoots: readonly string[];
  readonly packageRoots: readonly string[];
  /** Folder for files that packages import from installed dependencies. */
  readonly cacheDir: string | null;
  /** Folder for saved sessions; null: none are saved. */
  readonly sessionDir: string | null;
  /** Requests that may wait for one deployment before 429. */
  readonly queueMax: number;
  /** Sessions without a turn for so long are closed; absent: after ten minutes. */
  readonly sessionIdleMs?: number;
  /** What becomes of sessions whose contents had to go; absent: they read their text again. */
  readonly evictedSessions?: EvictedSessions;
  readonly requestTimeoutMs: number;
  /** File that everything the actors do is recorded to; null: none. */
  readonly recordFile: string | null;
  readonly ports: Ports;
  readonly metrics: MetricSink;
  readonly log: Log;
}

/** A running server without packages; `serve` registers each through `serving.register`. */
export interface StartedServer {
  readonly serving: Serving;
  readonly text: TextServing;
  readonly observing: Observing;
  /** Of `--record`, for what arrives and leaves; absent or null: nothing is recorded. */
  readonly trafficSink?: TrafficSink | null;
  /** Ends every thread. Call after `drain`; safe to call twice. */
  close(): Promise<void>;
}

/** A whole server in one thread, on a virtual clock that moves only while `run` does. */
export interface SimulatedServer extends Omit<StartedServer, 'trafficSink'> {
  readonly ports: Ports;
  /** Makes steps until the work is done. */
  run<Result>(work: Promise<Result>): Promise<Result>;
  /** Holds steps back until this is done: it waits for a disk, and not for an actor. */
  outside<Result>(work: Promise<Result>): Promise<Result>;
}

export type SimulatedStart = StartOptions & {
  /** By which it is decided what happens next where several things could. */
  readonly seed: number;
};

/** One function, case or scenario of a package, checked. */
export interface CheckItem {
  readonly kind: 'function' | 'case' | 'scenario';
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped: sentences, rendered diagnostics, positions. */
  readonly details: readonly string[];
}

export interface CheckReport {
  readonly package: string;
  readonly items: readonly CheckItem[];
}

/** What compiling a package shows: sections of name and value, plain JSON. */
export interface PackageReport {
  readonly package: string;
  readonly id: string;
  readonly profile: string;
  readonly stages: readonly StageSummary[];
  readonly sections: readonly { readonly title: string; readonly rows: readonly ReportRow[] }[];
}
export interface ReportRow {
  readonly name: string;
  readonly value: string | number;
}

export type ToolOptions = StartOptions & {
  /** Absolute folder of the package. */
  readonly package: string;
  readonly onProgress: (done: number, total: number, label: string) => void;
};

/** A device that `--device` can name. */
export interface DeviceListing {
  readonly device: string;
  readonly description: string;
  readonly rows: readonly ReportRow[];
}

/** What a trace file holds. */
export interface TraceSummary {
  readonly seconds: number;
  /** Records that were left out while it was written. */
  readonly lost: number;
  /** Lines by type. */
  readonly counts: Readonly<Record<string, number>>;
  readonly threads: readonly string[];
}

/** What `actors/start.ts` exports; http imports it on first need only. */
export interface Composition {
  startServer(options: StartOptions): Promise<StartedServer>;
  /** The same actors, with a device that is simulated; of its ports only the time of day counts. */
  startSimulated(options: SimulatedStart): Promise<SimulatedServer>;
  /** Of the files of a package, as recordings have it; null where they cannot be read. */
  packageDigest(body: RegisterBody, options: StartOptions): Promise<string | null>;
  checkPackage(options: ToolOptions): Promise<CheckReport>;
  reportPackage(options: ToolOptions): Promise<PackageReport>;
  listDevices(): Promise<readonly DeviceListing[]>;
  /** What a trace holds; written as a Chrome trace, too, where `chromeFile` names one. */
  readTraceFile(options: {
    readonly file: string;
    readonly chromeFile: string | null;
  }): Promise<TraceSummary>;
}
