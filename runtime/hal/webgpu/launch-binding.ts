/**
 * Where the views of a launch lie: which bytes of which slab each dispatch binds, and what its
 * uniform slot has to say about them. Depends on the ranges alone, so a launch over the same ranges
 * finds its bind groups made.
 */
import { assert, StatusError } from '../../base/errors.js';
import type { BoundRange } from '../../jit/wgsl/uniform-slot.js';
import type { WgslDispatch, WgslKernel } from '../../jit/wgsl/wgsl-program.js';
import type { ExecutableReflection } from '../../jit/reflection.js';
import type { Range, RangeBase } from '../../loom/typed.js';
import { subRange, type DeviceRange } from '../buffer.js';
import type { Launch } from '../command.js';

/** What of the reflection says where bases begin. */
export type BaseInfo = Pick<ExecutableReflection, 'name' | 'steps' | 'workspaces' | 'banks'>;

export interface BindingLimits {
  /** minStorageBufferOffsetAlignment. */
  readonly alignment: number;
  /** maxStorageBufferBindingSize. */
  readonly bytesMax: number;
}

export interface PlacedDispatch {
  /** By binding: from an aligned offset, whole words. */
  readonly bindings: readonly DeviceRange[];
  /** By view parameter. */
  readonly views: readonly BoundRange[];
}

/** The bytes of a base as this launch binds it. */
export function baseRange(launch: Launch, info: BaseInfo, base: RangeBase): DeviceRange {
  if (base.kind === 'root') return launch.roots[base.index]!;
  if (base.kind === 'workspace') {
    const { offset, bytes } = info.workspaces[base.index]!;
    assert(launch.workspace, 'a workspace for a program that needs one');
    return subRange(launch.workspace, offset, bytes);
  }
  const before = info.banks.slice(0, base.index);
  const first = before.reduce((sum, { fields }) => sum + fields.length, 0);
  return launch.banks[first + base.field]!;
}

/** Refuses bindings that the device cannot make, by kernel and limit. */
export function placeDispatch(
  step: WgslDispatch,
  kernel: WgslKernel,
  baseOf: (base: RangeBase) => DeviceRange,
  limits: BindingLimits,
): PlacedDispatch {
  const bases = step.bindings.map(({ base }) => baseOf(base));
  const bindings = step.bindings.map((range, index): DeviceRange => {
    const placed = placeBinding(range, bases[index]!, kernel.bindings[index]!.bytesMin, limits);
    if (placed.length <= limits.bytesMax) return placed;
    throw new StatusError(
      'resourceExhausted',
      `kernel ${kernel.name} (${kernel.position}) binds ${placed.length} bytes in one view; this device binds at most ${limits.bytesMax}: split the view by a constant loop of slices`,
    );
  });
  const views = kernel.views.map(({ binding }, index): BoundRange => {
    const { offset, length } = step.views[index]!;
    const base = bases[binding]!;
    const rest = base.offset + offset - bindings[binding]!.offset;
    return { rest, bytes: Math.max(0, Math.min(length ?? Infinity, base.length - offset)) };
  });
  return { bindings, views };
}

function placeBinding(
  { offset, length }: Range,
  base: DeviceRange,
  bytesMin: number,
  { alignment }: BindingLimits,
): DeviceRange {
  const start = base.offset + Math.min(offset, base.length);
  const end = base.offset + Math.min(offset + (length ?? Infinity), base.length);
  const aligned = Math.floor(start / alignment) * alignment;
  const bytes = Math.ceil((end - aligned) / 4) * 4;
  return { slab: base.slab, offset: aligned, length: Math.max(bytes, bytesMin, 4) };
}
