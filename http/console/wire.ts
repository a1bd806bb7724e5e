/**
 * What the server tells the console, as it is on the wire and in a trace file: charts, the tree of
 * actors, records, requests. Times are milliseconds of the server's clock. Fields that an older
 * trace may lack are optional.
 */

export interface ChartState {
  readonly name: string;
  readonly description: string;
  readonly type: string;
  readonly tags: readonly string[];
}

export interface ChartTransition {
  readonly from: string;
  /** Empty for an eventless transition. */
  readonly event: string;
  readonly guard: string | null;
  readonly actions: readonly string[];
  /** The state itself, or nothing, where it does not move. */
  readonly to: string | null;
}

export interface Chart {
  readonly id: string;
  readonly path: string;
  readonly description: string;
  readonly initial: string;
  readonly states: readonly ChartState[];
  readonly transitions: readonly ChartTransition[];
}

export interface TreeActor {
  readonly address: string;
  readonly parent: string | null;
  readonly thread: string;
  /** The id of its machine, or the name of its kind. */
  readonly kind: string;
  readonly state: string | null;
  readonly mailbox: number;
  /** Age of the oldest message that waits. */
  readonly oldestMs: number | null;
}

export interface Tree {
  readonly nowMs: number;
  /** A thread that does not answer is busy or stuck; its actors are missing. */
  readonly threads: readonly { readonly name: string; readonly answers?: boolean }[];
  readonly actors: readonly TreeActor[];
}

export interface TurnRecord {
  readonly type: 'message';
  readonly startMs: number;
  readonly endMs: number;
  readonly id: string;
  readonly cause: string | null;
  readonly from: string;
  readonly to: string;
  readonly kind: string;
  readonly role: string;
  readonly lane: string;
}

export interface TransitionRecord {
  readonly type: 'transition';
  readonly atMs: number;
  readonly actor: string;
  /** Id of the message in whose turn it was. */
  readonly cause?: string | null;
  readonly from: string;
  readonly to: string;
  readonly event: string;
}

export interface WorkRecord {
  readonly type: 'work';
  readonly device: string;
  /** Who submitted it: the address of a cohort or an epoch, or a name. */
  readonly invocation: string;
  readonly acceptedMs: number;
  readonly startedMs: number | null;
  /** Null while it is on the device; the same work is told once more when it has left. */
  readonly retiredMs: number | null;
  readonly failed: boolean;
  readonly uploadBytes?: number;
  readonly readbackBytes?: number;
}

export interface MemoryRecord {
  readonly type: 'memory';
  readonly atMs: number;
  readonly device: string;
  readonly budget: number;
  readonly resident: number;
  readonly reserved: number;
  readonly byOwner: readonly {
    readonly kind: string;
    readonly deployment: string;
    readonly bytes: number;
  }[];
}

export type WireRecord =
  | TurnRecord
  | TransitionRecord
  | WorkRecord
  | MemoryRecord
  | {
      readonly type: 'unexpected';
      readonly atMs: number;
      readonly actor: string;
      readonly state: string;
      readonly event: string;
    }
  | {
      readonly type: 'spawn';
      readonly atMs: number;
      readonly actor: string;
      readonly parent: string;
      readonly incarnation: number;
      readonly kind?: string;
    }
  | {
      readonly type: 'stop';
      readonly atMs: number;
      readonly actor: string;
      readonly reason: { readonly kind: string };
    }
  | {
      readonly type: 'deadLetter';
      readonly letter: {
        readonly atMs: number;
        readonly reason: string;
        readonly id: string;
        readonly from: string;
        readonly to: string;
        readonly kind: string;
      };
    };

export interface RecordBatch {
  readonly nowMs: number;
  /** Records that were dropped since the last batch: the ring or the reader was too slow. */
  readonly lost: number;
  readonly records: readonly WireRecord[];
}

export interface RequestRow {
  readonly id: string;
  readonly address: string;
  readonly kind: string;
  readonly state: string;
  readonly ageMs: number;
  readonly waitingFor: string | null;
}

/** When a record was made: of a turn its end, after what it did; of work its acceptance. */
export function timeOf(record: WireRecord): number {
  switch (record.type) {
    case 'message':
      return record.endMs;
    case 'work':
      return record.acceptedMs;
    case 'deadLetter':
      return record.letter.atMs;
    default:
      return record.atMs;
  }
}

/** The actor that a record is about; null for those of a device. */
export function actorOf(record: WireRecord): string | null {
  switch (record.type) {
    case 'message':
      return record.to;
    case 'deadLetter':
      return record.letter.to;
    case 'work':
    case 'memory':
      return null;
    default:
      return record.actor;
  }
}

/** Why a request is not done, from what it waits for itself to what that waits for in turn. */
export interface Explanation {
  readonly request: string;
  readonly model: string;
  readonly state: string | null;
  readonly ageMs: number;
  readonly waiting: readonly {
    readonly reason: string;
    readonly text: string;
    readonly unblockedBy: string;
  }[];
}
