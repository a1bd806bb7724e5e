/** Since when what several parties say has not changed. */
interface Said {
  readonly text: string;
  sinceMs: number;
}

export class Stillness {
  readonly #said = new Map<string, Said>();

  /** For how long `name` has said the same; null: it has nothing to do, and is not still. */
  since(name: string, text: string | null, nowMs: number): number {
    const last = this.#said.get(name);
    if (text === null) this.#said.delete(name);
    else if (last?.text === text) return nowMs - last.sinceMs;
    else this.#said.set(name, { text, sinceMs: nowMs });
    return 0;
  }

  /** Nobody could be heard for so long. */
  forgive(ms: number): void {
    for (const said of this.#said.values()) said.sinceMs += ms;
  }

  /** Forgets all others. */
  keep(names: ReadonlySet<string>): void {
    for (const name of this.#said.keys()) if (!names.has(name)) this.#said.delete(name);
  }
}
