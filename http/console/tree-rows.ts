/**
 * The rows of the actor tree: threads, then actors under whoever supervises them, as far as they
 * are open and match. What matches is shown with the way to it.
 */
import type { Actor } from './picture.js';
import { pathOf } from './picture.js';

export interface TreeRow {
  /** Address of an actor, or the root `THREAD:/` for a thread. */
  readonly key: string;
  readonly depth: number;
  readonly name: string;
  readonly actor: Actor | null;
  readonly children: number;
  readonly isOpen: boolean;
  /** Of its siblings, for those who cannot see the tree: 1 is the first. */
  readonly position: number;
  readonly siblings: number;
}

export interface TreeFilter {
  readonly text: string;
  /** Addresses that match for another reason: the request that was asked for. */
  readonly also: ReadonlySet<string>;
}

const byName = new Intl.Collator('en', { numeric: true });

export function treeRows(
  actors: ReadonlyMap<string, Actor>,
  closed: ReadonlySet<string>,
  filter: TreeFilter,
): TreeRow[] {
  const children = childrenOf(actors);
  const shown = filter.text === '' ? null : matching(actors, filter);
  const rows: TreeRow[] = [];
  const walk = (parent: string, depth: number): void => {
    const list = (children.get(parent) ?? []).filter((key) => shown === null || shown.has(key));
    for (const [index, key] of list.entries()) {
      const below = (children.get(key) ?? []).filter((child) => shown === null || shown.has(child));
      // A filter opens everything: what it found would be hidden otherwise.
      const isOpen = below.length > 0 && (shown !== null || !closed.has(key));
      rows.push({
        key,
        depth,
        name: nameOf(key, parent),
        actor: actors.get(key) ?? null,
        children: below.length,
        isOpen,
        position: index + 1,
        siblings: list.length,
      });
      if (isOpen) walk(key, depth + 1);
    }
  };
  walk('', 0);
  return rows;
}

/** By parent, sorted as people count; threads are the children of ''. */
function childrenOf(actors: ReadonlyMap<string, Actor>): Map<string, string[]> {
  const children = new Map<string, string[]>();
  const put = (parent: string, key: string): void => {
    const list = children.get(parent);
    if (list === undefined) children.set(parent, [key]);
    else list.push(key);
  };
  for (const thread of new Set([...actors.values()].map((actor) => actor.thread))) {
    put('', `${thread}:/`);
  }
  for (const { address, thread, parent } of actors.values()) {
    if (address === `${thread}:/`) continue;
    // Whoever is supervised from another thread stands at the top of its own.
    const isNear = parent !== address && actors.get(parent ?? '')?.thread === thread;
    put(isNear ? parent! : `${thread}:/`, address);
  }
  for (const list of children.values()) list.sort(byName.compare);
  return children;
}

/** The last part of an address below its parent, or the thread's name. */
function nameOf(key: string, parent: string): string {
  if (parent === '') return key.slice(0, key.indexOf(':'));
  const prefix = parent.endsWith('/') ? parent : `${parent}/`;
  return key.startsWith(prefix) ? key.slice(prefix.length) : pathOf(key);
}

export function matches({ address, kind, state }: Actor, { text, also }: TreeFilter): boolean {
  const all = `${address} ${kind} ${state ?? ''}`.toLowerCase();
  const words = text.toLowerCase().split(/\s+/);
  return also.has(address) || words.every((word) => all.includes(word));
}

function matching(actors: ReadonlyMap<string, Actor>, filter: TreeFilter): Set<string> {
  const shown = new Set<string>();
  for (const actor of actors.values()) {
    if (!matches(actor, filter)) continue;
    const { thread } = actor;
    let at: Actor | undefined = actor;
    while (at !== undefined && at.thread === thread && !shown.has(at.address)) {
      shown.add(at.address);
      at = at.parent === null ? undefined : actors.get(at.parent);
    }
    shown.add(`${thread}:/`);
  }
  return shown;
}
