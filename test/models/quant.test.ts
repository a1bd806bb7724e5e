/**
 * Linear layers over 8-bit blocks: the stated arithmetic to the bit, the same for any number of
 * rows and any tile, and a bound on what quantising costs.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileCommand } from '../../runtime/jit/compile-command.js';
import type { CompiledCommand } from '../../runtime/jit/emitter.js';
import { interpretCommand } from '../../runtime/vm/device/command-interpreter.js';
import { CommandBench } from '../runtime/jit/run-command.js';
import { stageProgram } from '../runtime/loom/elaborate/programs.js';
import { bytesOf, floatsOf, mixedValues, motifs } from './motif-values.js';

const f32 = Math.fround;
const BLOCK = 32;

interface Layer {
  readonly K: number;
  readonly N: number;
  readonly rowsMax: number;
  readonly bias?: boolean;
  /** Panels and rows of a workgroup. */
  readonly chunk?: readonly [number, number];
  /** Outputs at which a block of weights begins. */
  readonly cuts?: readonly number[];
}

function stage({ K, N, rowsMax, bias = false, chunk = [4, 16], cuts = [0] }: Layer) {
  const packs = cuts.flatMap((at, index) => {
    const rows = (cuts[index + 1] ?? N) - at;
    const source = `w.view<f32>(${index * pitch(K, N)}, ${rows * K})`;
    return [
      `  dispatch pack_quant<${K}, ${N}>(${source}, packed.as<i8x4>(), ${at}, ${rows}, ${K})`,
      `  dispatch pack_quant_scales<${K}, ${N}>(${source}, steps.as<f32>(), ${at}, ${rows}, ${K})`,
    ];
  });
  const text = `library sample
use motif.linear { identity, relu }
use motif.quant { quant_linear, quant_vectors, quant_scales }
use motif.quant_rows { quantise_rows, row_vectors, row_scales }
use motif.quant_pack { pack_quant, pack_quant_scales }
command.def export main(head: root, x: root, w: root, bias: root, y: root) {
  let rows = word(head, 0)
  workspace zero packed : i8x16[quant_vectors(${K}, ${N})]
  workspace steps : f32x4[quant_scales(${K}, ${N}) / 4]
  workspace values : i8x16[row_vectors(${K}, ${rowsMax})]
  workspace scales : f32[row_scales(${K}, ${rowsMax})]
${packs.join('\n')}
  dispatch quantise_rows<${K}>(x, values.as<i8x4>(), scales, rows)
  dispatch quant_linear<${K}, ${N}, ${bias}, @${bias ? 'relu' : 'identity'}>(values, scales, packed, steps, bias, y, rows)
}`;
  const config = {
    'motif.quant.quant_panels': String(chunk[0]),
    'motif.quant.quant_rows': String(chunk[1]),
  };
  return stageProgram(
    { ...motifs('linear', 'quant', 'quant-pack', 'quant-rows'), 'sample.loom': text },
    'sample.main',
    {
      config,
    },
  );
}

/** Bytes from one block of source rows to the next. */
const pitch = (K: number, N: number): number => Math.ceil((K * N * 4) / 16) * 16;

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

function roots({ K, N, cuts = [0] }: Layer, { x, w, bias }: Operands): Uint8Array[] {
  const head = new Uint8Array(Int32Array.of(x.length / K, 0, 0, 0).buffer);
  const blocks = new Float32Array((pitch(K, N) / 4) * cuts.length);
  cuts.forEach((at, index) =>
    blocks.set(w.subarray(at * K, (cuts[index + 1] ?? N) * K), (index * pitch(K, N)) / 4),
  );
  const y = new Float32Array((x.length / K) * N);
  return [head, ...[x, blocks, bias, y].map(bytesOf)];
}

const known = new Map<string, CompiledCommand>();
function emitted(layer: Layer, given: Operands): Float32Array {
  const key = JSON.stringify(layer);
  const program = known.get(key) ?? compileCommand(stage(layer));
  known.set(key, program);
  const bench = new CommandBench(program, roots(layer, given));
  const result = bench.runAlone();
  assert.is(result.poison, 0);
  assert.ok(bench.canariesIntact());
  return floatsOf(result.roots[4]!);
}

/** Ties to the even neighbour. */
function nearest(value: number): number {
  const low = Math.floor(value);
  if (value - low !== 0.5) return Math.round(value);
  return low % 2 === 0 ? low : low + 1;
}

/** The steps of one block of a row, and the scale of a step. */
function quantised(values: Float32Array): { readonly q: number[]; readonly scale: number } {
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const steps = largest > 0 ? f32(127 / largest) : 0;
  const q = Array.from(values, (value) => nearest(f32(value * steps)));
  return { q, scale: f32(largest / 127) };
}

/** The contract in its own words: exact dots, then blocks ascending, product and sum rounded. */
function expected({ K, N, bias }: Layer, given: Operands): Float32Array {
  const rows = given.x.length / K;
  const blocks = (values: Float32Array, count: number) =>
    Array.from({ length: count }, (_, row) =>
      Array.from({ length: Math.ceil(K / BLOCK) }, (_, b) =>
        quantised(values.subarray(row * K + b * BLOCK, row * K + Math.min(K, (b + 1) * BLOCK))),
      ),
    );
  const x = blocks(given.x, rows);
  const w = blocks(given.w, N);
  return Float32Array.from({ length: rows * N }, (_, at) => {
    const [row, n] = [Math.floor(at / N), at % N];
    let sum = 0;
    x[row]!.forEach((left, b) => {
      const right = w[n]![b]!;
      const dot = left.q.reduce((total, value, i) => total + value * right.q[i]!, 0);
      sum = f32(sum + f32(dot * f32(right.scale * left.scale)));
    });
    return bias ? Math.max(f32(sum + given.bias[n]!), 0) : sum;
  });
}

test('rows at 1, 2, 3, 8, 16 and 256 are the same bits, alone and together', () => {
  const layer = { K: 96, N: 48, rowsMax: 256, bias: true };
  const all = operands(layer, 256);
  const together = emitted(layer, all);
  assert.equal(together, expected(layer, all));
  for (const rows of [1, 2, 3, 8, 16]) {
    for (const first of [0, 100, 256 - rows]) {
      const x = all.x.subarray(first * layer.K, (first + rows) * layer.K);
      const part = together.subarray(first * layer.N, (first + rows) * layer.N);
      assert.equal(emitted(layer, { ...all, x }), part.slice(), `${rows} rows from ${first}`);
    }
  }
});

test('chunks of a workgroup and blocks of weights change no bit', () => {
  const layer = { K: 64, N: 45, rowsMax: 9 };
  const given = operands(layer, 9);
  const want = expected(layer, given);
  for (const chunk of [
    [4, 16],
    [1, 1],
    [3, 4],
    [16, 64],
  ] as const)
    assert.equal(emitted({ ...layer, chunk }, given), want, `chunk ${chunk.join(' x ')}`);
  for (const cuts of [
    [0, 16],
    [0, 7, 8, 31],
    [0, 1, 2, 3, 44],
  ])
    assert.equal(emitted({ ...layer, cuts }, given), want, `cuts ${cuts.join()}`);
});

test('the interpreter finds no fault and the same bits, whatever the extents', () => {
  for (const [K, N] of [
    [1, 1],
    [31, 6],
    [32, 16],
    [33, 17],
    [70, 19],
  ] as const) {
    const layer = { K, N, rowsMax: 3, bias: N > 6 };
    const given = operands(layer, 3);
    given.x.fill(0, 0, K);
    const interpreted = roots(layer, given);
    const outcome = interpretCommand(stage(layer), { roots: interpreted, checks: true });
    assert.equal(outcome.faults, []);
    const want = expected(layer, given);
    assert.equal(floatsOf(interpreted[4]!), want, `${K} inputs, ${N} outputs`);
    assert.equal(emitted(layer, given), want, `${K} inputs, ${N} outputs, emitted`);
  }
});

test('quantising costs at most half a step of each factor', () => {
  const layer = { K: 256, N: 32, rowsMax: 4 };
  const { K, N } = layer;
  const given = operands(layer, 4);
  const y = emitted(layer, given);
  const step = (values: Float32Array, row: number, k: number): number => {
    const from = row * K + Math.floor(k / BLOCK) * BLOCK;
    const largest = Math.max(...values.subarray(from, from + BLOCK).map(Math.abs));
    // Scale, product and quotient are rounded: a few units beside the half step.
    return (largest / 127) * (1 + 2 ** -16);
  };
  y.forEach((value, at) => {
    const [row, n] = [Math.floor(at / N), at % N];
    let exact = 0;
    let bound = 0;
    for (let k = 0; k < K; k++) {
      const [a, b] = [given.x[row * K + k]!, given.w[n * K + k]!];
      const [da, db] = [step(given.x, row, k) / 2, step(given.w, n, k) / 2];
      exact += a * b;
      bound += Math.abs(a) * db + Math.abs(b) * da + da * db;
      bound += (K / BLOCK + 4) * 2 ** -24 * (Math.abs(a) + da) * (Math.abs(b) + db);
    }
    assert.ok(Math.abs(value - exact) <= bound, `row ${row}, output ${n}`);
    assert.ok(bound < 0.1 * K * 256, 'the bound means something');
  });
});

test.run();
