/** Checkpoints of a generation as its warm programs name them: by source ordinal and entry key. */
import { StatusError } from '../base/errors.js';
import type { GatherEntry } from '../hal/gather.js';
import type { ReadableSource } from '../modules/weights.js';
import type { CheckpointIndex } from '../parameters/checkpoints/checkpoint-index.js';
import { nearestText } from '../parameters/nearest-keys.js';

/** Characters of a key that a message repeats. */
const KEY_SHOWN = 128;

/** The source of an ordinal, or an error that says which there are. */
export function sourceAt(indexes: readonly CheckpointIndex[], ordinal: bigint): ReadableSource {
  const index = ordinal < 0n ? undefined : indexes[Number(ordinal)];
  if (index !== undefined) return { ordinal: Number(ordinal), index };
  const known = indexes.length === 0 ? 'no source' : `sources 0 to ${indexes.length - 1}`;
  throw new StatusError('internal', `source ${ordinal}: the package declared ${known}`);
}

/** Where the bytes of an entry lie, for a gather. */
export function entryAt(
  indexes: readonly CheckpointIndex[],
  ordinal: bigint,
  key: string,
): GatherEntry {
  const { index, ordinal: source } = sourceAt(indexes, ordinal);
  const entry = index.tensors.get(key);
  if (entry !== undefined) {
    const { shard, offset, bytes } = entry;
    return { key, source, shard, offset, bytes };
  }
  const near = nearestText(key, index.tensors.keys());
  const shown = JSON.stringify(key.slice(0, KEY_SHOWN));
  throw new StatusError('internal', `source ${ordinal} has no entry ${shown}${near}`);
}
