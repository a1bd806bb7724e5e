/**
 * Proposals out of the text itself: what followed the last time that its end stood somewhere. Good
 * where answers repeat what was asked; costs one look over the ids.
 */
const LENGTH_MAX = 3;
/** Ids looked at, from the end back. */
const REACH = 8192;

/**
 * At most `limit` ids that followed the latest earlier place of the longest ending, of 3, 2 or 1
 * ids, that stands earlier at all.
 */
export function lookupDraft(ids: readonly number[], limit: number): readonly number[] {
  const end = ids.length;
  const first = Math.max(0, end - REACH);
  let best = 0;
  let at = -1;
  for (let stop = end - 1; stop > first && best < LENGTH_MAX; stop--) {
    let length = 0;
    while (length < LENGTH_MAX && stop - length > first) {
      if (ids[stop - 1 - length] !== ids[end - 1 - length]) break;
      length += 1;
    }
    if (length > best) {
      best = length;
      at = stop;
    }
  }
  return at < 0 || limit <= 0 ? [] : ids.slice(at, at + limit);
}
