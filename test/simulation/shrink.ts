/**
 * The least of what breaks something: parts are left out, many at a time at first, as long as the
 * rest still breaks it. Knows nothing of what the parts are.
 *
 * Holds: what it gives breaks; if it was not stopped by `triesMax`, no single part of it can go.
 */
export interface Shrunken<Part> {
  readonly kept: readonly Part[];
  readonly tries: number;
}

export function shrink<Part>(
  parts: readonly Part[],
  breaks: (kept: readonly Part[]) => boolean,
  triesMax: number,
): Shrunken<Part> {
  let kept = parts;
  let tries = 0;
  let size = Math.max(1, Math.ceil(kept.length / 2));
  while (kept.length > 0) {
    const before = kept.length;
    for (let from = 0; from < kept.length && tries < triesMax;) {
      const rest = kept.filter((_, i) => i < from || i >= from + size);
      tries += 1;
      if (breaks(rest)) kept = rest;
      else from += size;
    }
    if (tries >= triesMax) break;
    if (size === 1 && kept.length === before) break;
    size = size === 1 ? 1 : Math.ceil(size / 2);
  }
  return { kept, tries };
}
