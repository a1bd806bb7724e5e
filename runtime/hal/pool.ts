/**
 * Device memory in use: ranges of physical slabs, handed out and taken back in queue order. Which
 * driver lies below does not show; who pays for a range is the ledger's business, and the pool
 * never decides whether something fits the budget.
 */
import type { DeviceRange } from './buffer.js';
import type { Fence } from './fence.js';

/** Device memory that is host memory too: any thread may write it while the queue lets it. */
export interface HostWindow {
  readonly buffer: SharedArrayBuffer;
  readonly offset: number;
}

/**
 * What storage is for. Some devices bind bytes that only loaders write and bytes that any program
 * writes in different ways, and never both kinds out of one slab.
 */
export type StorageFamily = 'constant' | 'mutable';

/** What new storage holds: anything of its own deployment, or zeros. */
export type StorageContents = 'any' | 'zeros';

/** Physical slabs of a device: what a pool is made of. Bytes start as zero. */
export interface SlabMemory {
  /** Most bytes that a slab can grow to, and why there are no more. */
  readonly slabBytesMax: number;
  readonly slabs: number;
  slabBytes(slab: number): number;
  /** Whether ranges of this slab may be of that family. */
  serves(slab: number, family: StorageFamily): boolean;
  /** Makes slab `slab` at least `bytes` long; false when it cannot grow or the machine has not got
   * them. */
  grow(slab: number, bytes: number): boolean;
  /** Where host threads see the range; null where only commands reach it. */
  window(range: DeviceRange): HostWindow | null;
  /** Sets every byte at once, outside the queue: only for bytes that no accepted work uses. */
  fill(range: DeviceRange, byte: number): void;
}

export interface Pool {
  /**
   * A range of at least `bytes`, 256-aligned, of exactly the rounded size. Bytes that another
   * deployment left are cleared; of `zeros` all that are not zero already, its own too. Null when
   * no room is contiguous now.
   */
  allocate(
    bytes: number,
    deployment: string,
    family?: StorageFamily,
    contents?: StorageContents,
  ): DeviceRange | null;
  /** Gives a range back once `after` has settled, reached or failed; at once when it is null. */
  release(range: DeviceRange, after: Fence | null): void;
  /** Bytes handed out and not yet back. */
  readonly usedBytes: number;
  /** Bytes of the slabs as they stand. */
  readonly slabBytes: number;
}
