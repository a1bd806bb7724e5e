/**
 * Who gives up rows and pages when others need them. Owned by the turn table.
 *
 * Holds: pages come from idle sessions, least recently used first, then from checkpoints, then from
 * turns that stall, then from the youngest turns; whoever gave up reads its row again later. A row
 * comes from a turn that stalls, unless a session keeps it.
 */
import type { Checkpoint, Row } from '../../runtime/text/retained-row.js';
import type { RowStore } from '../../runtime/text/row-store.js';
import type { Turn } from './turn.js';

export interface TurnRowsHost {
  readonly store: RowStore;
  /** Rows of one kind share what they have read. */
  readonly kindOf: (turn: Turn) => string;
}

export class TurnRows {
  readonly #host: TurnRowsHost;
  /** All turns, oldest first; the table's. */
  readonly #turns: readonly Turn[];
  /** Rows of idle sessions, least recently used first. */
  readonly #idle = new Set<Row>();
  /** Oldest first. */
  readonly #checkpoints = new Set<Checkpoint>();

  constructor(host: TurnRowsHost, turns: readonly Turn[]) {
    this.#host = host;
    this.#turns = turns;
  }

  /** A session's row that no turn has: its pages may be taken. */
  rest(row: Row): void {
    this.#idle.delete(row);
    this.#idle.add(row);
  }

  forget(row: Row): void {
    this.#idle.delete(row);
  }

  checkpoint(row: Row): Checkpoint {
    const made = this.#host.store.checkpoint(row);
    this.#checkpoints.add(made);
    return made;
  }

  dropCheckpoint(checkpoint: Checkpoint): void {
    this.#checkpoints.delete(checkpoint);
    this.#host.store.dropCheckpoint(checkpoint);
  }

  /** If need be in place of one whose reader does not read; null when there is none. */
  open(turn: Turn): Row | null {
    const { store } = this.#host;
    const kind = this.#host.kindOf(turn);
    const row = store.open(kind);
    if (row !== null) return row;
    const other = this.#turns.find(({ isOwner, isStalled, row: own }) => {
      return isOwner && isStalled && own !== null;
    });
    if (other === undefined) return null;
    other.parked = [...other.row!.ids];
    store.close(other.row!);
    other.row = null;
    return store.open(kind);
  }

  /** A row takes contents from outside (`RowStore.install`); false when nobody can spare pages. */
  install(row: Row, ids: readonly number[], done: number): boolean {
    const { store } = this.#host;
    this.forget(row);
    while (!store.install(row, ids, done)) if (!this.#spare()) return false;
    return true;
  }

  /** Takes pages from whoever needs them least; false when nobody younger than `turn` has any. */
  makeRoom(turn: Turn, kept: ReadonlySet<Turn>): boolean {
    if (this.#spare()) return true;
    const other = this.#leastNeedy(turn, kept);
    if (other !== undefined) this.#host.store.spill(other.row!);
    return other !== undefined;
  }

  /** Pages that nobody works with. */
  #spare(): boolean {
    const { store } = this.#host;
    for (const row of this.#idle) {
      this.#idle.delete(row);
      if (row.pages.length === 0) continue;
      store.spill(row);
      return true;
    }
    for (const checkpoint of this.#checkpoints) {
      if (checkpoint.done === 0) continue;
      store.spillCheckpoint(checkpoint);
      return true;
    }
    return false;
  }

  #leastNeedy(turn: Turn, kept: ReadonlySet<Turn>): Turn | undefined {
    const mayGive = (other: Turn): boolean =>
      other !== turn && !other.isInFlight && !kept.has(other) && (other.row?.pages.length ?? 0) > 0;
    const stalled = this.#turns.find((other) => other.isStalled && mayGive(other));
    if (stalled !== undefined) return stalled;
    return this.#turns.slice(this.#turns.indexOf(turn) + 1).findLast(mayGive);
  }
}
