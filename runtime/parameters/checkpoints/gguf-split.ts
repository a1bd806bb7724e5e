/**
 * A GGUF checkpoint in pieces says so in its metadata: how many there are, which one a file is, and
 * how many tensors all of them have. A missing or exchanged piece is noticed before anything is
 * placed. Files without these keys are shards that somebody put together; nothing is asked of them.
 */
import { checkpointFault } from './checkpoint-fault.js';
import type { ShardIndex } from './checkpoint-index.js';
import type { ParameterFile } from './parameter-file.js';

export function requireWholeSplit(
  files: readonly ParameterFile[],
  shards: readonly ShardIndex[],
): void {
  const total = shards.reduce((sum, { tensors }) => sum + tensors.length, 0);
  for (const [ordinal, file] of files.entries()) {
    const metadata = shards[ordinal]?.metadata;
    // Tools that put pieces together leave a count of zero behind.
    if (Number(metadata?.get('split.count') ?? 0) < 2) continue;
    requireKey(file.name, 'split.count', {
      stated: metadata?.get('split.count'),
      is: files.length,
    });
    requireKey(file.name, 'split.no', { stated: metadata?.get('split.no'), is: ordinal });
    const stated = metadata?.get('split.tensors.count');
    requireKey(file.name, 'split.tensors.count', { stated, is: total });
  }
}

function requireKey(file: string, key: string, { stated, is }: { stated: unknown; is: number }) {
  if (stated === undefined || stated === is) return;
  const expected = `${String(stated)}, as the file says`;
  throw checkpointFault(file, { place: `metadata "${key}"`, expected, found: `${is}` });
}
