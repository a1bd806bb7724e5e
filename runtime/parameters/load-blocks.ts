/**
 * The blocks of a load plan, in order: pieces small enough to be in flight a few at a time. Pure.
 */
import { blockLayouts } from './checkpoints/tensor-type.js';
import type { LoadPlan, LoadStep, TensorBytes } from './load-plan.js';

/** Bytes of a copy that one read takes, source and target alike. */
const COPY_BYTES_MAX = 16 * 1024 * 1024;

type Copy = Extract<LoadStep, { op: 'copy' }>;
type Pack = Extract<LoadStep, { op: 'pack' }>;

/** A piece of a step; one that is packed has at most the rows of a block, of `length` bytes. */
export type LoadBlock =
  Exclude<LoadStep, { op: 'pack' }> | (Omit<Pack, 'block'> & { readonly length: number });

export function* loadBlocks(plan: LoadPlan): Generator<LoadBlock> {
  for (const step of plan.steps) {
    if (step.op === 'copy') yield* copyBlocks(step);
    else if (step.op === 'pack') yield* packBlocks(step);
    else yield step;
  }
}

function* copyBlocks(step: Copy): Generator<LoadBlock> {
  const { from, length } = step;
  const unit = blockLayouts[from.type];
  const units = from.bytes / unit.bytes;
  const targetUnit = units === 0 ? 0 : length / units;
  const most = Math.floor(COPY_BYTES_MAX / Math.max(unit.bytes, targetUnit));
  for (let first = 0; first < units; first += most) {
    const count = Math.min(most, units - first);
    yield {
      op: 'copy',
      field: step.field,
      offset: step.offset + first * targetUnit,
      length: count * targetUnit,
      decode: step.decode,
      from: part(from, first * unit.bytes, count * unit.bytes),
    };
  }
}

function* packBlocks(step: Pack): Generator<LoadBlock> {
  const { from, rows, block, cols, decode, field, loader } = step;
  const rowBytes = from.bytes / rows;
  for (let first = 0; first < rows; first += block) {
    const count = Math.min(block, rows - first);
    yield {
      op: 'pack',
      field,
      loader,
      at: step.at + first,
      rows: count,
      cols,
      length: decode ? count * cols * 4 : count * rowBytes,
      decode,
      from: part(from, first * rowBytes, count * rowBytes),
    };
  }
}

const part = (from: TensorBytes, first: number, bytes: number): TensorBytes => ({
  ...from,
  offset: from.offset + first,
  bytes,
});
