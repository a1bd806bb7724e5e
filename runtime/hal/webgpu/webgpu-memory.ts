/**
 * Slabs of a WebGPU device, a GPUBuffer each. A buffer cannot grow, so a slab is made once, as
 * large as what is asked first or a fair share of the budget. The lower half of the slabs is
 * mutable, the upper half constant: a buffer may not be bound for reading and for writing in one
 * dispatch.
 *
 * Holds: Dawn says late that it has no memory for a slab, when others may rely on it already; so
 * the device is then lost as a whole. No host thread sees the bytes.
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
/** The first slab has room for what a pool asks for first. */
const FIRST_BYTES = 16 * 1024 * 1024;

export interface MemoryCalls {
  readonly fill: (range: DeviceRange, byte: number) => void;
  /** There is no memory for a slab that was promised. */
  readonly onFailed: (status: StatusRecord) => void;
}

export class WebgpuMemory implements SlabMemory {
  readonly slabs = 2 * SLABS_A_FAMILY;
  readonly slabBytesMax: number;
  readonly #gpu: GPUDevice;
  readonly #slabBytesLeast: number;
  readonly #calls: MemoryCalls;
  readonly #buffers: (GPUBuffer | null)[];
  /** Becomes the first mutable slab that is asked for. */
  #first: GPUBuffer | null = null;

  constructor(gpu: GPUDevice, memoryBytes: number, calls: MemoryCalls) {
    const down = (bytes: number): number => Math.floor(bytes / UNIT) * UNIT;
    const budget = Math.ceil(memoryBytes / UNIT) * UNIT;
    this.slabBytesMax = Math.min(down(gpu.limits.maxBufferSize), budget);
    this.#slabBytesLeast = Math.min(this.slabBytesMax, Math.max(UNIT, down(budget / SHARE)));
    this.#gpu = gpu;
    this.#calls = calls;
    this.#buffers = Array.from({ length: this.slabs }, () => null);
  }

  serves(slab: number, family: StorageFamily): boolean {
    return slab < SLABS_A_FAMILY === (family === 'mutable');
  }

  slabBytes(slab: number): number {
    return this.#buffers[slab]?.size ?? 0;
  }

  grow(slab: number, bytes: number): boolean {
    if (this.#buffers[slab] || bytes > this.slabBytesMax) return false;
    if (this.#first && bytes <= this.#first.size && this.serves(slab, 'mutable')) {
      this.#buffers[slab] = this.#first;
      this.#first = null;
    } else {
      this.#buffers[slab] = this.#made(Math.max(bytes, this.#slabBytesLeast));
    }
    return true;
  }

  /**
   * Makes the first slab before anybody needs it, with `run` over its first bytes, because its
   * first use clears it. `run` leaves zeros. Called once, before anything else.
   */
  async warm(length: number, run: (range: DeviceRange) => Promise<void>): Promise<void> {
    const size = Math.max(this.#slabBytesLeast, Math.min(FIRST_BYTES, this.slabBytesMax));
    this.#buffers[0] = this.#made(size);
    await run({ slab: 0, offset: 0, length });
    this.#first = this.#buffers[0];
    this.#buffers[0] = null;
  }

  #made(size: number): GPUBuffer {
    const usage = USAGE.storage | USAGE.copySource | USAGE.copyTarget;
    const label = `there are no ${size} bytes for a slab (--memory)`;
    let buffer: GPUBuffer | null = null;
    const made = guarded(this.#gpu, label, () => {
      buffer = this.#gpu.createBuffer({ size, usage });
    });
    void made.then((failure) => failure && this.#calls.onFailed(failure));
    return buffer!;
  }

  window(): null {
    return null;
  }

  fill(range: DeviceRange, byte: number): void {
    this.#calls.fill(range, byte);
  }

  buffer({ slab, offset, length }: DeviceRange): GPUBuffer {
    const buffer = this.#buffers[slab];
    assert(buffer && offset + length <= buffer.size, 'a range inside its slab');
    return buffer;
  }
}
