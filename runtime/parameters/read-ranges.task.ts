/**
 * Task of the reading threads: the ranges of one gather, from a checkpoint entry into memory that
 * threads share. Ranges that follow each other in file and target are read as one.
 */
import { StatusError } from '../base/errors.js';
import type { GatherEntry, GatherTarget } from '../hal/gather.js';
import { DiskParameterFile } from './checkpoints/disk-parameter-file.js';
import { gatherRanges, type GatherRange } from './gather-descriptors.js';
import type { OpenedFile } from './load-plan.js';

export interface ReadRanges {
  readonly file: OpenedFile;
  readonly entry: GatherEntry;
  readonly descriptors: Uint8Array;
  readonly target: GatherTarget;
}

/** Offsets, lengths and addresses of direct reads are multiples of this. */
export const DIRECT_ALIGNMENT = 4096;

/** Bytes read. */
export function readRanges({ file, entry, descriptors, target }: ReadRanges): number {
  const ranges = joined(gatherRanges(descriptors, entry, target.length));
  const { direct, descriptor } = file;
  const isDirect = direct !== undefined;
  if (isDirect) for (const range of ranges) checkAligned(range, entry, target.offset);
  const disk = DiskParameterFile.opened({ ...file, descriptor: isDirect ? direct : descriptor });
  let bytes = 0;
  for (const { from, to, length } of ranges) {
    const into = new Uint8Array(target.buffer, target.offset + to, length);
    try {
      disk.read(entry.offset + from, into);
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      const { code, message, ...options } = error.status;
      throw new StatusError(code, `entry '${entry.key}': ${message}`, options);
    }
    bytes += length;
  }
  return bytes;
}

function joined(ranges: readonly GatherRange[]): readonly GatherRange[] {
  const result: GatherRange[] = [];
  for (const range of ranges) {
    const last = result.at(-1);
    const follows =
      last !== undefined &&
      last.from + last.length === range.from &&
      last.to + last.length === range.to;
    if (follows) result[result.length - 1] = { ...last, length: last.length + range.length };
    else result.push(range);
  }
  return result;
}

function checkAligned(range: GatherRange, entry: GatherEntry, address: number): void {
  const parts = [
    ['file offset', entry.offset + range.from],
    ['length', range.length],
    ['target address', address + range.to],
  ] as const;
  for (const [what, value] of parts) {
    if (value % DIRECT_ALIGNMENT === 0) continue;
    throw new StatusError(
      'internal',
      `direct reads take multiples of ${DIRECT_ALIGNMENT} bytes; a gather from entry '${entry.key}' has ${what} ${value} (deployment.parameter_files: buffered reads any)`,
    );
  }
}
