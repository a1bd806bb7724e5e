/**
 * The spans of one epoch as `encode_epoch` reads them: a record of 16 i64 words each, and the
 * buffers that its words point into. README.md in this folder has the words. Spans come as they are
 * packed, oldest row first; order and sizes are the caller's.
 */
import type { Span } from './text.js';

export const SPAN_WORDS = 16;

/** Bits of a span's flags. */
export const SELECTS = 1;
export const HAS_DRAFTS = 2;

export interface SpanTables {
  readonly spans: Uint8Array;
  /** i32: each span's ids, then its history. */
  readonly ids: Uint8Array;
  /** i32: each span's pages. */
  readonly pages: Uint8Array;
  /** Each turn's bytes, at multiples of 8. */
  readonly bound: Uint8Array;
  /** u32 words, one after another. */
  readonly masks: Uint8Array;
}

/** Outputs that a span wants: one, and one for each proposal. */
export const outputsOf = ({ selects, drafts }: Span): number => (selects ? drafts + 1 : 0);

const aligned = (length: number): number => Math.ceil(length / 8) * 8;

export function encodeSpans(spans: readonly Span[]): SpanTables {
  const sum = (of: (span: Span) => number): number =>
    spans.reduce((total, span) => total + of(span), 0);
  const ids = new WordWriter(sum((span) => span.ids.length + span.history.length) * 4);
  const pages = new WordWriter(sum((span) => span.pages.length) * 4);
  const masks = new WordWriter(sum(({ mask }) => (mask?.length ?? 0) * 4));
  const bound = new Uint8Array(sum((span) => aligned(span.bound.length)));
  let boundEnd = 0;
  const table = new DataView(new ArrayBuffer(spans.length * SPAN_WORDS * 8));
  spans.forEach((span, index) => {
    const { selects, drafts, mask } = span;
    const idsAt = ids.add(span.ids);
    const pagesAt = pages.add(span.pages);
    const historyAt = ids.add(span.history);
    const boundAt = boundEnd;
    bound.set(span.bound, boundAt);
    boundEnd += aligned(span.bound.length);
    const words: readonly (number | bigint)[] = [
      span.row,
      span.state,
      span.first,
      span.ids.length,
      (selects ? SELECTS : 0) | (drafts > 0 ? HAS_DRAFTS : 0),
      drafts,
      idsAt,
      pagesAt,
      span.pages.length,
      boundAt,
      span.bound.length,
      span.counter,
      historyAt,
      span.history.length,
      mask === null ? -1 : masks.add(mask) * 4,
      span.seed,
    ];
    words.forEach((word, at) =>
      table.setBigInt64((index * SPAN_WORDS + at) * 8, BigInt(word), true),
    );
  });
  return {
    spans: new Uint8Array(table.buffer),
    ids: ids.bytes,
    pages: pages.bytes,
    bound,
    masks: masks.bytes,
  };
}

/** Little-endian words of 4 bytes, one list after another. */
class WordWriter {
  readonly bytes: Uint8Array;
  readonly #view: DataView;
  #words = 0;

  constructor(byteLength: number) {
    this.bytes = new Uint8Array(byteLength);
    this.#view = new DataView(this.bytes.buffer);
  }

  /** The index of the first of them. */
  add(words: ArrayLike<number>): number {
    const first = this.#words;
    for (let at = 0; at < words.length; at += 1) {
      this.#view.setUint32((first + at) * 4, words[at]! >>> 0, true);
    }
    this.#words += words.length;
    return first;
  }
}
