/**
 * What an observer of a system is told. Without one a record costs a branch and no allocation.
 * Times are milliseconds of the process clock. Records are plain data.
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
      readonly reason: StopReason;
    }
  | { readonly type: 'deadLetter'; readonly letter: DeadLetter };

export interface Recorder {
  record(record: SystemRecord): void;
}
