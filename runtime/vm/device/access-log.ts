/**
 * Who touched which word, to find races: two parties on one word with a write among them.
 * Parties are lanes inside a region, or workgroups inside a dispatch. An accumulation commutes
 * with its own kind only. A log forgets everything when a new span (region, dispatch) begins.
 */
export type AccumulateKind = 'add' | 'min' | 'max' | 'and' | 'or' | 'xor';
export type AccessKind = 'read' | 'write' | AccumulateKind;

interface Entry {
  span: number;
  /** First party of each kind that occurred, and whether there was another. */
  readonly parties: Map<AccessKind, { readonly first: number; several: boolean }>;
}

export class AccessLog {
  readonly #entries = new Map<number, Entry>();

  /** The kind of an earlier access by another party that this one races with, or null. */
  note(word: number, access: { kind: AccessKind; party: number; span: number }): AccessKind | null {
    const { kind, party, span } = access;
    const { parties } = this.#entry(word, span);
    let conflict: AccessKind | null = null;
    for (const [earlier, { first, several }] of parties) {
      const compatible = earlier === kind && kind !== 'write';
      if (!compatible && (first !== party || several)) conflict = earlier;
    }
    const own = parties.get(kind);
    if (!own) parties.set(kind, { first: party, several: false });
    else if (own.first !== party) own.several = true;
    return conflict;
  }

  #entry(word: number, span: number): Entry {
    const known = this.#entries.get(word);
    if (known?.span === span) return known;
    const entry: Entry = { span, parties: new Map() };
    this.#entries.set(word, entry);
    return entry;
  }
}
