/**
 * Roots that cannot be bound where they lie: they begin between the offsets that the device takes,
 * or two that are only read lie over each other, which WebGPU refuses for storage that might be
 * written. Such a root is copied to a buffer of its own before the pass, and back if it is written.
 */
import { StatusError } from '../../base/errors.js';
import { rangesOverlap, type DeviceRange } from '../buffer.js';
import type { Launch } from '../command.js';
import { USAGE } from './gpu-usage.js';
import type { WebgpuMemory } from './webgpu-memory.js';

export interface MovedRoot {
  readonly index: number;
  readonly source: DeviceRange;
  readonly buffer: GPUBuffer;
  /** The buffer as the one range of a slab that no pool has. */
  readonly range: DeviceRange;
  readonly isWritten: boolean;
}

/** The roots of a launch to move, with buffers for them. */
export function moveRoots(
  gpu: GPUDevice,
  memory: WebgpuMemory,
  launch: Launch,
): readonly MovedRoot[] {
  const alignment = gpu.limits.minStorageBufferOffsetAlignment;
  const { info } = launch.executable;
  return launch.roots.flatMap((source, index): MovedRoot[] => {
    const { name, access } = info.roots[index]!;
    const before = launch.roots.slice(0, index);
    const isCovered = before.some((other) => rangesOverlap(other, source));
    if (access === 'none' || (source.offset % alignment === 0 && !isCovered)) return [];
    if (source.offset % 4 !== 0) {
      throw new StatusError(
        'internal',
        `root '${name}' of ${info.name} begins at byte ${source.offset % 256} of its buffer; this device takes multiples of 4`,
      );
    }
    const size = Math.max(4, Math.ceil(source.length / 4) * 4);
    const usage = USAGE.storage | USAGE.copySource | USAGE.copyTarget;
    const range = { slab: memory.slabs + index, offset: 0, length: source.length };
    const isWritten = access !== 'in';
    return [{ index, source, buffer: gpu.createBuffer({ size, usage }), range, isWritten }];
  });
}

/** Before the pass into their buffers; after it back. */
export function copyMoved(
  encoder: GPUCommandEncoder,
  memory: WebgpuMemory,
  moved: readonly MovedRoot[],
  way: 'in' | 'back',
): void {
  for (const { source, buffer, isWritten } of moved) {
    const slab = memory.buffer(source);
    const { offset } = source;
    if (way === 'in') encoder.copyBufferToBuffer(slab, offset, buffer, 0, buffer.size);
    else if (isWritten) encoder.copyBufferToBuffer(buffer, 0, slab, offset, buffer.size);
  }
}
