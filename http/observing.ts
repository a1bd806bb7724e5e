/**
 * The seam between the console and what it looks at, beside `Serving`: the machines as charts, the
 * live actors, what they recorded, and why a request waits. Plain data; `actors/` implements it.
 * Whoever looks is never waited for: a thread that does not answer is left out and named.
 */

/** A machine as the one that runs is defined. */
export interface MachineChart {
  /** What the tree gives as the kind of the actors that run it. */
  readonly id: string;
  /** Of its source, below `actors/`. */
  readonly path: string;
  readonly description: string;
  /** Name of the initial state. */
  readonly initial: string;
  /** Parents before children; the name of a child is its parent's, a dot and its own. */
  readonly states: readonly ChartState[];
  readonly transitions: readonly ChartTransition[];
}

export interface ChartState {
  readonly name: string;
  readonly description: string;
  readonly type: 'atomic' | 'compound' | 'final';
  readonly tags: readonly string[];
}

export interface ChartTransition {
  readonly from: string;
  /** Empty for one that is taken as soon as its guard holds. */
  readonly event: string;
  readonly guard: string | null;
  readonly actions: readonly string[];
  /** Null for one that stays where it is. */
  readonly to: string | null;
}

export interface ActorList {
  readonly nowMs: number;
  readonly threads: readonly ThreadPresence[];
  /** Parents before children, thread by thread. */
  readonly actors: readonly ListedActor[];
}

export interface ThreadPresence {
  readonly name: string;
  /** False: its actors are missing from the list, because it is busy or stuck. */
  readonly answers: boolean;
}

export interface ListedActor {
  readonly address: string;
  /** Null for those that its thread started. In another thread where it was spawned from there. */
  readonly parent: string | null;
  readonly thread: string;
  /** Id of its machine; a name for actors without. */
  readonly kind: string;
  /** Null for actors without a machine. */
  readonly state: string | null;
  /** Messages that wait. */
  readonly mailbox: number;
  /** For how long, at least, the oldest of them has waited. */
  readonly oldestMs: number | null;
}

export interface ObservedRequest {
  /** Its `x-request-id`. */
  readonly id: string;
  readonly address: string;
  readonly kind: string;
  readonly state: string;
  readonly ageMs: number;
  /** A sentence; null when it does not wait. */
  readonly waitingFor: string | null;
}

export type WaitReason =
  | 'thread'
  | 'routing'
  | 'preparing'
  | 'specialization'
  | 'bank'
  | 'budget'
  | 'stageLimit'
  | 'cohort'
  | 'units'
  | 'tag'
  | 'alone'
  | 'row'
  | 'pages'
  | 'epoch'
  | 'credit'
  | 'control'
  | 'fence'
  | 'work';

/** One thing that is waited for. */
export interface Waiting {
  readonly reason: WaitReason;
  /** What it waits for, as a sentence with numbers and names. */
  readonly text: string;
  /** What would let it go on. */
  readonly unblockedBy: string;
  /** Of what the sentences were made. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Why a request is not done. */
export interface Explanation {
  readonly request: string;
  readonly model: string;
  /** Null before an actor has it. */
  readonly address: string | null;
  readonly thread: string | null;
  readonly kind: string | null;
  readonly state: string | null;
  readonly ageMs: number;
  /**
   * From what it waits for itself to what that waits for in turn: the last is what holds it up.
   * Empty when it does not wait.
   */
  readonly waiting: readonly Waiting[];
}

/** Records since the reader asked last; `text` is the JSON of {nowMs, lost, records}. */
export interface RecordEvent {
  readonly id: number;
  readonly text: string;
}

/** Whoever reads slowly gets fewer records and is told how many are missing. */
export interface RecordReader {
  /** The next records, when there are some; null after `close`. */
  next(): Promise<RecordEvent | null>;
  close(): void;
}

export interface Observing {
  charts(): Promise<readonly MachineChart[]>;
  tree(): Promise<ActorList>;
  requests(): Promise<readonly ObservedRequest[]>;
  /** Requests that have this id: clients choose ids. Rejects with `notFound` when none has. */
  explain(requestId: string): Promise<readonly Explanation[]>;
  readonly isRecording: boolean;
  /** A recording to a file goes on whatever is said here. */
  setRecording(isOn: boolean): Promise<void>;
  /** From the event after `from`, as far as it is still kept; null: from now on. */
  records(from: number | null): RecordReader;
  /** What is kept of the recording, as the lines of a trace file or as one Chrome trace. */
  trace(form: 'loom' | 'chrome'): Iterable<string>;
  /** Every reader ends: the server stops. */
  close(): void;
}
