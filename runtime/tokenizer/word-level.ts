/** WordLevel: a word is an entry or unknown. */
import { unknownText } from './piece-model.js';
import type { PieceModel } from './piece-model.js';

export class WordLevel implements PieceModel {
  readonly #vocabulary: ReadonlyMap<string, number>;
  readonly #unknown: number | undefined;

  constructor(vocabulary: ReadonlyMap<string, number>, unknown: string | null) {
    this.#vocabulary = vocabulary;
    this.#unknown = unknown === null ? undefined : vocabulary.get(unknown);
  }

  encode(word: string, ids: number[]): void {
    const id = this.#vocabulary.get(word) ?? this.#unknown;
    if (id === undefined) throw unknownText(word);
    ids.push(id);
  }
}
