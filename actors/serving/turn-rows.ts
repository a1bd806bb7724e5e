/**
 * Who gives up rows and pages when others need them. Owned by the turn table.
 *
 * Holds: pages come from idle sessions, least recently used first, then from checkpoints, then from
 * turns that stall, then from the youngest turns; whoever gave up reads its row again later. A row
 * comes from a turn that stalls, unless a session keeps it. What an idle session has computed is
 * read again where the policy allows that; otherwise giving it up is the session's end.
 */
import type { EvictedSessions } from '../../http/text-serving.js';
import type { StatusRecord } from '../../runtime/base/errors.js';
import type { Address } from '../../runtime/system/address.js';
import type { Checkpoint, Row } from '../../runtime/text/retained-row.js';
import type { RowImage } from '../../runtime/text/row-image.js';
import type { RowStore } from '../../runtime/text/row-store.js';
import type { Turn } from './turn.js';

export interface TurnRowsHost {
  readonly store: RowStore;
  /** Rows of one kind share what they have read. */
  readonly kindOf: (turn: Turn) => string;
  /** What becomes of sessions whose contents had to go. */
  readonly evictedSessions: EvictedSessions;
  /** A session's contents are gone for good. */
  readonly lost: (session: Address, reason: StatusRecord) => void;
}

const REFUSED: StatusRecord = {
  code: 'gone',
  message:
    'what the session had computed was given up because others needed the memory, and this server' +
    ' does not read texts of sessions again (--evicted-sessions refuse); send its text anew',
};
const FOREIGN: StatusRecord = {
  code: 'gone',
  message:
    'what the session holds came from outside, was given up because others needed the memory, and' +
    ' is not read again here (--evicted-sessions replay-own); restore it once more',
};

export class TurnRows {
  readonly #host: TurnRowsHost;
  /** All turns, oldest first; the table's. */
  readonly #turns: readonly Turn[];
  /** Rows of idle sessions, least recently used first, with the session. */
  readonly #idle = new Map<Row, Address>();
  /** What had to go and is not read again, with the reason. */
  readonly #lost = new WeakMap<Row | Checkpoint, StatusRecord>();
  /** Oldest first. */
  readonly #checkpoints = new Set<Checkpoint>();

  constructor(host: TurnRowsHost, turns: readonly Turn[]) {
    this.#host = host;
    this.#turns = turns;
  }

  /** A session's row that no turn has: its pages may be taken. */
  rest(row: Row, session: Address): void {
    this.#idle.delete(row);
    this.#idle.set(row, session);
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

  /** As `install`, of a row that has lost the pages that it was to be filled into. */
  refill(row: Row, { ids, done }: Pick<RowImage, 'ids' | 'done'>): boolean {
    const { store } = this.#host;
    store.rewind(row, 0);
    if (this.install(row, ids, done)) return true;
    store.append(row, ids);
    return false;
  }

  /** Takes pages from whoever needs them least; false when nobody younger than `turn` has any. */
  makeRoom(turn: Turn, kept: ReadonlySet<Turn>): boolean {
    if (this.#spare()) return true;
    const other = this.#leastNeedy(turn, kept);
    if (other !== undefined) this.#host.store.spill(other.row!);
    return other !== undefined;
  }

  /** Its contents go. True: for good, and its session ends. */
  lose(row: Row, session: Address): boolean {
    const reason = this.#reasonToLose(row);
    if (reason === null) return false;
    this.#lost.set(row, reason);
    this.#host.lost(session, reason);
    return true;
  }

  /** Why what it held is gone for good; null: it is not. */
  lossOf(kept: Row | Checkpoint): StatusRecord | null {
    return this.#lost.get(kept) ?? null;
  }

  /** All that idle sessions and checkpoints hold goes. */
  loseIdle(): void {
    for (const [row, session] of this.#idle) this.lose(row, session);
    for (const checkpoint of this.#checkpoints) this.#loseCheckpoint(checkpoint);
  }

  #loseCheckpoint(checkpoint: Checkpoint): void {
    const reason = this.#reasonToLose(checkpoint);
    if (reason !== null) this.#lost.set(checkpoint, reason);
  }

  #reasonToLose({ done, isForeign }: Row | Checkpoint): StatusRecord | null {
    const { evictedSessions } = this.#host;
    if (done === 0 || evictedSessions === 'replay') return null;
    if (evictedSessions === 'refuse') return REFUSED;
    return isForeign ? FOREIGN : null;
  }

  /** Pages that nobody works with. */
  #spare(): boolean {
    const { store } = this.#host;
    for (const [row, session] of this.#idle) {
      this.#idle.delete(row);
      if (row.pages.length === 0) continue;
      this.lose(row, session);
      store.spill(row);
      return true;
    }
    for (const checkpoint of this.#checkpoints) {
      if (checkpoint.done === 0) continue;
      this.#loseCheckpoint(checkpoint);
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
