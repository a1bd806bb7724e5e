/**
 * The last artefacts that this thread compiled, by the identity of everything that went into them.
 * Bounded, least recently used leaves first. Registering the same package again, or a second
 * deployment of it, then compiles nothing on this thread.
 */
export class ArtefactCache<Artefact> {
  readonly #capacity: number;
  /** In order of last use: Maps keep insertion order. */
  readonly #entries = new Map<string, Artefact>();

  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** What the key has, or what `make` gives; an error of `make` leaves nothing behind. */
  use(key: string, make: () => Artefact): Artefact {
    const known = this.#entries.get(key);
    const artefact = known ?? make();
    this.#entries.delete(key);
    this.#entries.set(key, artefact);
    if (this.#entries.size > this.#capacity) {
      const [oldest] = this.#entries.keys();
      this.#entries.delete(oldest!);
    }
    return artefact;
  }
}
