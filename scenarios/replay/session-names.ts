/**
 * Ids of sessions in two runs: the server names them in the order of their opening, which two runs
 * need not share. What is asked is renamed on its way in, what is answered on its way out.
 */

/** A model, its generation, a number; `kjv@1.1` is no part of `kjv@1.12`. */
const named = /[\w.-]+@\d+\.\d+/g;

export class SessionNames {
  readonly #replayed = new Map<string, string>();
  readonly #recorded = new Map<string, string>();

  /** The session that one run calls so is called so in the other. */
  same(recorded: string, replayed: string): void {
    this.#replayed.set(recorded, replayed);
    this.#recorded.set(replayed, recorded);
  }

  toReplay(text: string): string {
    return renamed(text, this.#replayed);
  }

  toRecorded(text: string): string {
    return renamed(text, this.#recorded);
  }
}

/** Sessions that a path or a body names. */
export const sessionsIn = (text: string): readonly string[] => text.match(named) ?? [];

/** A path with its names as they are, where that can be told. */
export const plainPath = (path: string): string => path.replaceAll('%40', '@');

function renamed(text: string, names: ReadonlyMap<string, string>): string {
  if (names.size === 0 || !text.includes('@')) return text;
  return text.replace(named, (name) => names.get(name) ?? name);
}
