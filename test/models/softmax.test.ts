/**
 * The softmax of the shared libraries against double precision: the stated bound of the sum, rows
 * that know nothing of each other, and scores of any finite size.
 */
import fc from '../properties.js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileCommand } from '../../runtime/jit/compile-command.js';
import { interpretCommand } from '../../runtime/vm/device/command-interpreter.js';
import { CommandBench } from '../runtime/jit/run-command.js';
import { stageProgram } from '../runtime/loom/elaborate/programs.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';

const motifs = Object.fromEntries(
  ['index', 'math', 'softmax'].map((name) => [
    `${name}.loom`,
    readFileSync(join(repositoryRoot, `models/motifs/${name}.loom`), 'utf8'),
  ]),
);

const WIDTHS = [1, 5, 64, 1024];
const programs = new Map(WIDTHS.map((width) => [width, program(width)]));
const compiled = new Map([...programs].map(([width, each]) => [width, compileCommand(each)]));

function program(width: number) {
  const text = `library sample
use motif.index { Span }
use motif.softmax { softmax_rows }
command.def export rows(x: root, spans: root, y: root) {
  dispatch softmax_rows<${width}>(x, spans, y) grid(word(spans, 12))
}`;
  return stageProgram({ ...motifs, 'sample.loom': text }, 'sample.rows');
}

/** Rows of scores side by side; what lies behind a row's live values would show in it. */
function roots(rows: readonly (readonly number[])[], width: number): Uint8Array[] {
  const x = new Float32Array(rows.length * width).fill(3e38);
  const spans = new Int32Array(rows.length * 4);
  rows.forEach((row, at) => {
    x.set(row, at * width);
    spans[at * 4 + 2] = row.length;
  });
  spans[3] = rows.length;
  return [x, spans, new Float32Array(x.length)].map((part) => new Uint8Array(part.buffer));
}

function softmax(rows: readonly (readonly number[])[], width: number): Float32Array[] {
  const bench = new CommandBench(compiled.get(width)!, roots(rows, width));
  const y = new Float32Array(bench.runAlone().roots[2]!.slice().buffer);
  return rows.map((_, at) => y.slice(at * width, (at + 1) * width));
}

const score = fc.oneof(
  fc.float({ min: -30, max: 30, noNaN: true }),
  fc.float({ min: -100, max: 100, noNaN: true }),
  fc.constantFrom(0, 1e30, -1e30, 3e38, -3e38),
);
const rowsOf = (width: number) =>
  fc.array(fc.array(score, { minLength: 1, maxLength: width, size: 'max' }), {
    minLength: 1,
    maxLength: 4,
  });

for (const width of WIDTHS) {
  test(`rows of up to ${width} values are distributions, each by itself`, () => {
    const sumBound = (Math.log2(width) + 3) * 2 ** -24;
    fc.assert(
      fc.property(rowsOf(width), (rows) => {
        const results = softmax(rows, width);
        rows.forEach((row, at) => {
          const result = results[at]!;
          const largest = Math.max(...row);
          const powers = row.map((value) => Math.exp(Math.fround(value - largest)));
          const total = powers.reduce((sum, power) => sum + power, 0);
          let sum = 0;
          result.forEach((value, k) => {
            sum += value;
            const exact = k < row.length ? powers[k]! / total : 0;
            assert.ok(Math.abs(value - exact) <= 1e-6 * exact + 1e-37, `${value}, not ${exact}`);
          });
          assert.ok(Math.abs(sum - 1) <= sumBound, `a sum of ${sum}`);
          assert.equal(softmax([row], width)[0], result);
        });
      }),
      { numRuns: 30 },
    );
  });
}

test('interpreted rows have the bits of compiled ones', () => {
  const rows = [[1, -2, 30.5], [0], [-88, 3e38, 3e38, 1, 2]];
  const interpreted = roots(rows, 5);
  const { faults } = interpretCommand(programs.get(5)!, { roots: interpreted, checks: true });
  assert.equal(faults, []);
  const emitted = softmax(rows, 5).flatMap((row) => [...row]);
  assert.equal([...new Float32Array(interpreted[2]!.buffer)], emitted);
});

test.run();
