/**
 * WordPiece from its definition: the longest entry that the word starts with, then the longest
 * continuation (entries with a prefix) of the rest, until nothing is left; a word with a rest that
 * no entry starts, or with too many characters, is one unknown token. `words` come cut already.
 */
export interface WordPieceModel {
  readonly vocabulary: ReadonlyMap<string, number>;
  readonly prefix: string;
  readonly unknown: string;
  readonly wordMax: number;
}

export function wordPieceOracle(model: WordPieceModel, words: readonly string[]): number[] {
  return words.flatMap((word) => {
    const tokens = [...word].length > model.wordMax ? null : cut(model, word, '');
    return tokens ?? [model.vocabulary.get(model.unknown)!];
  });
}

function cut(model: WordPieceModel, rest: string, prefix: string): number[] | null {
  if (rest === '') return [];
  const characters = [...rest];
  for (let length = characters.length; length > 0; length -= 1) {
    const head = characters.slice(0, length).join('');
    const id = model.vocabulary.get(prefix + head);
    if (id === undefined) continue;
    const tail = cut(model, characters.slice(length).join(''), model.prefix);
    return tail === null ? null : [id, ...tail];
  }
  return null;
}
