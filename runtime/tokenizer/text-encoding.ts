/**
 * Text to ids, piece by piece: added tokens are found first, what lies between is normalized and
 * cut into words, and each word goes through the model. Everything stops as soon as the ids asked
 * for are there, so a long text costs what its part in front costs; only normalizing goes over the
 * whole stretch between two added tokens, and so do the library's ways of cutting.
 */
import { AddedTokens } from './added-tokens.js';
import type { AddedToken, Section } from './added-tokens.js';
import type { PieceModel } from './piece-model.js';
import type { CutWords } from './word-cutter.js';

export interface TextSteps {
  readonly normalize: (text: string) => string;
  readonly words: CutWords;
}

export class TextEncoding {
  readonly #steps: TextSteps;
  readonly #model: PieceModel;
  readonly #plain: AddedTokens;
  readonly #normalized: AddedTokens;

  constructor(steps: TextSteps, model: PieceModel, tokens: readonly AddedToken[]) {
    const isNormalized = ({ normalized, special }: AddedToken): boolean =>
      normalized ?? special !== true;
    this.#steps = steps;
    this.#model = model;
    this.#plain = new AddedTokens(tokens.filter((token) => !isNormalized(token)));
    this.#normalized = new AddedTokens(
      tokens.filter(isNormalized).map((token) => ({
        ...token,
        content: steps.normalize(token.content),
      })),
    );
  }

  /** At least the first `limit` ids of the text, or all when there are fewer. */
  encode(text: string, limit: number): number[] {
    const ids: number[] = [];
    let index = 0;
    for (const section of this.#sections(text)) {
      if (ids.length >= limit) break;
      if ('id' in section) ids.push(section.id);
      else this.#addWords(section.text, index, { ids, limit });
      index += 1;
    }
    return ids;
  }

  *#sections(text: string): Generator<Section> {
    for (const section of this.#plain.sections(text)) {
      if ('id' in section) yield section;
      else yield* this.#normalized.sections(this.#steps.normalize(section.text));
    }
  }

  #addWords(text: string, index: number, out: { ids: number[]; limit: number }): void {
    for (const word of this.#steps.words(text, index)) {
      if (out.ids.length >= out.limit) return;
      if (word !== '') this.#model.encode(word, out.ids, out.limit);
    }
  }
}
