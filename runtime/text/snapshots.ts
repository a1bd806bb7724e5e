/**
 * Copies of states in the places that no row has: behind published pages, where a shared prefix can
 * be taken up, and of checkpoints. Those behind pages give way to new ones, least recently used
 * first; a checkpoint's stays until it is dropped.
 */
import type { Holds } from './holds.js';
import { SlotPool } from './slot-pool.js';

export interface SnapshotOwner {
  snapshot: Snapshot | null;
}

export interface Snapshot {
  /** Among all states. */
  readonly slot: number;
  readonly owner: SnapshotOwner;
  readonly isPinned: boolean;
  /** The submission that makes the copy; null: not under way. */
  carrier: number | null;
}

export class Snapshots {
  readonly #first: number;
  readonly #holds: Holds;
  readonly #places: SlotPool;
  /** Least recently used first. */
  readonly #kept = new Set<Snapshot>();

  /** States from `first` on are places for snapshots. */
  constructor(first: number, count: number, holds: Holds) {
    this.#first = first;
    this.#holds = holds;
    this.#places = new SlotPool(count, holds);
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Whether one more could be taken, now or when somebody's has settled. */
  get hasRoom(): boolean {
    if (this.#places.free + this.#places.waiting > 0) return true;
    for (const { isPinned } of this.#kept) if (!isPinned) return true;
    return false;
  }

  /** A place for the owner, in exchange for another's if need be; null when none is left. */
  take(owner: SnapshotOwner, isPinned: boolean): Snapshot | null {
    const place = this.#places.take() ?? this.#exchange();
    if (place === null) return null;
    const snapshot = { slot: this.#first + place, owner, isPinned, carrier: null };
    this.#kept.add(snapshot);
    owner.snapshot = snapshot;
    return snapshot;
  }

  drop(snapshot: Snapshot): void {
    if (!this.#kept.delete(snapshot)) return;
    snapshot.owner.snapshot = null;
    this.#places.give(snapshot.slot - this.#first);
  }

  /** It was used just now. */
  renew(snapshot: Snapshot): void {
    if (this.#kept.delete(snapshot)) this.#kept.add(snapshot);
  }

  /** A submission reads or writes the state of this number. */
  touch(slot: number, hold: number): void {
    if (slot >= this.#first) this.#places.touch(slot - this.#first, hold);
  }

  /** A submission takes all moves that were listed. */
  carry(hold: number): void {
    for (const snapshot of this.#kept) snapshot.carrier ??= hold;
  }

  /** Whether the copy has been made for certain. */
  isReady({ carrier }: Snapshot): boolean {
    return carrier !== null && this.#holds.isSettled(carrier);
  }

  dropThose(slots: ReadonlySet<number>): void {
    for (const snapshot of [...this.#kept]) if (slots.has(snapshot.slot)) this.drop(snapshot);
  }

  #exchange(): number | null {
    for (const snapshot of this.#kept) {
      if (snapshot.isPinned || !this.#places.isSettled(snapshot.slot - this.#first)) continue;
      this.drop(snapshot);
      return this.#places.take();
    }
    return null;
  }
}
