/** Encodes one launch: fills, then a compute pass with a dispatch a step. */
import { subRange } from '../buffer.js';
import type { Launch } from '../command.js';
import type { WgslStep } from '../../jit/wgsl/wgsl-program.js';
import { baseRange, type BaseInfo } from './launch-binding.js';
import type { Grid } from './launch-grids.js';
import { copyMoved } from './moved-roots.js';
import type { ReadyKernel } from './pipeline-table.js';
import { GRID_BYTES, type BoundLaunch, type SlotPage } from './slot-page.js';
import type { WebgpuMemory } from './webgpu-memory.js';

export interface LaunchPass {
  readonly launch: Launch;
  readonly info: BaseInfo;
  readonly steps: readonly WgslStep[];
  /** Bind groups, and by dispatch grids where the host knows them. */
  readonly bound: BoundLaunch;
  readonly grids: readonly (Grid | null)[];
  readonly page: SlotPage;
  readonly kernels: readonly ReadyKernel[];
}

export function encodeLaunch(
  encoder: GPUCommandEncoder,
  memory: WebgpuMemory,
  { launch, info, steps, bound, grids, page, kernels }: LaunchPass,
): void {
  let pass: GPUComputePassEncoder | null = null;
  /** The kernel that is set in the pass. */
  let current = -1;
  const endPass = (): void => {
    pass?.end();
    pass = null;
    current = -1;
  };
  copyMoved(encoder, memory, bound.moved, 'in');
  let index = 0;
  for (const step of steps) {
    if (step.op === 'fill') {
      endPass();
      const { slab, offset } = subRange(launch.workspace!, step.start, step.bytes);
      const length = Math.ceil(step.bytes / 4) * 4;
      encoder.clearBuffer(memory.buffer({ slab, offset, length }), offset, length);
      continue;
    }
    const [grid, { group }, at] = [grids[index]!, bound.steps[index]!, index * GRID_BYTES];
    index += 1;
    if (grid?.includes(0)) continue;
    if (step.grid.kind === 'indirect') {
      // Its buffer may share none with a binding, so the three words move to one of their own.
      endPass();
      const words = subRange(baseRange(launch, info, step.grid.base), step.grid.offset, 12);
      encoder.copyBufferToBuffer(memory.buffer(words), words.offset, page.grids, at, 12);
    }
    pass ??= encoder.beginComputePass();
    if (step.kernel !== current) pass.setPipeline(kernels[step.kernel]!.pipeline);
    current = step.kernel;
    pass.setBindGroup(0, group);
    if (grid) pass.dispatchWorkgroups(...grid);
    else pass.dispatchWorkgroupsIndirect(page.grids, at);
  }
  endPass();
  copyMoved(encoder, memory, bound.moved, 'back');
}
