/**
 * Merges of a vocabulary that has scores instead: any two tokens that make a third one may be
 * joined, and the pair whose result has the highest score comes first. Pairs with one result are
 * ordered by their left parts' ids, so that the list is the same wherever it is made.
 */

/** `isText` tells tokens that stand for letters from those that do not. */
export function scoredMerges(
  tokens: readonly string[],
  scores: readonly number[],
  isText: (id: number) => boolean,
): readonly (readonly [string, string])[] {
  const ids = new Map<string, number>();
  tokens.forEach((token, id) => {
    if (isText(id)) ids.set(token, id);
  });
  const order = [...ids.values()].sort((a, b) => scoreOf(scores, b) - scoreOf(scores, a) || a - b);
  return order.flatMap((id) => splits(tokens[id]!, ids));
}

const scoreOf = (scores: readonly number[], id: number): number => scores[id] ?? 0;

/** All ways to cut a token into two tokens. */
function splits(token: string, ids: ReadonlyMap<string, number>): [string, string][] {
  const pairs: { readonly pair: [string, string]; readonly left: number }[] = [];
  for (let at = 1; at < token.length; at += 1) {
    const pair: [string, string] = [token.slice(0, at), token.slice(at)];
    const left = ids.get(pair[0]);
    if (left !== undefined && ids.has(pair[1])) pairs.push({ pair, left });
  }
  return pairs.sort((a, b) => a.left - b.left).map(({ pair }) => pair);
}
