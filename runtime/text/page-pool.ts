/**
 * Pages by number: how many refer to each, which are published, and what may be written. A page
 * that is published or that two refer to is never written (law I9). What nobody refers to is free,
 * but for published pages: those stay as a cache and leave, least recently used first, when pages
 * are wanted.
 */
import { assert } from '../base/errors.js';
import type { Holds } from './holds.js';
import type { PrefixNode, PrefixTree } from './prefix-tree.js';
import { SlotPool } from './slot-pool.js';

export interface PageCounts {
  /** That rows and checkpoints refer to. */
  readonly pagesUsed: number;
  /** Published, and nobody refers to them. */
  readonly pagesCached: number;
  readonly pagesFree: number;
  /** Given up while submissions were in flight. */
  readonly pagesWaiting: number;
  /** That more than one refers to. */
  readonly sharedPages: number;
  /** Cached pages that left. */
  readonly evictions: number;
}

export class PagePool {
  readonly #count: number;
  readonly #holds: Holds;
  readonly #tree: PrefixTree;
  readonly #slots: SlotPool;
  readonly #references: Int32Array;
  /** Of those that are published. */
  readonly #nodes = new Map<number, PrefixNode>();
  readonly #onEvict: (node: PrefixNode) => void;
  #shared = 0;
  #evictions = 0;

  constructor(options: {
    readonly count: number;
    readonly holds: Holds;
    readonly tree: PrefixTree;
    readonly onEvict: (node: PrefixNode) => void;
  }) {
    this.#count = options.count;
    this.#holds = options.holds;
    this.#tree = options.tree;
    this.#onEvict = options.onEvict;
    this.#slots = new SlotPool(options.count, options.holds);
    this.#references = new Int32Array(options.count);
  }

  counts(): PageCounts {
    const { free, waiting } = this.#slots;
    const { resting } = this.#tree;
    return {
      pagesUsed: this.#count - free - waiting - resting,
      pagesCached: resting,
      pagesFree: free,
      pagesWaiting: waiting,
      sharedPages: this.#shared,
      evictions: this.#evictions,
    };
  }

  /** A page to write to, with one reference; null when none can be had now. */
  take(): number | null {
    let page = this.#slots.take();
    if (page === null && this.#evict((node) => this.#slots.isSettled(node.page))) {
      page = this.#slots.take();
    }
    if (page !== null) this.#references[page] = 1;
    return page;
  }

  retain(page: number): void {
    const count = (this.#references[page]! += 1);
    if (count === 2) this.#shared += 1;
    const node = this.#nodes.get(page);
    if (count === 1 && node !== undefined) this.#tree.wake(node);
  }

  release(page: number): void {
    const count = (this.#references[page]! -= 1);
    assert(count >= 0, `somebody to refer to page ${page}`);
    if (count === 1) this.#shared -= 1;
    if (count > 0) return;
    this.#slots.touch(page, this.#holds.newest);
    const node = this.#nodes.get(page);
    if (node === undefined) this.#slots.give(page);
    else this.#tree.rest(node);
  }

  /** From the last one on, so that what is deeper rests before what is above it. */
  releaseFrom(pages: number[], first: number): void {
    while (pages.length > first) this.release(pages.pop()!);
  }

  mayWrite(page: number): boolean {
    return this.#references[page] === 1 && !this.#nodes.has(page);
  }

  publish(node: PrefixNode): void {
    this.#nodes.set(node.page, node);
  }

  touch(page: number, hold: number): void {
    this.#slots.touch(page, hold);
  }

  dropCache(): void {
    while (this.#evict(() => true));
  }

  #evict(mayGo: (node: PrefixNode) => boolean): boolean {
    const node = this.#tree.evict(mayGo);
    if (node === null) return false;
    this.#evictions += 1;
    this.#nodes.delete(node.page);
    this.#onEvict(node);
    this.#slots.give(node.page);
    return true;
  }
}
