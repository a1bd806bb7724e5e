/**
 * A tensor as policies hold it, and its rows. A row is the innermost axis: a matrix of 3 × 4 has
 * three rows of four elements, a vector is one row, a scalar one row of one element. Blocks of
 * quantised types lie along that axis, so whole rows are always whole bytes.
 */
import { StatusError } from '../base/errors.js';
import type { TensorEntry } from './checkpoints/checkpoint-index.js';
import { elementsOf } from './checkpoints/tensor-type.js';
import type { TensorBytes } from './load-plan.js';

/** What a `tensor` of a policy stands for. */
export class TensorHandle {
  readonly entry: TensorEntry;
  /** Source ordinal of the generation. */
  readonly source: number;

  constructor(entry: TensorEntry, source: number) {
    this.entry = entry;
    this.source = source;
  }
}

export interface RowShape {
  readonly rows: number;
  /** Elements of one row. */
  readonly cols: number;
  /** Bytes of one row as it is stored. */
  readonly bytes: number;
}

export function rowShape({ entry }: TensorHandle): RowShape {
  const cols = entry.shape.at(-1) ?? 1;
  const rows = elementsOf(entry.shape.slice(0, -1)) ?? 0;
  return { rows, cols, bytes: rows === 0 ? 0 : entry.bytes / rows };
}

/** Rows `first` to `first + rows` of a tensor. Throws for what is not inside it, or nothing. */
export function rowsOf(
  tensor: TensorHandle,
  { first, rows }: { readonly first: bigint; readonly rows: bigint },
): { readonly from: TensorBytes; readonly rows: number; readonly cols: number } {
  const { entry, source } = tensor;
  const shape = rowShape(tensor);
  const isInside = first >= 0n && rows >= 1n && first + rows <= BigInt(shape.rows);
  if (!isInside || shape.cols === 0) {
    throw new StatusError(
      'invalidArgument',
      `tensor ${JSON.stringify(entry.name)} of shape [${entry.shape.join(', ')}] has ` +
        `${shape.rows} rows of ${shape.cols} elements; asked for ${rows} rows from row ${first}`,
    );
  }
  const count = Number(rows);
  const from = {
    tensor: entry.name,
    type: entry.type,
    source,
    shard: entry.shard,
    offset: entry.offset + Number(first) * shape.bytes,
    bytes: count * shape.bytes,
  };
  return { from, rows: count, cols: shape.cols };
}
