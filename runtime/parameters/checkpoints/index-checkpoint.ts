/**
 * Makes the index of a checkpoint from the headers of its files, in the order of declaration. The
 * format is told by content; all shards have the same one. Throws for whatever it cannot vouch for;
 * payloads are not read.
 */
import { StatusError } from '../../base/errors.js';
import { checkpointFault, tensorPlace } from './checkpoint-fault.js';
import type {
  CheckpointFormat,
  CheckpointIndex,
  MetadataValue,
  ShardIndex,
  TensorEntry,
} from './checkpoint-index.js';
import { checkpointLimits } from './checkpoint-limits.js';
import { requireNoPointer } from './checkpoint-pointer.js';
import { ggufMagic, indexGguf } from './gguf-index.js';
import type { ParameterFile } from './parameter-file.js';
import { requireWholeSplit } from './gguf-split.js';
import { indexSafetensors } from './safetensors-index.js';

export function indexCheckpoint(files: readonly ParameterFile[]): CheckpointIndex {
  const [first] = files;
  if (first === undefined) {
    throw new StatusError('invalidArgument', 'a checkpoint has at least one file, found none');
  }
  const format = formatOf(first);
  const shards: ShardIndex[] = [];
  const tensors = new Map<string, TensorEntry>();
  const metadata = new Map<string, MetadataValue>();
  for (const [shard, file] of files.entries()) {
    requireFormat(file, format, first);
    const index = format === 'gguf' ? indexGguf(file, shard) : indexSafetensors(file, shard);
    for (const tensor of index.tensors) addTensor(tensors, tensor, files);
    for (const [key, value] of index.metadata) if (!metadata.has(key)) metadata.set(key, value);
    shards.push(index);
  }
  if (format === 'gguf') requireWholeSplit(files, shards);
  return {
    format,
    shards: files.map(({ name, bytes }) => ({ name, bytes })),
    tensors,
    metadata,
  };
}

/** One file by itself, before the others of its checkpoint are there: throws as the index would. */
export function checkShard(file: ParameterFile): void {
  if (formatOf(file) === 'gguf') indexGguf(file, 0);
  else indexSafetensors(file, 0);
}

function addTensor(
  tensors: Map<string, TensorEntry>,
  tensor: TensorEntry,
  files: readonly ParameterFile[],
): void {
  const fault = (expected: string, found: string) =>
    checkpointFault(files[tensor.shard]?.name ?? '', {
      place: tensorPlace(tensor.name),
      expected,
      found,
    });
  const other = tensors.get(tensor.name);
  if (other !== undefined) {
    const found = `it in ${files[other.shard]?.name} as well`;
    throw fault('each name once in all shards', found);
  }
  if (tensors.size === checkpointLimits.tensors) {
    throw fault(`at most ${checkpointLimits.tensors} tensors in all shards`, 'more');
  }
  tensors.set(tensor.name, tensor);
}

function requireFormat(file: ParameterFile, format: CheckpointFormat, first: ParameterFile): void {
  const own = formatOf(file);
  if (own === format) return;
  throw checkpointFault(file.name, {
    place: 'format',
    expected: `${format}, as ${first.name} has it`,
    found: own,
  });
}

/** A size of safetensors that reads as "GGUF" would be far beyond the limit: no file is both. */
function formatOf(file: ParameterFile): CheckpointFormat {
  const start = new Uint8Array(Math.min(file.bytes, 9));
  file.read(0, start);
  const isGguf = start.length >= 4 && new DataView(start.buffer).getUint32(0, true) === ggufMagic;
  if (isGguf) return 'gguf';
  if (start[8] === '{'.charCodeAt(0)) return 'safetensors';
  requireNoPointer(file);
  throw checkpointFault(file.name, {
    place: 'format',
    expected: 'a GGUF or safetensors header',
    found: start.length < 9 ? `a file of ${file.bytes} bytes` : `bytes ${hex(start)}`,
  });
}

const hex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
