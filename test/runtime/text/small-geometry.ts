/** A geometry of a few small pages, so that tests run out of everything quickly. */
import type { TextGeometry } from '../../../runtime/profiles/text.js';

export function smallGeometry(changes: Partial<TextGeometry> = {}): TextGeometry {
  return {
    rows: 4,
    tokens: 16,
    spans: 4,
    context: 24,
    pageTokens: 3,
    pageBytes: 1000,
    pages: 14,
    stateBytes: 0,
    states: 0,
    metadataBytes: 0,
    inputBytes: 0,
    residualBytes: 0,
    feedbackBytes: 0,
    outputs: 4,
    vocabulary: 64,
    terminal: [],
    ...changes,
  };
}
