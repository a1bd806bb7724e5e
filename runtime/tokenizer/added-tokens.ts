/**
 * Finds a tokenizer's added tokens in a text: the longest at each place, leftmost first. A token
 * may ask to stand between non-word characters, and may take the blanks beside it.
 */
import { PieceTrie } from './piece-trie.js';

export interface AddedToken {
  readonly id: number;
  readonly content: string;
  readonly special?: boolean;
  readonly single_word?: boolean;
  readonly lstrip?: boolean;
  readonly rstrip?: boolean;
  readonly normalized?: boolean;
}

/** A stretch of text between tokens, or a token. */
export type Section = { readonly text: string } | { readonly id: number };

const wordCharacter = /[\p{L}\p{M}\p{N}\p{Pc}]/u;

export class AddedTokens {
  readonly #trie = new PieceTrie();
  readonly #tokens: readonly AddedToken[];

  constructor(tokens: readonly AddedToken[]) {
    this.#tokens = tokens.filter(({ content }) => content !== '');
    this.#tokens.forEach(({ content }, index) => this.#trie.add(content, index));
  }

  /** The sections in order; stretches without text are left out. */
  *sections(text: string): Generator<Section> {
    if (this.#tokens.length === 0) return void (text !== '' && (yield { text }));
    let start = 0;
    for (let at = 0; at < text.length;) {
      const found = this.#trie.longestAt(text, at);
      const token = found === null ? undefined : this.#tokens[found.id]!;
      if (found === null || token === undefined || !this.#fits(token, text, at, found.end)) {
        at += 1;
        continue;
      }
      const between = text.slice(start, at);
      const before = token.lstrip === true ? between.trimEnd() : between;
      if (before !== '') yield { text: before };
      yield { id: token.id };
      at = found.end;
      if (token.rstrip === true) {
        while (at < text.length && text[at]!.trim() === '') at += 1;
      }
      start = at;
    }
    if (start < text.length) yield { text: text.slice(start) };
  }

  #fits(token: AddedToken, text: string, start: number, end: number): boolean {
    if (token.single_word !== true) return true;
    const before = [...text.slice(Math.max(0, start - 2), start)].at(-1) ?? ' ';
    const after = [...text.slice(end, end + 2)][0] ?? ' ';
    return !wordCharacter.test(before) && !wordCharacter.test(after);
  }
}
