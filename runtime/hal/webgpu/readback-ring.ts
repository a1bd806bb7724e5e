/**
 * Buffers that the host can map, for readbacks: a few of each size are kept and used in turn.
 * Mapping waits for what was submitted before, so it is the completion of a readback too.
 */
import { assert, type StatusRecord } from '../../base/errors.js';
import type { DeviceRange } from '../buffer.js';
import { guarded } from './gpu-guard.js';
import { MAP_READ, USAGE } from './gpu-usage.js';
import { tracked } from './outstanding.js';
import type { WebgpuMemory } from './webgpu-memory.js';

const BYTES_LEAST = 4096;
const KEPT_EACH = 8;
/** Larger ones are made for one readback. */
const KEPT_BYTES = 4 * 1024 * 1024;

export class ReadbackRing {
  readonly #gpu: GPUDevice;
  readonly #memory: WebgpuMemory;
  /** Free buffers by size. */
  readonly #free = new Map<number, GPUBuffer[]>();

  constructor(gpu: GPUDevice, memory: WebgpuMemory) {
    this.#gpu = gpu;
    this.#memory = memory;
  }

  /** Copies the range as it is after everything submitted so far. */
  read(source: DeviceRange, into: Uint8Array): Promise<StatusRecord | null> {
    assert(into.length === source.length, 'a readback of the source length');
    const { offset, length } = source;
    const start = Math.floor(offset / 4) * 4;
    return this.readBuffer(
      { buffer: () => this.#memory.buffer(source), start, end: offset + length },
      (mapped) => into.set(mapped.subarray(offset - start, offset - start + length)),
    );
  }

  /** The bytes from `start` (a multiple of 4) to `end`, shown to `take` once they are there. */
  async readBuffer(
    source: { buffer: () => GPUBuffer; start: number; end: number },
    take: (bytes: Uint8Array) => void,
  ): Promise<StatusRecord | null> {
    const size = Math.ceil((source.end - source.start) / 4) * 4;
    if (size === 0) return null;
    const staging = this.#take(size);
    const failure = guarded(this.#gpu, 'a readback', () => {
      const encoder = this.#gpu.createCommandEncoder();
      encoder.copyBufferToBuffer(source.buffer(), source.start, staging, 0, size);
      this.#gpu.queue.submit([encoder.finish()]);
    });
    try {
      await tracked(this.#gpu, staging.mapAsync(MAP_READ, 0, size));
    } catch (error) {
      staging.destroy();
      const message = error instanceof Error ? error.message : String(error);
      return (await failure) ?? { code: 'unavailable', message: `a readback: ${message}` };
    }
    const status = await failure;
    if (!status) take(new Uint8Array(staging.getMappedRange(0, size)));
    staging.unmap();
    this.#giveBack(staging);
    return status;
  }

  destroy(): void {
    for (const buffers of this.#free.values()) for (const buffer of buffers) buffer.destroy();
    this.#free.clear();
  }

  #take(bytes: number): GPUBuffer {
    const even = Math.max(BYTES_LEAST, 2 ** Math.ceil(Math.log2(bytes)));
    const size = bytes > KEPT_BYTES ? bytes : even;
    const kept = this.#free.get(size)?.pop();
    return kept ?? this.#gpu.createBuffer({ size, usage: USAGE.mapRead | USAGE.copyTarget });
  }

  #giveBack(buffer: GPUBuffer): void {
    const kept = this.#free.get(buffer.size) ?? [];
    if (buffer.size > KEPT_BYTES || kept.length >= KEPT_EACH) return buffer.destroy();
    this.#free.set(buffer.size, [...kept, buffer]);
  }
}
