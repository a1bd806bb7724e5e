/**
 * What the server tells the console, as it is on the wire and in a trace file: charts, the tree of
 * actors and requests as `observing.ts` has them, and records. Times are milliseconds of the clock
 * of the server. Fields that an older trace may lack are optional.
 */
import type { ActorList, ThreadPresence } from '../observing.js';

export type {
  ChartState,
  ChartTransition,
  Explanation,
  ListedActor as TreeActor,
  MachineChart as Chart,
  ObservedRequest as RequestRow,
} from '../observing.js';

export interface Tree extends Omit<ActorList, 'threads'> {
  readonly threads: readonly (Pick<ThreadPresence, 'name'> & Partial<ThreadPresence>)[];
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
