/**
 * Byte-pair encoding from its definition: while any neighbours are a listed pair, the pair of the
 * lowest rank is joined, leftmost first. Quadratic, on plain arrays.
 */
export function bytePairOracle(
  merges: readonly (readonly [string, string])[],
  symbols: readonly string[],
): readonly string[] {
  const ranks = new Map(merges.map(([left, right], rank) => [`${left}\0${right}`, rank]));
  let word = [...symbols];
  for (;;) {
    const found = word.slice(1).map((right, at) => ranks.get(`${word[at]}\0${right}`) ?? Infinity);
    const lowest = Math.min(Infinity, ...found);
    if (lowest === Infinity) return word;
    const at = found.indexOf(lowest);
    word = [...word.slice(0, at), word[at]! + word[at + 1]!, ...word.slice(at + 2)];
  }
}
