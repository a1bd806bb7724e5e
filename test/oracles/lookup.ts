/**
 * What models/lookup must answer, and the checkpoints that it reads. Numbers have 16 bits, so f32
 * holds them exactly; the oracle adds in double precision.
 */
import { writeSafetensors } from '../../runtime/parameters/checkpoints/safetensors-writer.js';

/** Largest difference of any value: f32 rounding of sums of at most 128 terms. */
export const lookupBound = 2e-6;
export const vocabulary = 1024;

const tables = [
  { file: 'coarse.safetensors', rows: vocabulary / 4, width: 64, ids: 4 },
  { file: 'fine.safetensors', rows: vocabulary, width: 32, ids: 1 },
] as const;

function valueOf(table: number, at: number): number {
  const product = ((at + table * 1_000_003) * 2_654_435_761) % 2 ** 32;
  return Math.floor(product / 65_536) / 32_768 - 1;
}

/** By file name. */
export function lookupCheckpoints(): ReadonlyMap<string, Uint8Array> {
  return new Map(
    tables.map(({ file, rows, width }, table) => {
      const values = Float32Array.from({ length: rows * width }, (_, at) => valueOf(table, at));
      const bytes = new Uint8Array(values.buffer);
      const tensor = {
        name: 'embedding.weight',
        type: 'F32',
        shape: [rows, width],
        bytes,
      } as const;
      return [file, writeSafetensors([tensor])] as const;
    }),
  );
}

export function lookupOracle(tokens: readonly number[]): Float32Array {
  const means = tables.flatMap(({ width, ids }, table) =>
    Array.from({ length: width }, (_, column) => {
      const rows = tokens.map((token) => Math.floor(token / ids));
      const values = rows.map((row) => valueOf(table, row * width + column));
      return values.reduce((sum, value) => sum + value, 0) / tokens.length;
    }),
  );
  const length = Math.hypot(...means);
  return Float32Array.from(means, (value) => value / length);
}
