/**
 * Reads of checkpoint bytes on demand, as the device layer sees them: what a submission asks for,
 * and who carries it out. The queue says when a read may begin and when it has retired; which
 * thread reads is the business of whoever implements `Gathers`.
 */
import type { StatusRecord } from '../base/errors.js';
import type { HostWindow } from './pool.js';

/** Bytes of one descriptor: entry-relative offset, target offset and length, little-endian u64. */
export const DESCRIPTOR_BYTES = 24;
/** Descriptors of one gather; with the key all that it keeps on the host. */
export const DESCRIPTORS_MAX = 65_536;

/** The checkpoint entry that a gather reads from, as the index of its source places it. */
export interface GatherEntry {
  readonly key: string;
  readonly source: number;
  readonly shard: number;
  /** Bytes from the start of the shard, and how many. */
  readonly offset: number;
  readonly bytes: number;
}

export interface GatherTarget extends HostWindow {
  readonly length: number;
}

/** One accepted gather, in the order in which its methods are called; `retired` comes always. */
export interface Gather {
  /** What it waited for has happened: its descriptors are copied now. */
  started(): void;
  /** Calls back exactly once, not before it returns. */
  read(
    descriptors: Uint8Array,
    target: GatherTarget,
    done: (failure: StatusRecord | null) => void,
  ): void;
  retired(failure: StatusRecord | null): void;
}

export interface Gathers {
  /** Throws when the scope has no such source open. */
  check(scope: string, entry: GatherEntry): void;
  /** From now on the files stay open until `retired`. */
  accept(scope: string, entry: GatherEntry): Gather;
}
