/**
 * What an observer of a system is told. Without one a record costs a branch and no allocation.
 * Times are milliseconds of the process clock, one for all threads. Records are plain data: whoever
 * keeps them holds nothing of what they tell about.
 */
import type { Address } from './address.js';
import type { DeadLetter } from './dead-letters.js';
import type { Lane, Role } from './envelope.js';
import type { StopReason } from './stop-reason.js';

export type SystemRecord =
  /** A turn: the message was handled from `startMs` to `endMs`. */
  | {
      readonly type: 'message';
      readonly startMs: number;
      readonly endMs: number;
      readonly id: string;
      readonly cause: string | null;
      readonly from: Address;
      readonly to: Address;
      readonly kind: string;
      readonly role: Role;
      readonly lane: Lane;
    }
  | {
      readonly type: 'transition';
      readonly atMs: number;
      readonly actor: Address;
      /** Id of the message in whose turn it was. */
      readonly cause: string | null;
      readonly from: string;
      readonly to: string;
      readonly event: string;
    }
  | {
      readonly type: 'unexpected';
      readonly atMs: number;
      readonly actor: Address;
      readonly state: string;
      readonly event: string;
    }
  | {
      readonly type: 'spawn';
      readonly atMs: number;
      readonly actor: Address;
      readonly parent: Address;
      /** 0 at the first start, then one more at each restart. */
      readonly incarnation: number;
    }
  | {
      readonly type: 'stop';
      readonly atMs: number;
      readonly actor: Address;
      /** Without the output of a machine, which may be large and belongs to others. */
      readonly reason: StopReason;
    }
  /** A question from outside of all actors, and by which name its asker knows it. */
  | {
      readonly type: 'asked';
      readonly atMs: number;
      /** The door that it came through. */
      readonly actor: Address;
      readonly message: string;
      readonly label: string;
    }
  | { readonly type: 'deadLetter'; readonly letter: DeadLetter }
  | WorkRecord
  | MemoryRecord;

/** Told twice: when a device has accepted it, and when its last use is over. */
export interface WorkRecord {
  readonly type: 'work';
  /** The actor that owns the device. */
  readonly device: Address;
  /** Unique; the address of whoever submitted it, where an actor did. */
  readonly invocation: string;
  readonly acceptedMs: number;
  /** Null while nothing of it has run, and when nothing ever did. */
  readonly startedMs: number | null;
  /** Null at acceptance. */
  readonly retiredMs: number | null;
  readonly failed: boolean;
  readonly commands: number;
  readonly uploadBytes: number;
  readonly readbackBytes: number;
}

/** The books of a device after each change. */
export interface MemoryRecord {
  readonly type: 'memory';
  readonly atMs: number;
  readonly device: Address;
  readonly budget: number;
  readonly resident: number;
  readonly reserved: number;
  readonly byOwner: readonly {
    readonly kind: string;
    readonly deployment: string;
    readonly bytes: number;
  }[];
}

export interface Recorder {
  record(record: SystemRecord): void;
}
