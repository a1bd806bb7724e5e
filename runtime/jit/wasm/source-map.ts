/** Looks up the position of a byte offset in a module's source map. */
import type { Site } from '../../loom/typed.js';
import type { SourceMap } from './module-builder.js';

/** The site of the last mark at or before `offset`; 0 when there is none. */
export function siteAt({ offsets, sites }: SourceMap, offset: number): Site {
  let low = 0;
  let high = offsets.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (offsets[middle]! <= offset) low = middle + 1;
    else high = middle;
  }
  return sites[low - 1] ?? 0;
}
