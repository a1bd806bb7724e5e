/**
 * What one launch of one part has to itself while it runs: a buffer with a uniform slot a dispatch,
 * and room for grids that the device computed. A page keeps the bind groups that were made with it,
 * for the last few sets of ranges.
 */
import { SLOT_BYTES } from '../../jit/wgsl/wgsl-program.js';
import type { BoundRange } from '../../jit/wgsl/uniform-slot.js';
import type { Launch } from '../command.js';
import { USAGE } from './gpu-usage.js';
import type { MovedRoot } from './moved-roots.js';

/** Sets of bind groups that a page remembers. */
const SETS_MAX = 4;
/** Bytes of one indirect grid. */
export const GRID_BYTES = 16;

export interface BoundStep {
  readonly group: GPUBindGroup;
  readonly views: readonly BoundRange[];
}

/** A launch over certain ranges. */
export interface BoundLaunch {
  /** By dispatch. */
  readonly steps: readonly BoundStep[];
  readonly moved: readonly MovedRoot[];
}

interface BoundSet {
  readonly key: Float64Array;
  readonly launch: BoundLaunch;
}

export class SlotPage {
  readonly slots: GPUBuffer;
  readonly grids: GPUBuffer;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly #gpu: GPUDevice;
  readonly #written: Uint8Array;
  #isWritten = false;
  /** Whose slots `bytes` holds, where they follow from the ranges alone. */
  #holds: BoundLaunch | null = null;
  #sets: BoundSet[] = [];

  constructor(gpu: GPUDevice, dispatches: number) {
    const size = Math.max(1, dispatches) * SLOT_BYTES;
    this.#gpu = gpu;
    this.slots = gpu.createBuffer({ size, usage: USAGE.uniform | USAGE.copyTarget });
    const usage = USAGE.indirect | USAGE.copySource | USAGE.copyTarget;
    this.grids = gpu.createBuffer({ size: Math.max(1, dispatches) * GRID_BYTES, usage });
    this.bytes = new Uint8Array(size);
    this.#written = new Uint8Array(size);
  }

  slot(index: number): DataView {
    return new DataView(this.bytes.buffer, index * SLOT_BYTES, SLOT_BYTES);
  }

  slotBinding(index: number): GPUBufferBinding {
    return { buffer: this.slots, offset: index * SLOT_BYTES, size: SLOT_BYTES };
  }

  /** Whether the device has the slots of this launch already. */
  holds(launch: BoundLaunch): boolean {
    return this.#holds === launch;
  }

  /** Brings `bytes` to the device, unless they are there: of `launch`, or of this time only. */
  flush(launch: BoundLaunch | null): void {
    this.#holds = launch;
    if (this.#isWritten && Buffer.compare(this.bytes, this.#written) === 0) return;
    this.#gpu.queue.writeBuffer(this.slots, 0, this.bytes);
    this.#written.set(this.bytes);
    this.#isWritten = true;
  }

  /** The bind groups for these ranges; null: nobody has made them lately. */
  find(key: Float64Array): BoundLaunch | null {
    const at = this.#sets.findIndex((set) => isSame(set.key, key));
    if (at < 0) return null;
    if (at > 0) this.#sets.unshift(...this.#sets.splice(at, 1));
    return this.#sets[0]!.launch;
  }

  /** Those that were not found, made. */
  keep(key: Float64Array, launch: BoundLaunch): BoundLaunch {
    this.#sets.unshift({ key, launch });
    for (const { launch: old } of this.#sets.splice(SETS_MAX)) destroyMoved(old);
    return launch;
  }

  destroy(): void {
    this.slots.destroy();
    this.grids.destroy();
    for (const { launch } of this.#sets) destroyMoved(launch);
  }
}

function destroyMoved({ moved }: BoundLaunch): void {
  for (const { buffer } of moved) buffer.destroy();
}

/** All that bind groups depend on. */
export function bindingKey({ roots, banks, workspace }: Launch): Float64Array {
  const ranges = workspace ? [...roots, ...banks, workspace] : [...roots, ...banks];
  const key = new Float64Array(ranges.length * 3);
  ranges.forEach(({ slab, offset, length }, index) => {
    key[index * 3] = slab;
    key[index * 3 + 1] = offset;
    key[index * 3 + 2] = length;
  });
  return key;
}

function isSame(left: Float64Array, right: Float64Array): boolean {
  if (left.length !== right.length) return false;
  for (let at = 0; at < left.length; at += 1) if (left[at] !== right[at]) return false;
  return true;
}
