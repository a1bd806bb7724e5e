/**
 * What a model's thread sends to the device thread for one invocation: storage to allocate, bytes
 * to upload, an ordered list of commands recorded by the `runner` capabilities, and what to read
 * back. Plain data, structured-clone safe; payload bytes are transferred. One message a cohort.
 *
 * Buffers, works and fences carry ids that are local to the invocation (small integers from 0).
 * The device thread maps them to storage, timeline points and fences, and answers with facts.
 */
import type { GatherEntry } from './gather.js';

/** Who pays for storage, and whose retirement gives it back. Ledgers are kept by this. */
export type OwnerKind = 'bank' | 'generation' | 'invocation' | 'row' | 'result' | 'request';
export interface Owner {
  readonly kind: OwnerKind;
  /** Deployment id: storage that passes to another deployment is cleared first. */
  readonly deployment: string;
  readonly id: string;
}

export interface BufferRange {
  readonly buffer: number;
  readonly offset: number;
  readonly length: number;
}

/**
 * lifetime: 'invocation' ends with the last accepted consumer of this invocation; 'result' is
 * handed to the `result` owner at retirement and lives until its lease is released; 'row' and
 * 'shared' name storage that exists already (`key`), kept by its own owner.
 *
 * `key` of a result is the id of its lease, unique on the device (default: `invocation#index`);
 * other submissions may name it as 'shared' from acceptance on and then wait for its producer. A
 * buffer of existing storage may be shorter than that storage.
 */
export interface SubmissionBuffer {
  readonly bytes: number;
  readonly lifetime: 'invocation' | 'result' | 'row' | 'shared';
  readonly key?: string;
}

export type SubmissionCommand =
  | {
      readonly op: 'execute';
      readonly work: number;
      readonly executable: string;
      readonly roots: readonly BufferRange[];
      /** Part of the command program (0 when it has none); parts of one group share workspace. */
      readonly part: number;
    }
  /** Copies a bounded final result to host slot `slot`, after `work` retired. A slot may be filled
   * again: each copy has bytes of its own, and facts list them in this order. */
  | {
      readonly op: 'feedback';
      readonly work: number;
      readonly source: BufferRange;
      readonly slot: number;
    }
  /** Copies bytes on the device, in order with the executions; equal lengths, no overlap. */
  | { readonly op: 'copy'; readonly source: BufferRange; readonly target: BufferRange }
  /** Sets every byte of `target`, in order with the executions. */
  | { readonly op: 'fill'; readonly target: BufferRange; readonly byte: number }
  /** fence `fence` captures exactly `work`. */
  | { readonly op: 'fence'; readonly fence: number; readonly work: number }
  /**
   * Reads ranges of a checkpoint entry into `target`, on a branch of its own: `descriptors` holds
   * 24 bytes a range (see `gather.ts`). It begins after fence `wait`; fence `fence` captures it.
   */
  | {
      readonly op: 'gather';
      readonly fence: number;
      readonly wait: number | null;
      readonly entry: GatherEntry;
      readonly descriptors: BufferRange;
      readonly target: BufferRange;
    }
  /** Later commands of this invocation wait for `fence` (null fences are never recorded). */
  | { readonly op: 'join'; readonly fence: number };

export interface Submission {
  readonly invocation: string;
  readonly owner: Owner;
  readonly buffers: readonly SubmissionBuffer[];
  readonly uploads: readonly { readonly target: BufferRange; readonly bytes: Uint8Array }[];
  readonly commands: readonly SubmissionCommand[];
  /** Compact snapshot for the host, concatenated in this order, taken after the last command. */
  readonly snapshot: readonly BufferRange[];
  /** Scope of the checkpoints that its gathers read; none without gathers. */
  readonly sources?: string;
  /** Key of existing storage that serves as the workspace of a command program with parts, so that
   * a later submission finds what the earlier part left. Without it parts share the workspace of
   * this submission, and the first to run is part 0. */
  readonly workspace?: string;
}

/** Facts about one submission, in this order: accepted, then exactly one of retired / failed. */
export interface SubmissionRetired {
  readonly invocation: string;
  /** The snapshot's bytes, one after another. */
  readonly snapshot: Uint8Array;
  readonly feedback: readonly { readonly slot: number; readonly bytes: Uint8Array }[];
  /** Results that live on under the device; each is given back by releasing its lease. */
  readonly results: readonly {
    readonly buffer: number;
    readonly lease: string;
    readonly bytes: number;
  }[];
  /** Milliseconds on the shared clock: accepted, started on the device, retired. */
  readonly times: { readonly accepted: number; readonly started: number; readonly retired: number };
}
