/**
 * How a bank gets its bytes: what preparation decided from checkpoint metadata alone. Plain data,
 * structured-clone safe; made on a preparation thread, carried out on the device thread.
 *
 * Holds: fields lie one behind the other at multiples of 256 bytes; steps name bytes that the index
 * of a checkpoint has vouched for; every field is covered by its steps, each part of it once.
 */
import type { TensorType } from './checkpoints/tensor-type.js';

/** A shard that preparation opened. Whoever holds the plan owns the descriptor. */
export interface OpenedFile {
  /** As the package names it, for messages. */
  readonly name: string;
  readonly descriptor: number;
  /** Length when it was indexed; a file that is shorter now fails the reads that touch its end. */
  readonly bytes: number;
  /** When it was last modified then, where it is known: one rewritten since activates no bank. */
  readonly modifiedMs?: number;
  /** A second descriptor of the same file, past the system's cache, which gathers read instead
   * (deployment.parameter_files); whoever closes the first closes it too. */
  readonly direct?: number;
}

/** A declared checkpoint: its shards in order. */
export interface OpenedSource {
  readonly files: readonly OpenedFile[];
}

export interface FieldPlace {
  /** Path inside the bank, `layer[3].qkv`. */
  readonly name: string;
  /** Bytes from the start of the bank's storage, and how many. */
  readonly offset: number;
  readonly bytes: number;
}

/** Bytes of one tensor: whole rows of it, or all. */
export interface TensorBytes {
  readonly tensor: string;
  readonly type: TensorType;
  /** Source ordinal of the generation, and shard in it. */
  readonly source: number;
  readonly shard: number;
  /** Bytes from the start of the shard, and how many. */
  readonly offset: number;
  readonly bytes: number;
}

export type LoadStep =
  /** Bytes go to the field as they are, or as f32 where `decode` says so. */
  | {
      readonly op: 'copy';
      readonly field: number;
      /** Bytes from the start of the field, and how many arrive there. */
      readonly offset: number;
      readonly length: number;
      readonly decode: boolean;
      readonly from: TensorBytes;
    }
  /** `rows` rows go through a kernel, at most `block` rows a launch. */
  | {
      readonly op: 'pack';
      readonly field: number;
      readonly loader: number;
      /** First row of the field, as the kernel counts. */
      readonly at: number;
      readonly rows: number;
      readonly block: number;
      /** Elements of one row. */
      readonly cols: number;
      readonly decode: boolean;
      readonly from: TensorBytes;
    }
  /** A kernel writes the whole field from nothing. */
  | { readonly op: 'fill'; readonly field: number; readonly loader: number };

export interface LoadPlan {
  /** Identity of the domain: ordered sources, policy, layout. Part of names on the device. */
  readonly key: string;
  /** For messages and progress: the policy and the bank. */
  readonly label: string;
  readonly fields: readonly FieldPlace[];
  /** Bytes of the bank's storage. */
  readonly bytes: number;
  /** Bytes of one of the two staging buffers that packing goes through; 0 without packing. */
  readonly stagingBytes: number;
  readonly steps: readonly LoadStep[];
  /** Ids on the device of the programs that steps name by index. */
  readonly loaders: readonly string[];
}

/** Bytes of checkpoint that a step reads. */
export const payloadBytes = (step: LoadStep): number => ('from' in step ? step.from.bytes : 0);

/** Words of the packet of a loader program: where the block goes, how many rows and columns. */
export const LOADER_PACKET_BYTES = 16;
/** Most bytes of one staging buffer. */
export const STAGING_BYTES_MAX = 16 * 1024 * 1024;
