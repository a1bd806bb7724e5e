/**
 * models/sequence against its oracle: the captured output of any rows, in any chunks and company,
 * is that of each row alone, bit for bit.
 */
import fc from '../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Span } from '../../runtime/profiles/text.js';
import { sequenceOracle, vocabulary } from '../oracles/sequence.js';
import { EpochBench } from './epoch-bench.js';

interface Row {
  readonly ids: readonly number[];
  readonly takes: readonly number[];
}

/** Rows appended chunk by chunk, all that are not through in each epoch; their whole outputs. */
function encodeAll(bench: EpochBench, rows: readonly Row[]): Uint8Array[] {
  const { tokens, pageTokens, spans: spansMax } = bench.geometry;
  const outputs: Buffer[] = rows.map(() => Buffer.alloc(0));
  const done = rows.map(() => 0);
  const clears = rows.map((_, state) => ({ kind: 'clear', state }) as const);
  for (let round = 0; rows.some(({ ids }, at) => done[at]! < ids.length); round += 1) {
    const spans: Span[] = [];
    let room = tokens;
    rows.forEach(({ ids, takes }, at) => {
      const first = done[at]!;
      const take = Math.min(takes[round % takes.length]!, ids.length - first, room);
      if (take === 0 || spans.length === spansMax) return;
      room -= take;
      const pages = Math.ceil((first + take) / pageTokens);
      spans.push({
        ...{ row: at, state: at, first, ids: ids.slice(first, first + take) },
        pages: Array.from({ length: pages }, (_, page) => (page * rows.length + at) * 5),
        ...{ selects: false, drafts: 0, bound: new Uint8Array(), counter: 0, history: [] },
        ...{ mask: null, seed: 0n },
      });
    });
    const { results, captured } = bench.run(spans, round === 0 ? clears : []);
    spans.forEach(({ row, ids }, at) => {
      assert.equal(results[at], { completed: ids.length, selected: null, details: [] });
      outputs[row] = Buffer.concat([outputs[row]!, captured[at]!]);
      done[row] = done[row]! + ids.length;
    });
  }
  return outputs.map((bytes) => Uint8Array.from(bytes));
}

function assertOutputs(bench: EpochBench, rows: readonly Row[]): void {
  encodeAll(bench, rows).forEach((bytes, at) => {
    assert.equal(bytes, new Uint8Array(sequenceOracle(rows[at]!.ids).buffer), `row ${at}`);
  });
}

const bench = new EpochBench('sequence');
const row: fc.Arbitrary<Row> = fc.record({
  ids: fc.array(fc.nat({ max: vocabulary - 1 }), { minLength: 1, maxLength: 60, size: 'max' }),
  takes: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
});

test('any rows in any chunks give what each gives alone', () => {
  const rows = fc.array(row, { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(rows, (given) => assertOutputs(bench, given)),
    { numRuns: 40 },
  );
});

test('an interpreted epoch has no fault', () => {
  const rows = [3, 20, 9].map((length, at) => {
    return { ids: Array.from({ length }, (_, k) => k * 31 + at), takes: [13] };
  });
  assertOutputs(new EpochBench('sequence', 'interpreter'), rows);
});

test('the youngest row is packed first, and a span that reaches into two tiles has two pieces', () => {
  const span = { first: 0, selects: false, drafts: 0, bound: new Uint8Array(), counter: 0 };
  const rest = { ...span, history: [], mask: null, seed: 0n };
  const { captures } = bench.control.packEpoch([
    { ...rest, row: 0, state: 0, ids: [1, 2, 3], pages: [0] },
    { ...rest, row: 1, state: 1, ids: [4, 5, 6, 7, 8, 9, 10], pages: [1, 2] },
  ]);
  const tile = 9 * 16;
  assert.equal(captures, [
    [
      { offset: 7 * 16, length: 16 },
      { offset: tile, length: 32 },
    ],
    [{ offset: 0, length: 7 * 16 }],
  ]);
});

test('it needs neither a tokenizer nor an id that ends', () => {
  assert.equal(bench.geometry.terminal, []);
  assert.is(bench.tokenizer, null);
  assert.is(bench.control.drafting, 'none');
  assert.not(bench.control.hasChat);
});

test.run();
