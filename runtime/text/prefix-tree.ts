/**
 * Full pages that are published, by what they hold: a node is its parent and the ids of its page,
 * compared whole, so two different texts are never one. Roots are kinds of rows: what is computed
 * under another kind has the same ids and other contents.
 *
 * A node that nobody refers to rests, least recently used first; who refers to a node refers to all
 * above it, so what rests lies below what is used. Nothing here knows the device.
 */
import { assert } from '../base/errors.js';
import type { Snapshot } from './snapshots.js';

export interface PrefixNode {
  readonly parent: PrefixNode | null;
  readonly key: string;
  /** -1 of a root. */
  readonly page: number;
  /** Pages from position 0 to this one's last. */
  readonly depth: number;
  readonly children: Map<string, PrefixNode>;
  /** The state right behind the page's last token. */
  snapshot: Snapshot | null;
}

export class PrefixTree {
  readonly #pageTokens: number;
  readonly #roots = new Map<string, PrefixNode>();
  readonly #resting = new Set<PrefixNode>();

  constructor(pageTokens: number) {
    this.#pageTokens = pageTokens;
  }

  get resting(): number {
    return this.#resting.size;
  }

  root(kind: string): PrefixNode {
    let root = this.#roots.get(kind);
    if (root === undefined) {
      root = makeNode(null, kind, -1);
      this.#roots.set(kind, root);
    }
    return root;
  }

  /** The published page that follows `parent` with the ids of page `index`. */
  find(parent: PrefixNode, ids: readonly number[], index: number): PrefixNode | null {
    return parent.children.get(this.#key(ids, index)) ?? null;
  }

  /** The longest published path over the first `pages` pages of `ids`. */
  match(kind: string, ids: readonly number[], pages: number): PrefixNode[] {
    const path: PrefixNode[] = [];
    let node: PrefixNode | null = this.root(kind);
    while (path.length < pages) {
      node = this.find(node, ids, path.length);
      if (node === null) break;
      path.push(node);
    }
    return path;
  }

  add(parent: PrefixNode, ids: readonly number[], page: number): PrefixNode {
    const key = this.#key(ids, parent.depth);
    assert(!parent.children.has(key), 'a published page to be the only one of its text');
    const node = makeNode(parent, key, page);
    parent.children.set(key, node);
    return node;
  }

  /** Nobody refers to it any more. Children come before their parents. */
  rest(node: PrefixNode): void {
    this.#resting.add(node);
  }

  wake(node: PrefixNode): void {
    this.#resting.delete(node);
  }

  /** Takes out the resting node without children that has rested longest, of those that may go. */
  evict(mayGo: (node: PrefixNode) => boolean): PrefixNode | null {
    for (const node of this.#resting) {
      if (node.children.size > 0 || !mayGo(node)) continue;
      this.#resting.delete(node);
      const { parent } = node;
      parent?.children.delete(node.key);
      if (parent?.parent === null && parent.children.size === 0) this.#roots.delete(parent.key);
      return node;
    }
    return null;
  }

  #key(ids: readonly number[], index: number): string {
    return ids.slice(index * this.#pageTokens, (index + 1) * this.#pageTokens).join();
  }
}

function makeNode(parent: PrefixNode | null, key: string, page: number): PrefixNode {
  const depth = parent === null ? 0 : parent.depth + 1;
  return { parent, key, page, depth, children: new Map(), snapshot: null };
}
