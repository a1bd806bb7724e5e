/**
 * Compiles a command program for the local device: one WebAssembly module with one function a
 * kernel, one that shares out its workgroups, and the driver `run`. Stateless, so any thread may do
 * it; the result is plain data.
 */
import type { CommandProgram, Kernel } from '../loom/typed.js';
import { DriverModule } from './driver/driver-module.js';
import { emitDriver } from './driver/emit-driver.js';
import { gridBody } from './driver/emit-grid.js';
import type { Emitter } from './emitter.js';
import { kernelBody } from './kernel/emit-kernel.js';
import { backEdgeBound } from './kernel/loop-rounds.js';
import { layScratch } from './kernel/scratch-layout.js';
import { planCommand } from './plan-command.js';
import { reflectCommand } from './reflect-command.js';
import type { KernelReflection } from './reflection.js';
import { checkBody } from './wasm/body-limits.js';
import { positionOf } from '../vm/program-error.js';

export const compileCommand: Emitter['compileCommand'] = (program) => {
  const plan = planCommand(program);
  const module = new DriverModule();
  const grids = new Map<number, number>();
  const kernels: KernelReflection[] = [];
  for (const index of usedKernels(program)) {
    const kernel = program.kernels[index]!;
    const body = kernelBody(kernel, module);
    checkBody(body, `${kernel.name} (${positionOf(program.files, kernel.site)})`);
    const name = `${kernel.name}#${index}`;
    const function_ = module.helper(name, () => body);
    grids.set(
      index,
      module.helper(`grid ${name}`, () => gridBody(module, kernel, function_)),
    );
    kernels.push(reflectKernel(kernel, body.codeBytes));
  }
  emitDriver({ module, plan, grids });
  const { bytes } = module.builder.finish();
  const reflection = reflectCommand(plan, {
    kernels,
    codeBytes: bytes.length,
    scratchBytes: scratchBytes(program),
  });
  return { bytes, reflection };
};

/** Kernels in order of first dispatch; ones that no step names are not compiled. */
function usedKernels(program: CommandProgram): readonly number[] {
  const used = new Set<number>();
  for (const step of program.steps) if (step.op === 'dispatch') used.add(step.kernel);
  return [...used];
}

function reflectKernel(kernel: Kernel, codeBytes: number): KernelReflection {
  const layout = layScratch(kernel);
  return {
    name: kernel.name,
    lanes: kernel.lanes,
    views: kernel.params.filter((param) => 'view' in param).length,
    sharedBytes: layout.sharedBytes,
    privateBytes: layout.privateStride * kernel.lanes,
    backEdgeBound: backEdgeBound(kernel.body),
    codeBytes,
  };
}

/** What the most demanding of the kernels needs of a worker. */
function scratchBytes(program: CommandProgram): number {
  const dispatches = program.steps.filter((step) => step.op === 'dispatch');
  const bytes = dispatches.map((step) => layScratch(program.kernels[step.kernel]!).bytes);
  return Math.max(0, ...bytes);
}
