/**
 * What the header of a checkpoint says, once everything in it has been checked: plain data that may
 * cross threads and outlive the files. Every entry lies inside its shard, has exactly the bytes of
 * its type and shape, and shares them with no other entry. Names are unique over all shards.
 */
import type { TensorType } from './tensor-type.js';

export type CheckpointFormat = 'safetensors' | 'gguf';

export interface TensorEntry {
  readonly name: string;
  readonly type: TensorType;
  /** Outermost extent first, in both formats; a scalar has none. */
  readonly shape: readonly number[];
  /** Which shard, in the order of declaration. */
  readonly shard: number;
  /** Offset in the file of the shard. */
  readonly offset: number;
  readonly bytes: number;
}

/** Integers are numbers where a safe integer holds them, otherwise bigints. */
export type MetadataValue = string | number | bigint | boolean | readonly MetadataValue[];

export interface CheckpointShard {
  readonly name: string;
  readonly bytes: number;
}

export interface CheckpointIndex {
  readonly format: CheckpointFormat;
  readonly shards: readonly CheckpointShard[];
  /** In the order of the headers, shard after shard. */
  readonly tensors: ReadonlyMap<string, TensorEntry>;
  /** Of a key that several shards have, the first one counts. */
  readonly metadata: ReadonlyMap<string, MetadataValue>;
}

/** What one shard contributes. */
export interface ShardIndex {
  readonly tensors: readonly TensorEntry[];
  readonly metadata: ReadonlyMap<string, MetadataValue>;
}
