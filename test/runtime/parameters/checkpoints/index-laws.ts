/** What every index promises, checked without the code that makes it. */
import { StatusError } from '../../../../runtime/base/errors.js';
import { indexCheckpoint } from '../../../../runtime/parameters/checkpoints/index-checkpoint.js';
import type { CheckpointIndex } from '../../../../runtime/parameters/checkpoints/checkpoint-index.js';
import { MemoryParameterFile } from '../../../../runtime/parameters/checkpoints/parameter-file.js';

/** A file that counts what is read, so that an index cannot be bought with the payload. */
class WatchedFile extends MemoryParameterFile {
  bytesRead = 0;

  override read(offset: number, into: Uint8Array): void {
    this.bytesRead += into.length;
    super.read(offset, into);
  }
}

/** Throws for anything that is neither a proper refusal nor a sound index. */
export function outcomeOf(bytes: Uint8Array): 'refused' | 'sound' {
  const file = new WatchedFile('damaged', bytes);
  let index: CheckpointIndex;
  try {
    index = indexCheckpoint([file]);
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    const isNamed = error.code === 'invalidArgument' && error.message.startsWith('damaged: ');
    if (!isNamed || error.message.length > 700) throw error;
    return 'refused';
  }
  requireSound(index, bytes);
  if (file.bytesRead > bytes.length + 64) throw new Error(`${file.bytesRead} bytes were read`);
  return 'sound';
}

function requireSound({ tensors }: CheckpointIndex, bytes: Uint8Array): void {
  const owners = new Map<number, string>();
  for (const [name, tensor] of tensors) {
    if (tensor.name !== name || tensor.shard !== 0) throw new Error(`${name} is filed wrongly`);
    for (let at = tensor.offset; at < tensor.offset + tensor.bytes; at += 1) {
      if (at >= bytes.length) throw new Error(`${name} reaches beyond the file`);
      if (owners.has(at)) throw new Error(`byte ${at} is of ${name} and of ${owners.get(at)}`);
      owners.set(at, name);
    }
  }
}
