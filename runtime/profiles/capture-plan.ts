/**
 * What `capture_epoch` of a sequence package gives: which bytes of the residual are each span's
 * output, as i64 triples { span, offset, length } grouped in span order. Checked and copied before
 * anything of the rows changes.
 */
import { invalidReturn, TableReader } from './record-table.js';

const TRIPLE_WORDS = 3;
/** More pieces than any epoch has tokens. */
const triplesMax = 2 ** 20;
const entry = 'capture_epoch';

/** A piece of a span's output: bytes of the residual, never empty. */
export interface Capture {
  readonly offset: number;
  readonly length: number;
}

/** By span, the pieces that are its output one after another. */
export function checkCaptures(
  bytes: Uint8Array,
  { spans, residualBytes }: { readonly spans: number; readonly residualBytes: number },
): readonly (readonly Capture[])[] {
  const table = new TableReader(bytes, entry);
  if (table.words % TRIPLE_WORDS !== 0 || table.words > triplesMax * TRIPLE_WORDS) {
    throw invalidReturn(
      entry,
      `${table.words} words; at most ${triplesMax} triples { span, offset, length } expected`,
    );
  }
  const captures: Capture[][] = Array.from({ length: spans }, () => []);
  let last = 0;
  for (let at = 0; table.remaining > 0; at += 1) {
    const span = table.take(`the span of capture ${at}`);
    const offset = table.take(`the offset of capture ${at}`);
    const length = table.take(`the length of capture ${at}`);
    if (span < last || span >= spans) {
      throw invalidReturn(
        entry,
        `capture ${at} of span ${span}; captures are in the order of spans, ${last} to ${spans - 1} here`,
      );
    }
    if (offset < 0 || length < 0 || offset + length > residualBytes) {
      throw invalidReturn(
        entry,
        `capture ${at} of ${length} bytes from ${offset}; the residual has ${residualBytes}`,
      );
    }
    last = span;
    if (length > 0) captures[span]!.push({ offset, length });
  }
  const empty = captures.findIndex((pieces) => pieces.length === 0);
  if (empty < 0) return captures;
  throw invalidReturn(entry, `no bytes for span ${empty}; each span has an output`);
}
