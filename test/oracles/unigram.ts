/**
 * Unigram segmentation from its definition: of all ways to cut a text into pieces the one whose
 * sum of log probabilities is largest; a character that is no piece costs ten less than the worst
 * piece, and a run of such characters is one unknown token. Plain quadratic dynamic programming
 * over code points, on whole strings.
 */
export interface UnigramPiece {
  readonly id: number;
  readonly score: number;
}

export interface UnigramModel {
  readonly pieces: ReadonlyMap<string, UnigramPiece>;
  readonly unknown: number;
  readonly longest: number;
}

/** Later rows take the place of equal earlier ones; the first `reserved` stand for no text. */
export function unigramModel(
  rows: readonly (readonly [string, number | null])[],
  reserved: number,
): UnigramModel {
  const pieces = new Map<string, UnigramPiece>();
  rows.forEach(([piece, score], id) => {
    if (id >= reserved) pieces.set(piece, { id, score: score ?? 0 });
  });
  const longest = Math.max(...[...pieces.keys()].map((piece) => [...piece].length));
  return { pieces, unknown: 0, longest };
}

export function unigramOracle(model: UnigramModel, text: string): readonly number[] {
  const characters = [...text];
  const worst = Math.min(...[...model.pieces.values()].map(({ score }) => score));
  const best: number[] = [0];
  const last: { readonly from: number; readonly id: number }[] = [{ from: 0, id: -1 }];
  for (let end = 1; end <= characters.length; end += 1) {
    best[end] = -Infinity;
    for (let from = Math.max(0, end - model.longest); from < end; from += 1) {
      const piece = model.pieces.get(characters.slice(from, end).join(''));
      const isUnknown = piece === undefined && end - from === 1;
      if (piece === undefined && !isUnknown) continue;
      const sum = best[from]! + (piece?.score ?? worst - 10);
      if (sum > best[end]!) {
        best[end] = sum;
        last[end] = { from, id: piece?.id ?? model.unknown };
      }
    }
  }
  const ids: number[] = [];
  for (let end = characters.length; end > 0; end = last[end]!.from) ids.unshift(last[end]!.id);
  return ids.filter((id, at) => id !== model.unknown || ids[at - 1] !== model.unknown);
}

/** What SentencePiece does before: NFKC, a mark in front, and for every blank. */
export function markBlanks(text: string): string {
  const normal = text.normalize('NFKC');
  return normal === '' ? '' : `▁${normal.replaceAll(' ', '▁')}`;
}
