/**
 * Who watches whom, seen from one thread. A pair (watcher, target) is in the table from `watch` to
 * its one `down` or to `unwatch`; whoever removes the pair delivers the `down`. The thread of the
 * target keeps the pair to know whom to tell, the thread of the watcher to tell it once.
 */
import { ChurnMap } from '../base/churn-map.js';
import { threadOf, type Address } from './address.js';

export class Watches {
  readonly #watchersOf = new ChurnMap<Address, Set<Address>>();
  readonly #targetsOf = new ChurnMap<Address, Set<Address>>();

  /** Pairs, for `describe`. */
  get size(): number {
    let size = 0;
    for (const targets of this.#targetsOf.values()) size += targets.size;
    return size;
  }

  /** False when the pair was there. */
  add(watcher: Address, target: Address): boolean {
    if (this.#targetsOf.get(watcher)?.has(target)) return false;
    insert(this.#watchersOf, target, watcher);
    insert(this.#targetsOf, watcher, target);
    return true;
  }

  /** False when the pair was not there. */
  remove(watcher: Address, target: Address): boolean {
    if (!this.#targetsOf.get(watcher)?.has(target)) return false;
    erase(this.#watchersOf, target, watcher);
    erase(this.#targetsOf, watcher, target);
    return true;
  }

  watchersOf(target: Address): Address[] {
    return [...(this.#watchersOf.get(target) ?? [])];
  }

  targetsOf(watcher: Address): Address[] {
    return [...(this.#targetsOf.get(watcher) ?? [])];
  }

  /** Pairs whose target lives in the thread. */
  targetsIn(thread: string): [watcher: Address, target: Address][] {
    const pairs: [Address, Address][] = [];
    for (const [target, watchers] of this.#watchersOf) {
      if (threadOf(target) === thread)
        for (const watcher of watchers) pairs.push([watcher, target]);
    }
    return pairs;
  }

  /** Forgets every watcher of a thread that has ended. */
  dropWatchersIn(thread: string): void {
    for (const watcher of [...this.#targetsOf.keys()]) {
      if (threadOf(watcher) !== thread) continue;
      for (const target of this.targetsOf(watcher)) this.remove(watcher, target);
    }
  }
}

function insert(map: ChurnMap<Address, Set<Address>>, key: Address, value: Address): void {
  const values = map.get(key);
  if (values === undefined) map.set(key, new Set([value]));
  else values.add(value);
}

function erase(map: ChurnMap<Address, Set<Address>>, key: Address, value: Address): void {
  const values = map.get(key);
  values?.delete(value);
  if (values?.size === 0) map.delete(key);
}
