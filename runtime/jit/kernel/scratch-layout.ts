/**
 * Where a kernel's shared and private arrays lie in a worker's scratch, counted from the end of the
 * sink: shared arrays, then the buffer of reductions, then per-lane private arrays (lane-major, so
 * one address a lane reaches them all). With one lane privates are locals and take no memory.
 */
import type { Kernel } from '../../loom/typed.js';
import { sizeOf } from '../numeric/shape.js';
import { visitBlock } from '../typed-walk.js';

const ALIGN = 16;

export interface ScratchLayout {
  /** Byte offsets of shared arrays, by id. */
  readonly shared: readonly number[];
  readonly sharedBytes: number;
  /** Where reductions copy their operands. */
  readonly reduction: number;
  readonly privateBase: number;
  /** Byte offsets of private arrays inside a lane's part. */
  readonly privates: readonly number[];
  readonly privateStride: number;
  readonly bytes: number;
}

const align = (bytes: number) => Math.ceil(bytes / ALIGN) * ALIGN;

export function layScratch(kernel: Kernel): ScratchLayout {
  let at = 0;
  const place = (bytes: number) => {
    const offset = at;
    at = align(at + bytes);
    return offset;
  };
  const shared = kernel.shared.map((array) => place(sizeOf(array.type) * array.count));
  const sharedBytes = at;
  const reduction = place(reductionBytes(kernel));
  const privateBase = at;
  at = 0;
  const inMemory = kernel.lanes > 1;
  const privates = kernel.privates.map((array) =>
    inMemory ? place(sizeOf(array.type) * array.count) : 0,
  );
  const privateStride = at;
  const bytes = privateBase + privateStride * kernel.lanes;
  return { shared, sharedBytes, reduction, privateBase, privates, privateStride, bytes };
}

function reductionBytes(kernel: Kernel): number {
  let bytes = 0;
  visitBlock(kernel.body, {
    expression: (expr) => {
      if (expr.op !== 'reduce') return;
      bytes = Math.max(bytes, expr.count * sizeOf(kernel.shared[expr.shared]!.type));
    },
  });
  return bytes;
}
