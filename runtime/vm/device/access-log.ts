/**
 * Who touched which word, to find races: two parties on one word with a write among them.
 * Parties are lanes inside a region, or workgroups inside a dispatch. Accumulation commutes with
 * itself only. A log forgets everything when a new span (region, dispatch) begins.
 */
export type AccessKind = 'read' | 'write' | 'accumulate';

interface Entry {
  span: number;
  /** First party of each kind, and whether there was another; -1: none. */
  readonly first: Record<AccessKind, number>;
  readonly several: Record<AccessKind, boolean>;
}

const kinds: readonly AccessKind[] = ['read', 'write', 'accumulate'];

export class AccessLog {
  readonly #entries = new Map<number, Entry>();

  /** The kind of an earlier access by another party that this one races with, or null. */
  note(word: number, access: { kind: AccessKind; party: number; span: number }): AccessKind | null {
    const { kind, party, span } = access;
    const entry = this.#entry(word, span);
    let conflict: AccessKind | null = null;
    for (const earlier of kinds) {
      const compatible = earlier === kind && kind !== 'write';
      if (!compatible && hasOther(entry, earlier, party)) conflict = earlier;
    }
    if (entry.first[kind] < 0) entry.first[kind] = party;
    else if (entry.first[kind] !== party) entry.several[kind] = true;
    return conflict;
  }

  #entry(word: number, span: number): Entry {
    const known = this.#entries.get(word);
    if (known?.span === span) return known;
    const entry: Entry = {
      span,
      first: { read: -1, write: -1, accumulate: -1 },
      several: { read: false, write: false, accumulate: false },
    };
    this.#entries.set(word, entry);
    return entry;
  }
}

function hasOther(entry: Entry, kind: AccessKind, party: number): boolean {
  const first = entry.first[kind];
  return first >= 0 && (first !== party || entry.several[kind]);
}
