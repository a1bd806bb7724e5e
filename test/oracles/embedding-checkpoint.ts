/**
 * The checkpoint of models/embedding-weighted: the numbers of models/embedding, which are multiples
 * of 2^-23, as two shards. Both packages must answer the same.
 */
import { writeSafetensors } from '../../runtime/parameters/checkpoints/safetensors-writer.js';
import { embeddingCoefficients } from './embedding.js';

function shard(name: string, rows: number, cols: number, sequence: 0 | 1): Uint8Array {
  const values = embeddingCoefficients(sequence, rows * cols);
  const bytes = new Uint8Array(values.buffer);
  return writeSafetensors([{ name, type: 'F32', shape: [rows, cols], bytes }]);
}

/** By file name. */
export function embeddingCheckpoint(): ReadonlyMap<string, Uint8Array> {
  return new Map([
    ['weights-1.safetensors', shard('embedding.weight', 320, 64, 0)],
    ['weights-2.safetensors', shard('projection.weight', 64, 32, 1)],
  ]);
}
