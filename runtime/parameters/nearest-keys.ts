/**
 * Which keys a misspelt one may have meant. Keys of checkpoints are paths, `layer.3.attn.q.weight`,
 * so those that begin and end alike are near. Linear in the number of keys.
 */

/** Most keys that a message names. */
const namedMax = 3;

/** The nearest keys, best first; none when nothing is alike. */
export function nearestKeys(key: string, keys: Iterable<string>): readonly string[] {
  const scored: { readonly key: string; readonly score: number }[] = [];
  for (const candidate of keys) {
    const score = likeness(key, candidate);
    if (score > 0) scored.push({ key: candidate, score });
  }
  return scored
    .sort((left, right) => right.score - left.score || (left.key < right.key ? -1 : 1))
    .slice(0, namedMax)
    .map((entry) => entry.key);
}

/** ` (nearest: a, b)`, or nothing. */
export function nearestText(key: string, keys: Iterable<string>): string {
  const near = nearestKeys(key, keys);
  return near.length === 0 ? '' : ` (nearest: ${near.map((each) => quote(each)).join(', ')})`;
}

const shownMax = 120;
const quote = (key: string): string =>
  JSON.stringify(key.length <= shownMax ? key : `${key.slice(0, shownMax)}…`);

/** Characters that both begin with and end with, less what is left over in either. */
function likeness(left: string, right: string): number {
  const shorter = Math.min(left.length, right.length);
  let head = 0;
  while (head < shorter && left[head] === right[head]) head += 1;
  let tail = 0;
  while (tail < shorter - head && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  const alike = head + tail;
  return alike === 0 ? 0 : 2 * alike - (Math.max(left.length, right.length) - alike);
}
