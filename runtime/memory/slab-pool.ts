/**
 * The pool over a device's slabs: hands out ranges, takes them back in queue order, grows slabs on
 * demand. One deployment's bytes never reach another: they are cleared when a range passes over.
 *
 * Holds: a range is handed out to one holder at a time, and again only after its release has
 * settled. Option `poison` fills whatever is handed out with a pattern, so that tests see reads of
 * bytes that nobody wrote.
 */
import { ChurnMap } from '../base/churn-map.js';
import { assert } from '../base/errors.js';
import type { DeviceRange } from '../hal/buffer.js';
import type { Fence } from '../hal/fence.js';
import type { Pool, SlabMemory, StorageContents, StorageFamily } from '../hal/pool.js';
import { ALIGNMENT, roundUp, SlabAllocator, type Placement } from './slab-allocator.js';

/** A byte that is no small number in any type: 0xCB… is a large negative or a tiny float. */
export const POISON_BYTE = 0xcb;
/** Slabs grow by at least this much, to keep the number of steps small. */
const GROWTH_BYTES = 16 * 1024 * 1024;

export class SlabPool implements Pool {
  readonly #memory: SlabMemory;
  readonly #poison: boolean;
  readonly #slabs: SlabAllocator[];
  /** Deployments of handed-out ranges, by slab and offset. */
  readonly #holders = new ChurnMap<string, string>();

  constructor(memory: SlabMemory, options: { poison?: boolean } = {}) {
    this.#memory = memory;
    this.#poison = options.poison ?? false;
    this.#slabs = Array.from({ length: memory.slabs }, () => new SlabAllocator());
  }

  get usedBytes(): number {
    return this.#slabs.reduce((sum, slab) => sum + slab.usedBytes, 0);
  }

  get slabBytes(): number {
    return this.#slabs.reduce((sum, slab) => sum + slab.bytes, 0);
  }

  allocate(
    bytes: number,
    deployment: string,
    family: StorageFamily = 'mutable',
    contents: StorageContents = 'any',
  ): DeviceRange | null {
    for (const [slab, allocator] of this.#slabs.entries()) {
      if (!this.#memory.serves(slab, family)) continue;
      const placement = allocator.allocate(bytes) ?? this.#grow(slab, bytes);
      if (!placement) continue;
      const range = { slab, offset: placement.offset, length: placement.length };
      this.#holders.set(holderKey(range), deployment);
      const kept = contents === 'any' ? deployment : null;
      this.#clear(range, placement, kept);
      return range;
    }
    return null;
  }

  release(range: DeviceRange, after: Fence | null): void {
    if (after) after.listen(() => this.#takeBack(range));
    else this.#takeBack(range);
  }

  #takeBack(range: DeviceRange): void {
    const deployment = this.#holders.get(holderKey(range));
    assert(deployment !== undefined, `a range at ${range.offset} to be released once`);
    this.#holders.delete(holderKey(range));
    this.#slabs[range.slab]!.release(range.offset, deployment);
  }

  #grow(slab: number, bytes: number): Placement | null {
    const allocator = this.#slabs[slab]!;
    const least = allocator.bytes + roundUp(bytes) - allocator.tailBytes;
    const most = Math.floor(this.#memory.slabBytesMax / ALIGNMENT) * ALIGNMENT;
    const ample = Math.min(most, Math.max(least, allocator.bytes + GROWTH_BYTES));
    for (const size of [ample, least]) {
      if (size < least || !this.#memory.grow(slab, size)) continue;
      allocator.extend(this.#memory.slabBytes(slab));
      return allocator.allocate(bytes);
    }
    return null;
  }

  /** Bytes that are zero are left alone: the first touch of a page takes longer than its use. */
  #clear(range: DeviceRange, { residue }: Placement, kept: string | null): void {
    if (this.#poison && kept !== null) return this.#memory.fill(range, POISON_BYTE);
    const isOwn = kept !== null && residue === `of ${kept}`;
    if (residue !== 'clean' && !isOwn) this.#memory.fill(range, 0);
  }
}

const holderKey = (range: DeviceRange): string => `${range.slab}:${range.offset}`;
