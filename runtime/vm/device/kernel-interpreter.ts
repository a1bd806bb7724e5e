/**
 * Runs a kernel over a grid: compiles it once, gives every workgroup its parameters and fresh
 * shared and private arrays (zero at the start of each).
 */
import { StatusError } from '../../base/errors.js';
import type { Kernel } from '../../loom/typed.js';
import type { RawValue } from '../executor.js';
import type { Exec } from '../interpreter/frame.js';
import { positionOf } from '../program-error.js';
import { DeviceFrame, ELEMENTS_PER_ROUND, type DispatchContext } from './device-frame.js';
import { SharedArray, type BoundView } from './device-memory.js';
import { KernelCompiler } from './kernel-compiler.js';
import { zeroValue } from './storage-codec.js';

/** One a kernel parameter, in order. */
export type KernelArgument = { readonly view: BoundView } | { readonly value: RawValue };

export interface KernelRun {
  readonly args: readonly KernelArgument[];
  readonly grid: readonly [number, number, number];
  readonly context: DispatchContext;
  readonly files: readonly string[];
}

const compiled = new WeakMap<Kernel, Exec<DeviceFrame>>();

export function runKernel(kernel: Kernel, { args, grid, context, files }: KernelRun): void {
  let body = compiled.get(kernel);
  if (!body) compiled.set(kernel, (body = new KernelCompiler(kernel, files).compile()));
  const [width, height, depth] = grid;
  const weight = 1 + Math.floor(elementsOf(kernel) / ELEMENTS_PER_ROUND);
  let group = 0;
  for (let z = 0; z < depth; z++) {
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        const frame = new DeviceFrame(context, kernel, { workgroup: [x, y, z], group: group++ });
        // Workgroups count as rounds, so that an immense grid of an empty kernel ends too.
        frame.round(() => positionOf(files, kernel.site), weight);
        bindArguments(frame, kernel, args);
        frame.shared = kernel.shared.map(
          ({ type, count }) => new SharedArray(count, zeroValue(type)),
        );
        frame.privates = freshPrivates(kernel);
        body(frame);
      }
    }
  }
}

/** Elements that are made afresh for every workgroup. */
function elementsOf({ lanes, shared, privates }: Kernel): number {
  const countOf = (arrays: readonly { readonly count: number }[]): number =>
    arrays.reduce((sum, { count }) => sum + count, 0);
  return countOf(shared) + lanes * countOf(privates);
}

function bindArguments(frame: DeviceFrame, kernel: Kernel, args: readonly KernelArgument[]): void {
  if (args.length !== kernel.params.length) {
    throw new StatusError(
      'invalidArgument',
      `${kernel.name} takes ${kernel.params.length} arguments, got ${args.length}`,
    );
  }
  kernel.params.forEach((param, i) => {
    const arg = args[i]!;
    if ('view' in param && 'view' in arg) frame.views[param.view] = arg.view;
    else if ('local' in param && 'value' in arg) frame.locals[param.local] = arg.value;
    else
      throw new StatusError(
        'invalidArgument',
        `argument ${i} of ${kernel.name} is of the wrong kind`,
      );
  });
}

function freshPrivates({ lanes, privates }: Kernel): RawValue[][][] {
  if (privates.length === 0) return [];
  return Array.from({ length: lanes }, () =>
    privates.map(({ type, count }) => new Array<RawValue>(count).fill(zeroValue(type))),
  );
}
