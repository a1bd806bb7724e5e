/**
 * WordPiece: from the left, the longest entry that fits, then the longest continuation, to the end
 * of the word. A word that cannot be covered that way, or is too long, is one unknown token.
 */
import { unknownText } from './piece-model.js';
import type { PieceModel } from './piece-model.js';
import { PieceTrie } from './piece-trie.js';

export interface WordPieceSettings {
  readonly vocabulary: ReadonlyMap<string, number>;
  /** What entries start with that continue a word. */
  readonly prefix: string;
  readonly unknown: string;
  /** Characters of the longest word that is looked at. */
  readonly charactersMax: number;
  readonly control: ReadonlySet<string>;
}

export class WordPiece implements PieceModel {
  readonly #first = new PieceTrie();
  readonly #rest = new PieceTrie();
  readonly #unknown: number | undefined;
  readonly #charactersMax: number;

  constructor({ vocabulary, prefix, unknown, charactersMax, control }: WordPieceSettings) {
    for (const [entry, id] of vocabulary) {
      if (control.has(entry)) continue;
      this.#first.add(entry, id);
      if (entry.startsWith(prefix)) this.#rest.add(entry.slice(prefix.length), id);
    }
    this.#unknown = vocabulary.get(unknown);
    this.#charactersMax = charactersMax;
  }

  encode(word: string, ids: number[]): void {
    const tokens = this.#cover(word);
    if (tokens !== null) ids.push(...tokens);
    else if (this.#unknown !== undefined) ids.push(this.#unknown);
    else throw unknownText(word);
  }

  #cover(word: string): readonly number[] | null {
    // Units are at least as many as characters, so that only words near the limit are counted.
    if (word.length > this.#charactersMax) {
      if (word.length > 2 * this.#charactersMax) return null;
      if ([...word].length > this.#charactersMax) return null;
    }
    const tokens: number[] = [];
    for (let at = 0; at < word.length;) {
      const found = (at === 0 ? this.#first : this.#rest).longestAt(word, at);
      if (found === null) return null;
      tokens.push(found.id);
      at = found.end;
    }
    return tokens;
  }
}
