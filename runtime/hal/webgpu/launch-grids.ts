/** Grids of a launch: computed on the host from uploaded words, or found by the device. */
import { StatusError } from '../../base/errors.js';
import { gridExtents } from '../../jit/wgsl/uniform-slot.js';
import type { WgslDispatch } from '../../jit/wgsl/wgsl-program.js';
import type { BaseInfo } from './launch-binding.js';

const EXTENT_MAX = 65_535;

export type Grid = readonly [number, number, number];

/** Null for one that the device finds. Refuses one that is too large: WebGPU would skip it. */
export function hostGrid(
  step: WgslDispatch,
  roots: readonly DataView[],
  info: BaseInfo,
): Grid | null {
  if (step.grid.kind === 'indirect') return null;
  const grid = gridExtents(step.grid.extents, roots);
  checkGrid(grid, step.index, info);
  return grid;
}

export function checkGrid(grid: Iterable<number>, step: number, info: BaseInfo): void {
  for (const extent of grid) {
    if (extent <= EXTENT_MAX) continue;
    throw new StatusError(
      'internal',
      `kernel ${info.steps[step] ?? '?'} (dispatch ${step} of ${info.name}) was given a grid extent of ${extent}; the limit is ${EXTENT_MAX}`,
      { where: info.name },
    );
  }
}
