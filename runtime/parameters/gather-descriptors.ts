/**
 * Descriptors of a gather: parsed and checked before a byte is read. Pure. A package's program made
 * them, so what is wrong with them is `internal`, not the fault of who asked.
 */
import { StatusError } from '../base/errors.js';
import { DESCRIPTOR_BYTES, type GatherEntry } from '../hal/gather.js';

export interface GatherRange {
  /** Bytes from the start of the entry. */
  readonly from: number;
  /** Bytes from the start of the target. */
  readonly to: number;
  readonly length: number;
}

/** Ranges that transfer something, in the order of their descriptors. */
export function gatherRanges(
  descriptors: Uint8Array,
  entry: GatherEntry,
  targetBytes: number,
): readonly GatherRange[] {
  const view = new DataView(descriptors.buffer, descriptors.byteOffset, descriptors.byteLength);
  const ranges: GatherRange[] = [];
  for (let at = 0; at < descriptors.length; at += DESCRIPTOR_BYTES) {
    const [from, to, length] = [0, 8, 16].map((word) => view.getBigUint64(at + word, true));
    const index = at / DESCRIPTOR_BYTES;
    if (length === 0n) continue;
    within(from! + length!, entry.bytes, `descriptor ${index} reads`, `entry '${entry.key}'`);
    within(to! + length!, targetBytes, `descriptor ${index} writes`, 'the target');
    ranges.push({ from: Number(from), to: Number(to), length: Number(length) });
  }
  checkDisjoint(ranges);
  return ranges;
}

function within(end: bigint, bytes: number, what: string, where: string): void {
  if (end <= BigInt(bytes)) return;
  throw new StatusError('internal', `${what} up to byte ${end} of ${where}, which has ${bytes}`);
}

function checkDisjoint(ranges: readonly GatherRange[]): void {
  const sorted = [...ranges].sort((left, right) => left.to - right.to);
  sorted.slice(1).forEach((range, index) => {
    const before = sorted[index]!;
    const end = before.to + before.length;
    if (end <= range.to) return;
    throw new StatusError(
      'internal',
      `two descriptors write byte ${range.to} of the target: one covers ${before.to} to ${end}, the other starts at ${range.to}`,
    );
  });
}
