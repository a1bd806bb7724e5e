/**
 * The matrix product of the shared libraries: one order of every sum, whatever the number of rows,
 * the tile, the panels of a workgroup and the executor.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileCommand } from '../../runtime/jit/compile-command.js';
import { interpretCommand } from '../../runtime/vm/device/command-interpreter.js';
import { CommandBench } from '../runtime/jit/run-command.js';
import { stageProgram } from '../runtime/loom/elaborate/programs.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';

const motif = readFileSync(join(repositoryRoot, 'models/motifs/matrix.loom'), 'utf8');
const K = 37;
const N = 64;
const ROWS = 16;

interface Tile {
  readonly TM: number;
  readonly TNV: number;
  readonly L: number;
}
const tiles: readonly Tile[] = [
  { TM: 1, TNV: 8, L: 1 },
  { TM: 4, TNV: 2, L: 1 },
  { TM: 3, TNV: 4, L: 2 },
  { TM: 5, TNV: 1, L: 4 },
];

/** Values of mixed size and sign, so that another order of a sum shows in its last bits. */
function values(count: number, seed: number): Float32Array {
  let state = seed;
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return (state / 2 ** 32 - 0.5) * 2 ** ((state >>> 7) % 9);
  });
}
const x = values(ROWS * K, 3);
const w = values(K * N, 5);
const bytesOf = (floats: Float32Array) => new Uint8Array(floats.slice().buffer);

function productOf(rows: number, { TM, TNV, L }: Tile): { name: string; y: Uint8Array }[] {
  const panels = N / (TNV * 4);
  const text = `library sample
use motif.matrix { pack, product }
command.def export multiply(x: root, w: root, y: root) {
  workspace panels : f32x4[${(K * N) / 4}]
  dispatch pack<${K}, ${N}, ${TNV}>(w, panels) grid(${panels})
  dispatch product<${K}, ${N}, ${TM}, ${TNV}, ${L}>(x, panels, y, ${rows}) grid(${panels / L}, ${Math.ceil(rows / TM)})
}`;
  const program = stageProgram({ 'matrix.loom': motif, 'sample.loom': text }, 'sample.multiply');
  const roots = () => [bytesOf(x.subarray(0, rows * K)), bytesOf(w), new Uint8Array(rows * N * 4)];
  const interpreted = roots();
  const { faults } = interpretCommand(program, { roots: interpreted, checks: true });
  assert.equal(faults, []);
  const bench = new CommandBench(compileCommand(program), roots());
  const emitted = bench.runAlone().roots;
  assert.ok(bench.canariesIntact());
  return [
    { name: 'interpreted', y: interpreted[2]! },
    { name: 'emitted', y: emitted[2]!.slice() },
  ];
}

/** The contract in its own words: K ascending, every product rounded, then added. */
function expected(rows: number): Uint8Array {
  const y = new Float32Array(rows * N);
  for (let m = 0; m < rows; m++) {
    for (let n = 0; n < N; n++) {
      let sum = 0;
      for (let k = 0; k < K; k++)
        sum = Math.fround(sum + Math.fround(x[m * K + k]! * w[k * N + n]!));
      y[m * N + n] = sum;
    }
  }
  return bytesOf(y);
}

test('rows of 1, 2, 3, 8 and 16 have the same bits under every tile', () => {
  for (const tile of tiles) {
    for (const rows of [1, 2, 3, 8, 16]) {
      const want = expected(rows);
      for (const { name, y } of productOf(rows, tile)) {
        assert.equal(y, want, `${rows} rows, tile ${JSON.stringify(tile)}, ${name}`);
      }
    }
  }
});

test('another order would show: these sums are not associative', () => {
  const descending = new Float32Array(N);
  for (let n = 0; n < N; n++) {
    let sum = 0;
    for (let k = K - 1; k >= 0; k--) sum = Math.fround(sum + Math.fround(x[k]! * w[k * N + n]!));
    descending[n] = sum;
  }
  assert.not.equal(bytesOf(descending), expected(1));
});

test.run();
