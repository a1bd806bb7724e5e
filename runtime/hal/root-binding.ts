/**
 * Whether the roots of a launch fit what the program reflects: count, size, overlap, and where the
 * bytes come from. Checked before anything is accepted, so a refused launch costs nothing. What
 * does not fit is `internal`: a package's own program bound it, nobody who asks the model did.
 */
import { assert, StatusError } from '../base/errors.js';
import { rangesOverlap, type DeviceRange } from './buffer.js';
import type { ExecutableInfo } from './executable.js';

/** A root as bound for one launch. */
export interface BoundRoot {
  readonly range: DeviceRange;
  /** The host uploaded these bytes, and no device work has written them since. */
  readonly hosted: boolean;
}

/** Refuses a launch whose roots do not fit the reflection. Called before anything is accepted. */
export function checkRoots(info: ExecutableInfo, roots: readonly BoundRoot[]): void {
  if (roots.length !== info.roots.length) {
    throw new StatusError(
      'internal',
      `${info.name} takes ${info.roots.length} roots and was given ${roots.length}`,
    );
  }
  info.roots.forEach((expected, index) => {
    const bound = roots[index];
    assert(bound, 'a root for each binding');
    if (bound.range.length < expected.bytesMin) {
      throw new StatusError(
        'internal',
        `root '${expected.name}' of ${info.name} needs at least ${expected.bytesMin} bytes and was given ${bound.range.length}`,
      );
    }
    if (expected.hosted && !bound.hosted) {
      throw new StatusError(
        'internal',
        `root '${expected.name}' of ${info.name} is read on the host at submission, so it must be uploaded by this invocation and not be written by a device before`,
      );
    }
  });
  checkOverlap(info, roots);
}

function checkOverlap(info: ExecutableInfo, roots: readonly BoundRoot[]): void {
  info.roots.forEach((left, i) => {
    info.roots.slice(i + 1).forEach((right, k) => {
      const both = [left.access, right.access];
      if (both.includes('none') || !both.some((access) => access === 'out' || access === 'inout')) {
        return;
      }
      if (rangesOverlap(roots[i]!.range, roots[i + 1 + k]!.range)) {
        throw new StatusError(
          'internal',
          `roots '${left.name}' and '${right.name}' of ${info.name} are bound to overlapping bytes and one of them is written`,
        );
      }
    });
  });
}
