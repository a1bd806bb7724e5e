/**
 * Points that rows can go back to: their ids, references to what was computed of them, and a state
 * of their own if there is a place for it. Owned by the row store; a checkpoint outlives its row.
 */
import { assert } from '../base/errors.js';
import type { PrefixNode } from './prefix-tree.js';
import type { Checkpoint, Contents, RetainedRow } from './retained-row.js';
import type { RowStorage } from './row-storage.js';
import type { Snapshot } from './snapshots.js';

class RowCheckpoint implements Checkpoint, Contents {
  readonly kind: string;
  readonly ids: readonly number[];
  done: number;
  pages: number[];
  path: readonly PrefixNode[];
  isForeign: boolean;
  isOpen = true;
  snapshot: Snapshot | null = null;

  constructor(row: RetainedRow, pages: number) {
    this.kind = row.kind;
    this.ids = [...row.ids];
    this.done = row.done;
    this.pages = row.pages.slice(0, pages);
    this.path = [...row.path];
    this.isForeign = row.isForeign;
  }
}

export class Checkpoints {
  readonly #storage: RowStorage;
  readonly #kept = new Set<RowCheckpoint>();

  constructor(storage: RowStorage) {
    this.#storage = storage;
  }

  get size(): number {
    return this.#kept.size;
  }

  make(row: RetainedRow): Checkpoint {
    const { geometry, pages, snapshots, moves, keepsStates } = this.#storage;
    const checkpoint = new RowCheckpoint(row, Math.ceil(row.done / geometry.pageTokens));
    for (const page of checkpoint.pages) pages.retain(page);
    if (keepsStates && row.done > 0) {
      const snapshot = snapshots.take(checkpoint, true);
      if (snapshot !== null) moves.copyState(row.state, snapshot.slot);
    }
    this.#kept.add(checkpoint);
    return checkpoint;
  }

  /** Without a state of its own, the row goes on from the nearest one below. */
  restore(row: RetainedRow, checkpoint: Checkpoint): void {
    const kept = this.#find(checkpoint);
    assert(row.kind === kept.kind, `a checkpoint of kind '${row.kind}', not '${kept.kind}'`);
    const storage = this.#storage;
    row.drafts = 0;
    row.cached = 0;
    storage.share(kept, row);
    if (!storage.keepsStates || row.done === 0) return;
    if (kept.snapshot === null) return storage.resume(row, row.done);
    row.hasState = true;
    storage.moves.copyState(kept.snapshot.slot, row.state);
  }

  drop(checkpoint: Checkpoint): void {
    const kept = this.#find(checkpoint);
    this.#empty(kept);
    kept.isOpen = false;
    this.#kept.delete(kept);
  }

  spill(checkpoint: Checkpoint): void {
    this.#empty(this.#find(checkpoint));
  }

  spillThose(isMeant: (contents: Contents) => boolean): void {
    for (const checkpoint of this.#kept) if (isMeant(checkpoint)) this.#empty(checkpoint);
  }

  #empty(checkpoint: RowCheckpoint): void {
    this.#storage.pages.releaseFrom(checkpoint.pages, 0);
    checkpoint.path = [];
    checkpoint.done = 0;
    checkpoint.isForeign = false;
    if (checkpoint.snapshot !== null) this.#storage.snapshots.drop(checkpoint.snapshot);
  }

  #find(checkpoint: Checkpoint): RowCheckpoint {
    const isKept = checkpoint instanceof RowCheckpoint && this.#kept.has(checkpoint);
    assert(isKept, 'a checkpoint that is kept');
    return checkpoint;
  }
}
