/**
 * Attention within packed ragged spans, layer norms and means of the shared libraries against
 * double precision; rows that know their own span only; interpreter and WebAssembly equal bit for
 * bit.
 */
import fc from '../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileCommand } from '../../runtime/jit/compile-command.js';
import { interpretCommand } from '../../runtime/vm/device/command-interpreter.js';
import { CommandBench } from '../runtime/jit/run-command.js';
import { stageProgram } from '../runtime/loom/elaborate/programs.js';
import { bytesOf, floatsOf, mixedValues, motifs } from './motif-values.js';

const HEADS = 2;
const D = 16;
const LONGEST = 24;
const ROW = HEADS * D;
const SCALE = 0.25;

const library = motifs('attention', 'index', 'math', 'norm', 'pool');
const program = (text: string) =>
  stageProgram({ ...library, 'sample.loom': `library sample\n${text}` }, 'sample.main');

const attention = program(`use motif.attention { self_attention, Place }
command.def export main(head: root, qkv: root, places: root, y: root) {
  dispatch self_attention<${HEADS}, ${D}, ${LONGEST}>(qkv, places, y, word(head, 0), ${SCALE})
}`);
const compiledAttention = compileCommand(attention);

/** Queries, keys and values of a span, row by row. */
type Span = Float32Array;
const span = (rows: number, seed: number): Span =>
  mixedValues(rows * ROW * 3, seed).map((value) => value / 32);

function rootsOf(spans: readonly Span[]): Uint8Array[] {
  const counts = spans.map((each) => each.length / (ROW * 3));
  const rows = counts.reduce((sum, count) => sum + count, 0);
  const places = counts.flatMap((count) =>
    Array.from({ length: count }, (_, position) => [position, count]),
  );
  return [
    new Uint8Array(Int32Array.of(rows, 0, 0, 0).buffer),
    bytesOf(Float32Array.from(spans.flatMap((each) => [...each]))),
    new Uint8Array(Int32Array.from(places.flat()).buffer),
    new Uint8Array(rows * ROW * 4),
  ];
}

/** Result rows of each span. */
function attend(spans: readonly Span[]): Float32Array[] {
  const bench = new CommandBench(compiledAttention, rootsOf(spans));
  const result = bench.runAlone();
  assert.is(result.poison, 0);
  assert.ok(bench.canariesIntact());
  const all = floatsOf(result.roots[3]!);
  let at = 0;
  return spans.map((each) => all.slice(at, (at += each.length / 3)));
}

function exact(given: Span): number[] {
  const rows = given.length / (ROW * 3);
  const value = (row: number, part: number, at: number): number =>
    given[(row * 3 + part) * ROW + at]!;
  return Array.from({ length: rows * ROW }, (_, index) => {
    const [row, column] = [Math.floor(index / ROW), index % ROW];
    const head = column - (column % D);
    const scores = Array.from({ length: rows }, (_, key) => {
      let sum = 0;
      for (let i = 0; i < D; i++) sum += value(row, 0, head + i) * value(key, 1, head + i);
      return sum * SCALE;
    });
    const powers = scores.map((score) => Math.exp(score - Math.max(...scores)));
    const total = powers.reduce((sum, power) => sum + power, 0);
    return powers.reduce((sum, power, key) => sum + (power / total) * value(key, 2, column), 0);
  });
}

const lengths = fc.array(fc.integer({ min: 1, max: LONGEST }), { minLength: 1, maxLength: 5 });

test('spans of every length are within 4e-6 of double precision', () => {
  for (let rows = 1; rows <= LONGEST; rows++) {
    const given = span(rows, rows);
    const [y] = attend([given]);
    const most = given.reduce((largest, value) => Math.max(largest, Math.abs(value)), 0);
    exact(given).forEach((value, at) =>
      assert.ok(Math.abs(y![at]! - value) <= 4e-6 * most, `${rows} rows, value ${at}`),
    );
  }
});

test('a span alone has the bits that it has among others, whatever those are', () => {
  const property = fc.property(lengths, (counts) => {
    const spans = counts.map((count, at) => span(count, at * 31 + count));
    const strange = spans.map((each, at) => (at % 2 === 0 ? each : each.map(() => NaN)));
    const [together, disturbed] = [attend(spans), attend(strange)];
    spans.forEach((each, at) => {
      const [alone] = attend([each]);
      assert.equal(together[at], alone);
      if (at % 2 === 0) assert.equal(disturbed[at], alone);
    });
  });
  fc.assert(property, { numRuns: 25 });
});

test('the interpreter finds no fault and the same bits', () => {
  const spans = [span(3, 5), span(1, 6), span(LONGEST, 7)];
  const interpreted = rootsOf(spans);
  const { faults } = interpretCommand(attention, { roots: interpreted, checks: true });
  assert.equal(faults, []);
  const emitted = attend(spans).flatMap((each) => [...each]);
  assert.equal([...floatsOf(interpreted[3]!)], emitted);
});

const WIDTH = 20;
const rowWise = program(`use motif.index { Span }
use motif.norm { layer_norm, add_rows }
use motif.pool { mean_rows }
command.def export main(head: root, x: root, sum: root, weights: root, spans: root, y: root, means: root) {
  let rows = word(head, 0)
  let scale = weights.view<f32x4>(0, ${WIDTH / 4})
  let bias = weights.view<f32x4>(${WIDTH * 4}, ${WIDTH / 4})
  dispatch add_rows<${WIDTH}>(x, sum, rows)
  dispatch layer_norm<${WIDTH}>(sum, scale, bias, y, rows, 0.001)
  dispatch mean_rows<${WIDTH}>(sum, spans, means, word(head, 4))
}`);

test('sums, norms and means of rows are within their rounding of double precision', () => {
  const rows = 7;
  const [x, before] = [mixedValues(rows * WIDTH, 3), mixedValues(rows * WIDTH, 4)];
  const weights = mixedValues(2 * WIDTH, 5);
  const spans = Int32Array.of(0, 3, 0, 0, 3, 0, 0, 0, 3, 4, 0, 0);
  const roots = [
    new Uint8Array(Int32Array.of(rows, 3, 0, 0).buffer),
    ...[x, before, weights].map(bytesOf),
    new Uint8Array(spans.buffer),
    new Uint8Array(x.byteLength),
    new Uint8Array(3 * WIDTH * 4),
  ];
  const result = new CommandBench(compileCommand(rowWise), roots).runAlone().roots.map(floatsOf);
  const [, , sums, , , y, means] = result as Float32Array[];
  assert.equal(
    sums,
    before.map((value, at) => value + x[at]!),
  );
  const { faults } = interpretCommand(rowWise, { roots, checks: true });
  assert.equal(faults, []);
  assert.equal(floatsOf(roots[5]!), y);
  assert.equal(floatsOf(roots[6]!), means);
  for (let row = 0; row < rows; row++) {
    const values = [...sums!.subarray(row * WIDTH, (row + 1) * WIDTH)];
    const mean = values.reduce((sum, value) => sum + value, 0) / WIDTH;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / WIDTH;
    values.forEach((value, at) => {
      const scaled = (value - mean) * weights[at]! * (1 / Math.sqrt(variance + 0.001));
      const bound = 3e-7 * (Math.abs(scaled) + Math.abs(weights[WIDTH + at]!) + 256);
      assert.ok(Math.abs(y![row * WIDTH + at]! - (scaled + weights[WIDTH + at]!)) <= bound);
    });
  }
  means!.forEach((value, at) => {
    const [member, column] = [Math.floor(at / WIDTH), at % WIDTH];
    const [first, count] = [spans[member * 4]!, spans[member * 4 + 1]!];
    let sum = 0;
    for (let row = first; row < first + count; row++) sum += sums![row * WIDTH + column]!;
    assert.ok(Math.abs(value - sum / Math.max(count, 1)) <= 4e-5, `mean ${at}: ${value}`);
  });
});

test.run();
