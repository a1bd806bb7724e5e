/**
 * Where the contents of rows lie: pages, states, published prefixes, and the moves between them.
 * The steps that `RowStore` is made of; each keeps the row's own books (`done`, `pages`, `path`,
 * `hasState`) in agreement with what is referred to.
 */
import type { TextGeometry } from '../profiles/text.js';
import { Holds } from './holds.js';
import { MoveList } from './moves.js';
import type { Move } from './moves.js';
import { PagePool } from './page-pool.js';
import { PrefixTree } from './prefix-tree.js';
import type { PrefixNode } from './prefix-tree.js';
import type { Contents, RetainedRow } from './retained-row.js';
import { Snapshots } from './snapshots.js';

export class RowStorage {
  readonly geometry: TextGeometry;
  readonly holds = new Holds();
  readonly moves: MoveList;
  readonly pages: PagePool;
  readonly snapshots: Snapshots;
  readonly #tree: PrefixTree;

  constructor(geometry: TextGeometry) {
    this.geometry = geometry;
    this.moves = new MoveList(geometry);
    this.#tree = new PrefixTree(geometry.pageTokens);
    const spare = this.keepsStates ? geometry.states - geometry.rows : 0;
    this.snapshots = new Snapshots(geometry.rows, spare, this.holds);
    this.pages = new PagePool({
      count: geometry.pages,
      holds: this.holds,
      tree: this.#tree,
      onEvict: ({ snapshot }) => void (snapshot !== null && this.snapshots.drop(snapshot)),
    });
  }

  get keepsStates(): boolean {
    return this.geometry.stateBytes > 0;
  }

  /**
   * A row that has computed nothing takes what is published; one token stays to compute, and what
   * is only proposed, too: it is known to be its text when an epoch has verified it.
   */
  adopt(row: RetainedRow): number {
    const { pageTokens } = this.geometry;
    const known = row.ids.length - row.drafts;
    const full = Math.floor(Math.min(known - 1, row.sharedMax) / pageTokens);
    const path = this.#tree.match(row.kind, row.ids, full);
    row.branch = this.keepsStates ? path.length * pageTokens : 0;
    this.#cutToState(path);
    // Pages that it reserved and has not written stay its own.
    if (path.length === 0) return 0;
    for (const { page } of path) this.pages.retain(page);
    this.pages.releaseFrom(row.pages, 0);
    row.path = path;
    row.pages = path.map(({ page }) => page);
    row.done = path.length * pageTokens;
    this.#resumeState(row);
    row.cached = row.done;
    return row.done;
  }

  /** The row keeps what was computed for its first `tokens` tokens, or for fewer of them. */
  retreat(row: RetainedRow, tokens: number): void {
    if (row.done <= tokens) return;
    if (this.keepsStates) this.resume(row, tokens);
    else this.#truncate(row, tokens);
  }

  /** Goes to the nearest state at or below `tokens`; needs states. */
  resume(row: RetainedRow, tokens: number): void {
    const { pageTokens } = this.geometry;
    const path = row.path.slice(0, Math.floor(tokens / pageTokens));
    this.#cutToState(path);
    this.#truncate(row, path.length * pageTokens);
    this.#resumeState(row);
  }

  /** Gives up all that was computed. */
  empty(row: RetainedRow): void {
    this.#truncate(row, 0);
    row.hasState = false;
    row.hold = null;
  }

  /** `to` lets go of what it has and refers to what `from` has; its state is the caller's. */
  share(from: Contents, to: RetainedRow): void {
    const shared = from.pages.slice(0, Math.ceil(from.done / this.geometry.pageTokens));
    for (const page of shared) this.pages.retain(page);
    this.empty(to);
    to.ids = [...from.ids];
    to.done = from.done;
    to.pages = shared;
    to.path = [...from.path];
    to.isForeign = from.isForeign;
  }

  /** Where `done` is not at the start of a page, the page that the next token is written to. */
  makeFrontierOwn(row: RetainedRow): boolean {
    const { pageTokens } = this.geometry;
    if (row.done % pageTokens === 0) return true;
    const index = Math.floor(row.done / pageTokens);
    const shared = row.pages[index]!;
    if (this.pages.mayWrite(shared)) return true;
    const own = this.pages.take();
    if (own === null) return false;
    this.moves.copyPage(shared, own);
    row.pages[index] = own;
    this.pages.release(shared);
    return true;
  }

  /** Full pages of a row become visible; what is published already it takes in their place. */
  publish(row: RetainedRow): void {
    if (row.isForeign) return;
    const full = Math.floor(row.done / this.geometry.pageTokens);
    for (let index = row.path.length; index < full; index++) {
      const parent: PrefixNode = row.path[index - 1] ?? this.#tree.root(row.kind);
      const page = row.pages[index]!;
      const known = this.#tree.find(parent, row.ids, index);
      if (known === null) {
        const node = this.#tree.add(parent, row.ids, page);
        this.pages.publish(node);
        row.path.push(node);
      } else {
        this.pages.retain(known.page);
        this.pages.release(page);
        row.pages[index] = known.page;
        row.path.push(known);
      }
    }
  }

  /** Keeps the state behind a published page, if the row ends there and there is a place. */
  keepState(row: RetainedRow): void {
    const { pageTokens } = this.geometry;
    if (!this.keepsStates || row.done % pageTokens !== 0) return;
    const node = row.path[row.done / pageTokens - 1];
    if (node === undefined) return;
    if (node.snapshot !== null) this.snapshots.renew(node.snapshot);
    else {
      const snapshot = this.snapshots.take(node, false);
      if (snapshot !== null) this.moves.copyState(row.state, snapshot.slot);
    }
  }

  /** A submission begins: it takes all moves, and touches what they touch. */
  openHold(): { readonly id: number; readonly moves: readonly Move[] } {
    const id = this.holds.open();
    const moves = this.moves.drain();
    for (const move of moves) {
      if (move.kind === 'page') {
        this.pages.touch(move.from, id);
        this.pages.touch(move.to, id);
      } else if (move.kind === 'state') {
        this.snapshots.touch(move.from, id);
        this.snapshots.touch(move.to, id);
      }
    }
    this.snapshots.carry(id);
    return { id, moves };
  }

  #truncate(row: RetainedRow, done: number): void {
    const { pageTokens } = this.geometry;
    this.pages.releaseFrom(row.pages, Math.ceil(done / pageTokens));
    row.path.length = Math.min(row.path.length, Math.floor(done / pageTokens));
    row.done = done;
    row.reserved = 0;
    if (done === 0) row.isForeign = false;
  }

  /** Where states are kept a path is good up to its last state that is there. */
  #cutToState(path: PrefixNode[]): void {
    if (!this.keepsStates) return;
    const { snapshots } = this;
    while (path.length > 0) {
      const { snapshot } = path[path.length - 1]!;
      if (snapshot !== null && snapshots.isReady(snapshot)) return;
      path.pop();
    }
  }

  #resumeState(row: RetainedRow): void {
    if (!this.keepsStates) return;
    const snapshot = row.path[row.path.length - 1]?.snapshot ?? null;
    row.hasState = snapshot !== null;
    if (snapshot === null) return;
    this.snapshots.renew(snapshot);
    this.moves.copyState(snapshot.slot, row.state);
  }
}
