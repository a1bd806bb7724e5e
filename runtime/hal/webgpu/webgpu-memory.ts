/**
 * Slabs of a WebGPU device, a GPUBuffer each. A buffer cannot grow, so a slab is made once, as
 * large as what is asked first or a fair share of the budget. The lower half of the slabs is
 * mutable, the upper half constant: a buffer may not be bound for reading and for writing in one
 * dispatch.
 *
 * Holds: a slab that Dawn had no memory for fails the works that touch it, with that reason, and
 * is made anew at its next use. No host thread sees the bytes.
 */
import { assert, type StatusRecord } from '../../base/errors.js';
import type { DeviceRange } from '../buffer.js';
import type { SlabMemory, StorageFamily } from '../pool.js';
import { guarded } from './gpu-guard.js';
import { USAGE } from './gpu-usage.js';

const SLABS_A_FAMILY = 64;
/** A slab is at least this share of the budget, so that the slabs suffice. */
const SHARE = 32;
const UNIT = 256;

interface Slab {
  bytes: number;
  buffer: GPUBuffer | null;
  failure: StatusRecord | null;
}

export class WebgpuMemory implements SlabMemory {
  readonly slabs = 2 * SLABS_A_FAMILY;
  readonly slabBytesMax: number;
  /** Changes whenever a slab's buffer is replaced: what was bound to it is to be bound anew. */
  generation = 0;
  readonly #gpu: GPUDevice;
  readonly #slabBytesLeast: number;
  readonly #fill: (range: DeviceRange, byte: number) => void;
  readonly #slabs: Slab[];

  constructor(
    gpu: GPUDevice,
    memoryBytes: number,
    fill: (range: DeviceRange, byte: number) => void,
  ) {
    const down = (bytes: number): number => Math.floor(bytes / UNIT) * UNIT;
    const budget = Math.ceil(memoryBytes / UNIT) * UNIT;
    this.slabBytesMax = Math.min(down(gpu.limits.maxBufferSize), budget);
    this.#slabBytesLeast = Math.min(this.slabBytesMax, Math.max(UNIT, down(budget / SHARE)));
    this.#gpu = gpu;
    this.#fill = fill;
    this.#slabs = Array.from({ length: this.slabs }, () => {
      return { bytes: 0, buffer: null, failure: null };
    });
  }

  serves(slab: number, family: StorageFamily): boolean {
    return slab < SLABS_A_FAMILY === (family === 'mutable');
  }

  slabBytes(slab: number): number {
    return this.#slabs[slab]!.bytes;
  }

  grow(slab: number, bytes: number): boolean {
    const made = this.#slabs[slab]!;
    if (made.bytes > 0 || bytes > this.slabBytesMax) return false;
    made.bytes = Math.max(bytes, this.#slabBytesLeast);
    this.#make(made);
    return true;
  }

  window(): null {
    return null;
  }

  fill(range: DeviceRange, byte: number): void {
    this.#fill(range, byte);
  }

  buffer({ slab, offset, length }: DeviceRange): GPUBuffer {
    const made = this.#slabs[slab]!;
    assert(offset + length <= made.bytes, 'a range inside its slab');
    if (made.failure) {
      made.failure = null;
      this.generation += 1;
      this.#make(made);
    }
    return made.buffer!;
  }

  /** Why works on these ranges cannot succeed, as far as Dawn has said; or null. */
  failureOf(ranges: readonly DeviceRange[]): StatusRecord | null {
    for (const { slab } of ranges) {
      const { failure } = this.#slabs[slab]!;
      if (failure) return failure;
    }
    return null;
  }

  destroy(): void {
    for (const { buffer } of this.#slabs) buffer?.destroy();
  }

  #make(slab: Slab): void {
    const usage = USAGE.storage | USAGE.copySource | USAGE.copyTarget;
    const label = `the device has no ${slab.bytes} bytes for a slab (--memory)`;
    const made = guarded(this.#gpu, label, () => {
      slab.buffer = this.#gpu.createBuffer({ size: slab.bytes, usage });
    });
    void made.then((failure) => (slab.failure = failure));
  }
}
