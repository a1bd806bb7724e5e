/**
 * Sub-allocation of one slab: which bytes are handed out and which are free. Best fit, 256-byte
 * alignment, neighbours coalesce. Pure bookkeeping; it touches no bytes.
 *
 * Every free range remembers whose bytes it may still hold: a deployment, nobody (fresh, zero), or
 * several, so that the pool clears exactly what passes from one deployment to another.
 */
import { ChurnMap } from '../base/churn-map.js';
import { assert } from '../base/errors.js';

export const ALIGNMENT = 256;

/** `clean`: zeros · `mixed`: of several deployments. Deployments are named with a prefix. */
export type Residue = 'clean' | 'mixed' | `of ${string}`;

export interface Placement {
  readonly offset: number;
  readonly length: number;
  readonly residue: Residue;
}

export const roundUp = (bytes: number): number =>
  Math.max(ALIGNMENT, Math.ceil(bytes / ALIGNMENT) * ALIGNMENT);

export class SlabAllocator {
  /** Free ranges by offset; neighbours never touch. */
  #free: Placement[] = [];
  readonly #used = new ChurnMap<number, number>();
  #bytes = 0;
  #usedBytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Free bytes at the very end of the slab, which growing would extend. */
  get tailBytes(): number {
    const last = this.#free.at(-1);
    return last && last.offset + last.length === this.#bytes ? last.length : 0;
  }

  /** The slab is now `bytes` long; the new bytes are zero. */
  extend(bytes: number): void {
    assert(bytes >= this.#bytes && bytes % ALIGNMENT === 0, 'a slab to grow by aligned steps');
    if (bytes === this.#bytes) return;
    const added = { offset: this.#bytes, length: bytes - this.#bytes, residue: 'clean' } as const;
    this.#bytes = bytes;
    this.#insert(added);
  }

  /** The smallest free range that holds `bytes` (rounded up), the lowest of equals; or null. */
  allocate(bytes: number): Placement | null {
    const length = roundUp(bytes);
    let best = -1;
    this.#free.forEach((range, index) => {
      if (range.length < length) return;
      if (best < 0 || range.length < this.#free[best]!.length) best = index;
    });
    const range = this.#free[best];
    if (!range) return null;
    const { offset, residue } = range;
    const rest = { offset: offset + length, length: range.length - length, residue };
    this.#free.splice(best, 1, ...(rest.length > 0 ? [rest] : []));
    this.#used.set(offset, length);
    this.#usedBytes += length;
    return { offset, length, residue };
  }

  /** Takes back what `allocate` gave; `deployment` wrote to it last. */
  release(offset: number, deployment: string): void {
    const length = this.#used.get(offset);
    assert(length !== undefined, `an allocation at ${offset} to be released once`);
    this.#used.delete(offset);
    this.#usedBytes -= length;
    this.#insert({ offset, length, residue: `of ${deployment}` });
  }

  /** Free ranges in order, for tests and reports. */
  freeRanges(): readonly Placement[] {
    return this.#free;
  }

  #insert(range: Placement): void {
    let at = this.#free.findIndex(({ offset }) => offset > range.offset);
    if (at < 0) at = this.#free.length;
    let merged = range;
    let from = at;
    let count = 0;
    const before = this.#free[at - 1];
    if (before && before.offset + before.length === range.offset) {
      merged = merge(before, merged);
      from -= 1;
      count += 1;
    }
    const after = this.#free[at];
    if (after && range.offset + range.length === after.offset) {
      merged = merge(merged, after);
      count += 1;
    }
    this.#free.splice(from, count, merged);
  }
}

function merge(left: Placement, right: Placement): Placement {
  const residue = mergeResidue(left.residue, right.residue);
  return { offset: left.offset, length: left.length + right.length, residue };
}

/** Zeros beside a deployment's bytes may be given to it again uncleared. */
function mergeResidue(left: Residue, right: Residue): Residue {
  if (left === right || right === 'clean') return left;
  return left === 'clean' ? right : 'mixed';
}
