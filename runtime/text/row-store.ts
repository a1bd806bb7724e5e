/**
 * Rows that are retained: what each shall hold, what of it is computed, and which pages and states
 * have it. The owner computes spans in submissions and says what came of them; what it has to copy
 * on the device before the next one is listed for it.
 *
 * Holds: a page that is published, forked from or kept by a checkpoint is never written (law I9);
 * what is given up while submissions are in flight is not handed out before those have settled
 * (I1); a prefix is visible only after its producer has retired, and equal only to the same ids of
 * the same kind; nothing is held that no row, checkpoint or cached page accounts for (I8).
 */
import { assert, StatusError } from '../base/errors.js';
import type { TextGeometry } from '../profiles/text.js';
import { Checkpoints } from './checkpoints.js';
import type { Move } from './moves.js';
import type { PageCounts } from './page-pool.js';
import { RetainedRow } from './retained-row.js';
import type { Checkpoint, Row } from './retained-row.js';
import { RowStorage } from './row-storage.js';
import { SlotPool } from './slot-pool.js';
import { Spoiled } from './spoiled.js';

export type { Checkpoint, Row };

/** A submission in flight. */
export interface Hold {
  readonly id: number;
  /** To run in order before its epoch. */
  readonly moves: readonly Move[];
  readonly rows: readonly Row[];
}

export interface RowCounts extends PageCounts {
  readonly rows: number;
  readonly checkpoints: number;
  /** States kept beside those of the rows. */
  readonly snapshots: number;
  /** Submissions in flight. */
  readonly holds: number;
  /** By all copies that were listed. */
  readonly copiedBytes: number;
  /** Rows that began with shared pages, and those that began with none. */
  readonly hits: number;
  readonly misses: number;
  /** Tokens that were found in shared pages, and those that epochs computed. */
  readonly sharedTokens: number;
  readonly computedTokens: number;
}

interface OpenHold extends Hold {
  readonly rows: readonly RetainedRow[];
}

export class RowStore {
  readonly #storage: RowStorage;
  readonly #ordinals: SlotPool;
  readonly #rows = new Map<number, RetainedRow>();
  readonly #checkpoints: Checkpoints;
  /** Ascending. */
  readonly #holds = new Map<number, OpenHold>();
  #hits = 0;
  #misses = 0;
  #sharedTokens = 0;
  #computedTokens = 0;

  constructor(geometry: TextGeometry) {
    this.#storage = new RowStorage(geometry);
    this.#checkpoints = new Checkpoints(this.#storage);
    this.#ordinals = new SlotPool(geometry.rows, this.#storage.holds);
  }

  /** An empty row; null when all are taken, or not free before a submission settles. */
  open(kind = 'tokens'): Row | null {
    const ordinal = this.#ordinals.take();
    if (ordinal === null) return null;
    const state = this.#storage.keepsStates ? ordinal : -1;
    const row = new RetainedRow(ordinal, state, kind);
    this.#rows.set(ordinal, row);
    return row;
  }

  /**
   * The row shall hold these too. Before anything is computed, what is published of its text is
   * taken up, of its first `sharedMax` tokens at most, now and later; gives the tokens found so.
   * More than the context: an error, and nothing changes.
   */
  append(row: Row, ids: readonly number[], sharedMax = Infinity): number {
    const own = this.#idle(row);
    this.#dropDrafts(own);
    const { context } = this.#storage.geometry;
    const wanted = own.ids.length + ids.length;
    if (wanted > context) {
      throw new StatusError(
        'outOfRange',
        `the text would have ${wanted} tokens, ${own.ids.length} of them there already; this` +
          ` model holds at most ${context} (the context that its package's 'prepare' gives)`,
      );
    }
    for (const id of ids) own.ids.push(id);
    own.sharedMax = sharedMax;
    return own.done === 0 ? this.#adopt(own) : 0;
  }

  /** Proposals for what follows; whatever the next commit does not take leaves again. */
  proposed(row: Row, ids: readonly number[]): void {
    const own = this.#idle(row);
    this.#dropDrafts(own);
    const room = this.#storage.geometry.context - own.ids.length;
    for (const id of ids.slice(0, room)) own.ids.push(id);
    own.drafts = Math.min(ids.length, room);
  }

  /**
   * How many of the next tokens can be computed now: there are pages for them, if need be in place
   * of cached ones. 0: none can be had before something is given up or settles. Fewer than wanted
   * also where a state is to be kept. A row that has computed nothing looks once more for what is
   * published, so read `done` afterwards.
   */
  reserve(row: Row, wanted: number): number {
    const own = this.#idle(row);
    const storage = this.#storage;
    if (own.done === 0) this.#adopt(own);
    own.reserved = 0;
    const limit = this.#spanLimit(own, Math.min(wanted, own.ids.length - own.done));
    if (limit <= 0 || !storage.makeFrontierOwn(own)) return 0;
    const { pageTokens } = storage.geometry;
    const need = Math.ceil((own.done + limit) / pageTokens);
    while (own.pages.length < need) {
      const page = storage.pages.take();
      if (page === null) break;
      own.pages.push(page);
    }
    own.reserved = Math.min(limit, own.pages.length * pageTokens - own.done);
    if (own.reserved > 0 && storage.keepsStates && !own.hasState) {
      storage.moves.clear(own.state);
      own.hasState = true;
    }
    return own.reserved;
  }

  /** A submission is made, with a span of each of these rows (`reserve` allowed it). */
  hold(rows: readonly Row[] = []): Hold {
    const owned = rows.map((row) => this.#idle(row));
    const { id, moves } = this.#storage.openHold();
    for (const row of owned) {
      assert(row.reserved > 0, `row ${row.ordinal} to have reserved its span`);
      row.hold = id;
    }
    const hold: OpenHold = { id, moves, rows: owned };
    this.#holds.set(id, hold);
    return hold;
  }

  /**
   * After retirement and before `settle`: so many tokens of the row's span count. Proposals that do
   * not leave its ids; `selected` follows them, to be computed next, if the context has room. Full
   * pages become visible. False: the row lost what it had since, it starts again, and nothing of
   * this counts.
   */
  commit(row: Row, completed: number, selected: number | null): boolean {
    const own = this.#open(row);
    if (own.hold === null) return false;
    const isInside = completed >= 0 && completed <= own.reserved;
    assert(isInside, `0 to ${own.reserved} completed tokens of row ${own.ordinal}`);
    if (own.done === 0 && completed > 0) this.#misses += 1;
    this.#computedTokens += completed;
    own.hold = null;
    own.reserved = 0;
    own.done += completed;
    own.ids.length = Math.max(own.done, own.ids.length - own.drafts);
    own.drafts = 0;
    if (selected !== null && own.ids.length < this.#storage.geometry.context) {
      own.ids.push(selected);
    }
    this.#storage.publish(own);
    if (completed > 0) this.#storage.keepState(own);
    return true;
  }

  /**
   * The submission retired and its rows have committed. One that has not, though it is open, starts
   * again where states are kept: nobody knows where its state is.
   */
  settle(hold: Hold): void {
    const { id, rows } = this.#take(hold);
    for (const row of rows) {
      if (row.hold !== id) continue;
      this.#dropDrafts(row);
      if (this.#storage.keepsStates) this.#storage.empty(row);
      row.hold = null;
    }
    this.#storage.holds.settle(id);
  }

  /**
   * The submission failed, and nothing more of it will run. Gives the rows that lost what they had:
   * they start again from their ids (a later commit of theirs says false). Rows without a span in
   * it may be among them: the submission was to copy for them.
   */
  fail(hold: Hold): readonly Row[] {
    const { id, moves, rows } = this.#take(hold);
    const storage = this.#storage;
    const spoiled = new Spoiled();
    spoiled.fail(moves);
    for (const row of rows) {
      if (row.hold !== id) continue;
      row.hold = null;
      this.#dropDrafts(row);
      if (storage.keepsStates) spoiled.states.add(row.state);
    }
    for (const later of this.#holds.values()) if (later.id > id) spoiled.follow(later.moves);
    spoiled.follow(storage.moves.pending);
    storage.snapshots.dropThose(spoiled.states);
    this.#checkpoints.spillThose(({ pages }) => spoiled.hasPage(pages));
    const lost = [...this.#rows.values()].filter(
      (row) => (row.hasState && spoiled.states.has(row.state)) || spoiled.hasPage(row.pages),
    );
    for (const row of lost) this.spill(row);
    storage.holds.settle(id);
    return lost;
  }

  /** A second row with the same ids and contents; null as of `open`. */
  fork(row: Row): Row | null {
    const own = this.#idle(row);
    const fork = this.open(own.kind);
    if (fork === null) return null;
    const made = this.#open(fork);
    this.#dropDrafts(own);
    this.#storage.share(own, made);
    made.cached = own.done;
    made.hasState = own.hasState && own.done > 0;
    if (made.hasState) this.#storage.moves.copyState(own.state, made.state);
    return made;
  }

  /**
   * Keeps the first `tokens` ids and what is computed of them; where states are kept, the nearest
   * one at or below is taken up, and the rest is computed again.
   */
  rewind(row: Row, tokens: number): void {
    const own = this.#idle(row);
    this.#dropDrafts(own);
    if (!Number.isSafeInteger(tokens) || tokens < 0 || tokens > own.ids.length) {
      throw new StatusError(
        'failedPrecondition',
        `rewinding to ${tokens} tokens; 0 to ${own.ids.length} are retained`,
      );
    }
    own.ids.length = tokens;
    this.#storage.retreat(own, tokens);
  }

  /** Leaves at least one token to compute, for a turn that appends nothing. */
  stepBack(row: Row): void {
    const own = this.#idle(row);
    if (own.ids.length > 0) this.#storage.retreat(own, own.ids.length - 1);
  }

  checkpoint(row: Row): Checkpoint {
    const own = this.#idle(row);
    this.#dropDrafts(own);
    return this.#checkpoints.make(own);
  }

  /** The row holds what it held then, any row of the same kind. */
  restore(row: Row, checkpoint: Checkpoint): void {
    this.#checkpoints.restore(this.#idle(row), checkpoint);
  }

  dropCheckpoint(checkpoint: Checkpoint): void {
    this.#checkpoints.drop(checkpoint);
  }

  /** Gives up pages and state; the ids stay, to be computed again after a `restore`. */
  spillCheckpoint(checkpoint: Checkpoint): void {
    this.#checkpoints.spill(checkpoint);
  }

  /**
   * An empty row takes contents from outside: `ids` of which `done` tokens are to be filled into
   * its pages and state by the next submission that holds it, committed as if computed. False: no
   * pages. What comes from outside is never published.
   */
  install(row: Row, ids: readonly number[], done: number): boolean {
    const own = this.#idle(row);
    assert(own.ids.length === 0, `row ${own.ordinal} to be empty`);
    assert(done > 0 && done <= ids.length, `1 to ${ids.length} tokens to fill in, not ${done}`);
    const { context, pageTokens } = this.#storage.geometry;
    assert(ids.length <= context, `at most ${context} tokens, not ${ids.length}`);
    while (own.pages.length * pageTokens < done) {
      const page = this.#storage.pages.take();
      if (page === null) {
        this.#storage.empty(own);
        return false;
      }
      own.pages.push(page);
    }
    for (const id of ids) own.ids.push(id);
    own.isForeign = true;
    own.hasState = true;
    own.reserved = done;
    return true;
  }

  /** The row gives up pages and state and keeps its ids, to be computed again. */
  spill(row: Row): void {
    const own = this.#open(row);
    this.#dropDrafts(own);
    this.#storage.empty(own);
  }

  /** At any time; what a submission in flight has of it waits for that. */
  close(row: Row): void {
    const own = this.#open(row);
    this.#storage.empty(own);
    own.isOpen = false;
    this.#rows.delete(own.ordinal);
    this.#ordinals.touch(own.ordinal, this.#storage.holds.newest);
    this.#ordinals.give(own.ordinal);
  }

  /**
   * Pages and states are gone as they are: rows and checkpoints keep their ids, to be computed
   * again, and nothing is published or to be moved any more. No submission may be in flight.
   */
  evict(): void {
    assert(this.#holds.size === 0, 'no submission to be in flight when all is given up');
    for (const row of this.#rows.values()) this.spill(row);
    this.#checkpoints.spillThose(() => true);
    this.dropCache();
    this.#storage.moves.drain();
  }

  /** Forgets published pages that nobody refers to. */
  dropCache(): void {
    this.#storage.pages.dropCache();
  }

  describe(): RowCounts {
    return {
      ...this.#storage.pages.counts(),
      rows: this.#rows.size,
      checkpoints: this.#checkpoints.size,
      snapshots: this.#storage.snapshots.size,
      holds: this.#holds.size,
      copiedBytes: this.#storage.moves.copiedBytes,
      hits: this.#hits,
      misses: this.#misses,
      sharedTokens: this.#sharedTokens,
      computedTokens: this.#computedTokens,
    };
  }

  #adopt(row: RetainedRow): number {
    const found = this.#storage.adopt(row);
    if (found > 0) this.#hits += 1;
    this.#sharedTokens += found;
    return found;
  }

  /**
   * A span of several tokens ends at its last page boundary, or where the text leaves what others
   * hold: the state there is worth keeping. Proposals are not worth a second epoch.
   */
  #spanLimit(row: RetainedRow, limit: number): number {
    const storage = this.#storage;
    if (!storage.keepsStates || row.drafts > 0 || !storage.snapshots.hasRoom) return limit;
    const { pageTokens } = storage.geometry;
    if (row.branch > row.done && row.branch < row.done + limit) return row.branch - row.done;
    const boundary = Math.floor((row.done + limit) / pageTokens) * pageTokens;
    return boundary > row.done ? boundary - row.done : limit;
  }

  #dropDrafts(row: RetainedRow): void {
    row.ids.length -= row.drafts;
    row.drafts = 0;
  }

  #open(row: Row): RetainedRow {
    const own = this.#rows.get(row.ordinal);
    assert(own !== undefined && own === row, `row ${row.ordinal} to be open`);
    return own;
  }

  #idle(row: Row): RetainedRow {
    const own = this.#open(row);
    assert(own.hold === null, `row ${own.ordinal} not to be in flight`);
    return own;
  }

  #take(hold: Hold): OpenHold {
    const open = this.#holds.get(hold.id);
    assert(open !== undefined, `submission ${hold.id} to be in flight`);
    this.#holds.delete(hold.id);
    return open;
  }
}
