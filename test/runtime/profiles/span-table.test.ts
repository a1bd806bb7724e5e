/** Spans as programs read them, against a reader of the words in README.md. */
import fc from '../../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { encodeSpans, outputsOf } from '../../../runtime/profiles/span-table.js';
import type { Span } from '../../../runtime/profiles/text.js';

const ids = fc.array(fc.nat(2 ** 31 - 1), { minLength: 1, maxLength: 6 });

const span: fc.Arbitrary<Span> = fc
  .record({
    row: fc.nat(1000),
    state: fc.integer({ min: -1, max: 1000 }),
    first: fc.nat(100_000),
    ids,
    selects: fc.boolean(),
    drafts: fc.nat(5),
    pages: fc.array(fc.nat(1_000_000), { maxLength: 5 }),
    bound: fc.uint8Array({ maxLength: 20 }),
    counter: fc.nat(10_000),
    history: fc.array(fc.nat(1000), { maxLength: 4 }),
    mask: fc.option(fc.uint32Array({ minLength: 2, maxLength: 2 })),
    seed: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }),
  })
  .map((given) => {
    const drafts = given.selects ? Math.min(given.drafts, given.ids.length - 1) : 0;
    return { ...given, drafts };
  });

/** A span put together again from the words that say where its parts lie. */
function read(tables: ReturnType<typeof encodeSpans>, index: number): Span {
  const view = new DataView(tables.spans.buffer);
  const word = (at: number): number => Number(view.getBigInt64((index * 16 + at) * 8, true));
  const list = (bytes: Uint8Array, first: number, count: number): number[] => [
    ...new Int32Array(bytes.slice(first * 4, (first + count) * 4).buffer),
  ];
  const flags = word(4);
  const masked = tables.masks.slice(word(14), word(14) + 8);
  return {
    row: word(0),
    state: word(1),
    first: word(2),
    ids: list(tables.ids, word(6), word(3)),
    selects: (flags & 1) !== 0,
    drafts: (flags & 2) !== 0 ? word(5) : 0,
    pages: list(tables.pages, word(7), word(8)),
    bound: tables.bound.slice(word(9), word(9) + word(10)),
    counter: word(11),
    history: list(tables.ids, word(12), word(13)),
    mask: word(14) === -1 ? null : new Uint32Array(masked.buffer),
    seed: view.getBigInt64((index * 16 + 15) * 8, true),
  };
}

test('what is packed is what a program reads', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 6 }), (spans) => {
      const tables = encodeSpans(spans);
      assert.is(tables.spans.length, spans.length * 128);
      spans.forEach((each, index) => assert.equal(read(tables, index), each));
    }),
    { numRuns: 200 },
  );
});

test('nothing is packed that nobody points to, and bound bytes begin at multiples of 8', () => {
  fc.assert(
    fc.property(fc.array(span, { maxLength: 6 }), (spans) => {
      const tables = encodeSpans(spans);
      const sum = (of: (each: Span) => number) => spans.reduce((total, s) => total + of(s), 0);
      assert.is(
        tables.ids.length,
        sum((s) => 4 * (s.ids.length + s.history.length)),
      );
      assert.is(
        tables.pages.length,
        sum((s) => 4 * s.pages.length),
      );
      assert.is(
        tables.masks.length,
        sum((s) => (s.mask === null ? 0 : 8)),
      );
      const view = new DataView(tables.spans.buffer);
      spans.forEach((_, index) => {
        assert.is(Number(view.getBigInt64((index * 16 + 9) * 8, true)) % 8, 0);
      });
    }),
    { numRuns: 100 },
  );
});

test('a span that selects wants an output, and one for each proposal', () => {
  const [one] = fc.sample(span, 1) as [Span];
  assert.is(outputsOf({ ...one, selects: false, drafts: 0 }), 0);
  assert.is(outputsOf({ ...one, selects: true, drafts: 0 }), 1);
  assert.is(outputsOf({ ...one, selects: true, drafts: 3 }), 4);
});

test.run();
