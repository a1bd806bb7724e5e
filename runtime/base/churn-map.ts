/**
 * A map and a set for entries that come and go thousands of times a second: asks, timers, actors.
 *
 * V8 moves the entries of a map to a fresh table whenever the old one is full of deleted places,
 * and lets the old table point to its successor. Once a table lives in the old space, all that
 * follow are kept alive by it though nobody uses them, with every entry that they held, until the
 * next full collection: each collection of young objects copies megabytes of garbage. Here the
 * whole map is given up before its tables make a chain.
 *
 * Holds: entries keep the order in which they came, as in a map. What is listed is a copy: it may
 * be changed while one goes through it.
 */

/** Deletions after which the map is made anew, unless it is larger than that. */
const RENEWAL = 64;

export class ChurnMap<Key, Value> {
  #map = new Map<Key, Value>();
  #deleted = 0;

  get size(): number {
    return this.#map.size;
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key);
  }

  has(key: Key): boolean {
    return this.#map.has(key);
  }

  set(key: Key, value: Value): this {
    this.#map.set(key, value);
    return this;
  }

  /** False when there is none. */
  delete(key: Key): boolean {
    if (!this.#map.delete(key)) return false;
    this.#deleted += 1;
    if (this.#deleted >= RENEWAL && this.#deleted >= this.#map.size) {
      this.#deleted = 0;
      this.#map = new Map(this.#map);
    }
    return true;
  }

  keys(): Key[] {
    return [...this.#map.keys()];
  }

  values(): Value[] {
    return [...this.#map.values()];
  }

  [Symbol.iterator](): Iterator<[Key, Value]> {
    return [...this.#map][Symbol.iterator]();
  }
}

export class ChurnSet<Value> {
  readonly #map = new ChurnMap<Value, true>();

  get size(): number {
    return this.#map.size;
  }

  has(value: Value): boolean {
    return this.#map.has(value);
  }

  add(value: Value): this {
    this.#map.set(value, true);
    return this;
  }

  /** False when it was not there. */
  delete(value: Value): boolean {
    return this.#map.delete(value);
  }

  [Symbol.iterator](): Iterator<Value> {
    return this.#map.keys()[Symbol.iterator]();
  }
}
