/**
 * A range of device memory, as every seam of the device layer names it: a slab of the pool, a byte
 * offset and a length in that slab. Offsets are 64-bit by meaning (exact integers below 2^53), so a
 * driver with larger memory needs no other form. A range owns nothing; whoever allocated it does.
 */
import { StatusError } from '../base/errors.js';

export interface DeviceRange {
  readonly slab: number;
  readonly offset: number;
  readonly length: number;
}

/** `length` bytes of `range` from `offset` on; an error when they are not inside it. */
export function subRange(range: DeviceRange, offset: number, length: number): DeviceRange {
  if (!(offset >= 0 && length >= 0 && offset + length <= range.length)) {
    throw new StatusError(
      'outOfRange',
      `bytes ${offset}…${offset + length} are outside a buffer of ${range.length} bytes`,
    );
  }
  return { slab: range.slab, offset: range.offset + offset, length };
}

/** Whether two ranges share a byte. Empty ranges overlap nothing. */
export function rangesOverlap(left: DeviceRange, right: DeviceRange): boolean {
  if (left.slab !== right.slab || left.length === 0 || right.length === 0) return false;
  return left.offset < right.offset + right.length && right.offset < left.offset + left.length;
}
