/**
 * Linear layers of the shared libraries: one order of every sum, whatever the number of rows, the
 * tiles and the executor; weights that lie output by output or input by input; every number of
 * outputs, with bias and activation.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileCommand } from '../../runtime/jit/compile-command.js';
import type { CompiledCommand } from '../../runtime/jit/emitter.js';
import { interpretCommand } from '../../runtime/vm/device/command-interpreter.js';
import { CommandBench } from '../runtime/jit/run-command.js';
import { stageProgram } from '../runtime/loom/elaborate/programs.js';
import { bytesOf, floatsOf, mixedValues, motifs } from './motif-values.js';

interface Layer {
  readonly K: number;
  readonly N: number;
  /** Tiles: rows, and panels of a row. */
  readonly tile?: readonly [number, number];
  readonly bias?: boolean;
  /** Weights up to which a row alone takes several panels at a time. */
  readonly cached?: number;
}

function stage({ K, N, tile = [0, 4], bias = false, cached = 2 ** 22 }: Layer) {
  const text = `library sample
use motif.linear { linear, linear_vectors, pack_outputs, pack_inputs, identity, relu }
command.def export main(head: root, x: root, outputs: root, inputs: root, bias: root, y: root, z: root) {
  let rows = word(head, 0)
  workspace a : f32x4[linear_vectors(${K}, ${N})]
  workspace zero b : f32x4[linear_vectors(${K}, ${N})]
  dispatch pack_outputs<${K}, ${N}>(outputs, a.as<f32>(), 0, ${N}, ${K})
  dispatch pack_inputs<${K}, ${N}>(inputs, b.as<f32>(), 0, ${K}, ${N})
  dispatch linear<${K}, ${N}, ${bias}, @${bias ? 'relu' : 'identity'}>(x, a, bias, y, rows)
  dispatch linear<${K}, ${N}, false, @identity>(x, b, x, z, rows)
}`;
  const [tileRows, panels] = tile;
  const config = {
    'motif.linear.linear_rows': String(tileRows),
    'motif.linear.linear_panels': String(panels),
    'motif.linear.linear_cached': String(cached),
  };
  return stageProgram({ ...motifs('linear'), 'sample.loom': text }, 'sample.main', { config });
}

interface Operands {
  readonly x: Float32Array;
  /** [N, K] */
  readonly w: Float32Array;
  readonly bias: Float32Array;
}
const operands = ({ K, N }: Layer, rows: number): Operands => ({
  x: mixedValues(rows * K, 3),
  w: mixedValues(N * K, 5),
  bias: mixedValues(N, 7),
});

function roots({ K, N }: Layer, { x, w, bias }: Operands): Uint8Array[] {
  const inputs = Float32Array.from(
    { length: N * K },
    (_, i) => w[(i % N) * K + Math.floor(i / N)]!,
  );
  const results = (x.length / K) * N;
  const head = new Uint8Array(Int32Array.of(x.length / K, 0, 0, 0).buffer);
  const floats = [x, w, inputs, bias, new Float32Array(results), new Float32Array(results)];
  return [head, ...floats.map(bytesOf)];
}

/** Compiled once for any number of rows. */
const known = new Map<string, CompiledCommand>();
function compiled(layer: Layer): CompiledCommand {
  const key = JSON.stringify(layer);
  const made = known.get(key) ?? compileCommand(stage(layer));
  known.set(key, made);
  return made;
}

/** Both results of a layer over all rows of `x`, on WebAssembly. */
function emitted(layer: Layer, given: Operands): readonly [Float32Array, Float32Array] {
  const bench = new CommandBench(compiled(layer), roots(layer, given));
  const result = bench.runAlone();
  assert.is(result.poison, 0);
  assert.ok(bench.canariesIntact());
  return [floatsOf(result.roots[5]!), floatsOf(result.roots[6]!)];
}

/** The contract in its own words: K ascending, every product rounded, then added. */
function expected({ K, N, bias }: Layer, given: Operands): Float32Array {
  const rows = given.x.length / K;
  return Float32Array.from({ length: rows * N }, (_, at) => {
    const [row, n] = [Math.floor(at / N), at % N];
    let sum = 0;
    for (let k = 0; k < K; k++)
      sum = Math.fround(sum + Math.fround(given.x[row * K + k]! * given.w[n * K + k]!));
    return bias ? Math.max(Math.fround(sum + given.bias[n]!), 0) : sum;
  });
}

const tiles: readonly (readonly [number, number])[] = [
  [0, 4],
  [4, 2],
  [3, 1],
  [1, 4],
  [5, 2],
];

test('every tile and number of rows gives the sum in ascending order', () => {
  for (const tile of tiles) {
    for (const rows of [1, 2, 3, 8, 16, 37]) {
      const layer = { K: 37, N: 61, tile };
      const given = operands(layer, rows);
      const want = expected(layer, given);
      const label = `${rows} rows, tile ${tile.join('x')}`;
      for (const got of emitted(layer, given)) assert.equal(got, want, label);
    }
  }
});

test('rows of weights that no cache holds are the same sums, alone and together', () => {
  for (const panels of [1, 2, 4]) {
    for (const rows of [1, 2, 9, 33]) {
      const layer = { K: 37, N: 61, tile: [0, panels], bias: true, cached: 0 } as const;
      const given = operands(layer, rows);
      const label = `${rows} rows, ${panels} panels`;
      assert.equal(emitted(layer, given)[0], expected(layer, given), label);
    }
  }
});

test('rows at 1, 2, 3, 8, 16 and 256 are the same bits, alone and together', () => {
  const layer = { K: 64, N: 96, bias: true };
  const all = operands(layer, 256);
  const [together] = emitted(layer, all);
  for (const rows of [1, 2, 3, 8, 16]) {
    for (const first of [0, 100, 256 - rows]) {
      const x = all.x.subarray(first * layer.K, (first + rows) * layer.K);
      const [alone] = emitted(layer, { ...all, x });
      const part = together.subarray(first * layer.N, (first + rows) * layer.N);
      assert.equal(alone, part.slice(), `${rows} rows from row ${first}`);
    }
  }
});

test('the interpreter finds no fault and the same bits, for every number of outputs', () => {
  for (let N = 1; N <= 34; N += 3) {
    for (const bias of [false, true]) {
      const layer = { K: 5, N, bias };
      const given = operands(layer, 6);
      const interpreted = roots(layer, given);
      const outcome = interpretCommand(stage(layer), { roots: interpreted, checks: true });
      assert.equal(outcome.faults, []);
      const [y, z] = emitted(layer, given);
      assert.equal(floatsOf(interpreted[5]!), y, `${N} outputs`);
      assert.equal(floatsOf(interpreted[6]!), z, `${N} outputs, input by input`);
      assert.equal(y, expected(layer, given), `${N} outputs, in double precision step by step`);
    }
  }
});

test('the error against double precision is at most K units of the magnitudes', () => {
  const layer = { K: 512, N: 32 };
  const given = operands(layer, 5);
  const [y] = emitted(layer, given);
  y.forEach((value, at) => {
    const [row, n] = [Math.floor(at / layer.N), at % layer.N];
    let exact = 0;
    let magnitude = 0;
    for (let k = 0; k < layer.K; k++) {
      const term = given.x[row * layer.K + k]! * given.w[n * layer.K + k]!;
      exact += term;
      magnitude += Math.abs(term);
    }
    assert.ok(Math.abs(value - exact) <= layer.K * 2 ** -24 * magnitude, `row ${row}, output ${n}`);
  });
});

test('rows are as long as their panel is a tile', () => {
  const layer = { K: 9001, N: 9 };
  const given = operands(layer, 5);
  for (const got of emitted(layer, given)) assert.equal(got, expected(layer, given));
});

test('another order would show: these sums are not associative', () => {
  const layer = { K: 37, N: 61 };
  const { x, w, bias } = operands(layer, 1);
  const turned = (values: Float32Array) =>
    Float32Array.from(values, (_, at) => {
      const row = Math.floor(at / layer.K);
      return values[row * layer.K + layer.K - 1 - (at % layer.K)]!;
    });
  const descending = expected(layer, { x: turned(x), w: turned(w), bias });
  assert.not.equal(descending, expected(layer, { x, w, bias }));
});

test('blocks of outputs land where they belong, whatever the blocks', () => {
  const [K, N] = [6, 45];
  const w = mixedValues(N * K, 9);
  const packed = (blocks: readonly (readonly [number, number])[]) => {
    const steps = blocks.map(([at, rows], index) => {
      const part = `w.view<f32>(${index * 2048}, ${rows * K})`;
      return `  dispatch pack_outputs<${K}, ${N}>(${part}, p, ${at}, ${rows}, ${K})`;
    });
    const text = `library sample\nuse motif.linear { pack_outputs }\ncommand.def export main(w: root, p: root) {\n${steps.join('\n')}\n}`;
    const source = new Float32Array(blocks.length * 512);
    blocks.forEach(([at, rows], index) =>
      source.set(w.subarray(at * K, (at + rows) * K), index * 512),
    );
    const program = stageProgram({ ...motifs('linear'), 'sample.loom': text }, 'sample.main');
    const panels = new Float32Array(64 * K).fill(NaN);
    const bench = new CommandBench(compileCommand(program), [source, panels].map(bytesOf));
    return floatsOf(bench.runAlone().roots[1]!);
  };
  const want = new Float32Array(64 * K);
  for (let n = 0; n < N; n++)
    for (let k = 0; k < K; k++) want[((n >> 3) * K + k) * 8 + (n & 7)] = w[n * K + k]!;
  assert.equal(packed([[0, N]]), want);
  assert.equal(
    packed([
      [0, 7],
      [7, 1],
      [8, 30],
      [38, 7],
    ]),
    want,
  );
});

test.run();
