/**
 * Pieces of a vocabulary by their UTF-16 units. A walk from a position of a text meets every piece
 * that starts there, shortest first, in time of the longest one.
 */
export interface TrieNode {
  readonly next: Map<number, TrieNode>;
  /** -1: no piece ends here. */
  id: number;
  score: number;
}

const node = (): TrieNode => ({ next: new Map(), id: -1, score: 0 });

export class PieceTrie {
  readonly root = node();
  /** Units of the longest piece. */
  longest = 0;

  /** A later piece takes the place of an equal earlier one. */
  add(piece: string, id: number, score = 0): void {
    let at = this.root;
    for (let index = 0; index < piece.length; index += 1) {
      const unit = piece.charCodeAt(index);
      let next = at.next.get(unit);
      if (next === undefined) {
        next = node();
        at.next.set(unit, next);
      }
      at = next;
    }
    at.id = id;
    at.score = score;
    this.longest = Math.max(this.longest, piece.length);
  }

  /** The longest piece at `start`, as its id and end; null when none starts there. */
  longestAt(text: string, start: number): { readonly id: number; readonly end: number } | null {
    let found: { readonly id: number; readonly end: number } | null = null;
    let at: TrieNode | undefined = this.root;
    for (let index = start; index < text.length; index += 1) {
      at = at.next.get(text.charCodeAt(index));
      if (at === undefined) break;
      if (at.id >= 0) found = { id: at.id, end: index + 1 };
    }
    return found;
  }
}

/** Units of the character at `index`: two for a pair of surrogates. */
export function characterUnits(text: string, index: number): number {
  const first = text.charCodeAt(index);
  if (first < 0xd800 || first > 0xdbff) return 1;
  const second = text.charCodeAt(index + 1);
  return second >= 0xdc00 && second <= 0xdfff ? 2 : 1;
}
