/**
 * What a driver computes for one dispatch at submission: the words of its uniform slot and its
 * grid. Both follow from the plan, the bytes that are bound, and the words of uploaded roots.
 */
import { StatusError } from '../../base/errors.js';
import { wordValue } from '../../vm/device/word-value.js';
import type { WgslDispatch, WgslKernel } from './wgsl-program.js';

/** One a view parameter: where its bytes lie. */
export interface BoundRange {
  /** Bytes from the start of the binding to the view's first byte. */
  readonly rest: number;
  /** Bytes that the view may use. */
  readonly bytes: number;
}

export interface SlotSource {
  readonly kernel: WgslKernel;
  readonly step: WgslDispatch;
  readonly views: readonly BoundRange[];
  /** Bytes of all roots as they were uploaded; read where `hosted` only. */
  readonly roots: readonly DataView[];
}

/** Writes the slot into the first words of `into`. */
export function writeUniformSlot({ kernel, step, views, roots }: SlotSource, into: DataView): void {
  kernel.views.forEach(({ name, unit, elementBytes }, k) => {
    const { rest, bytes } = views[k]!;
    if (rest % unit !== 0) {
      throw new StatusError(
        'invalidArgument',
        `'${name}' of ${kernel.name} begins ${rest} bytes into its binding; ` +
          `here it must begin at a multiple of ${unit} bytes`,
      );
    }
    into.setUint32(k * 8, rest / unit, true);
    into.setUint32(k * 8 + 4, Math.floor(bytes / elementBytes), true);
  });
  step.scalars.forEach((expr, j) => {
    const at = (kernel.views.length * 2 + j) * 4;
    const value = wordValue(expr, roots);
    if (expr.type === 'f32') into.setFloat32(at, value, true);
    else into.setInt32(at, value, true);
  });
}

/** Extents of a direct grid, always three; a device runs none if one is zero. */
export function gridExtents(
  extents: (WgslDispatch['grid'] & { readonly kind: 'direct' })['extents'],
  roots: readonly DataView[],
): [number, number, number] {
  const of = (axis: number): number => {
    const expr = extents[axis];
    return expr === undefined ? 1 : wordValue(expr, roots) >>> 0;
  };
  return [of(0), of(1), of(2)];
}
