/**
 * Which specializations a generation keeps: at most `capacity` that nobody uses, least recently
 * used first out. Entries in use are never chosen, so the bound may be exceeded while they are.
 */
interface Entry {
  users: number;
  lastUse: number;
}

export class SpecializationCache {
  readonly #capacity: number;
  readonly #entries = new Map<string, Entry>();
  #uses = 0;

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  use(key: string): void {
    const entry = this.#entries.get(key) ?? { users: 0, lastUse: 0 };
    entry.users += 1;
    entry.lastUse = ++this.#uses;
    this.#entries.set(key, entry);
  }

  release(key: string): void {
    const entry = this.#entries.get(key);
    if (entry !== undefined) entry.users -= 1;
  }

  forget(key: string): void {
    this.#entries.delete(key);
  }

  keys(): string[] {
    return [...this.#entries.keys()];
  }

  /** Keys to evict now, least recently used first. */
  surplus(): string[] {
    const idle = [...this.#entries]
      .filter(([, entry]) => entry.users === 0)
      .sort(([, a], [, b]) => a.lastUse - b.lastUse);
    const excess = Math.max(0, this.#entries.size - this.#capacity);
    return idle.slice(0, excess).map(([key]) => key);
  }
}
