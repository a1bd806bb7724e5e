/**
 * Linear layers in the form that GPUs run: by the interpreter and as WebAssembly they have the bits
 * of the other form; on an adapter they are near it, and a row has the same bits in any company.
 *
 * time limit: 300 s (shaders are compiled on the first run, and found in the driver's cache later)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TargetFacts } from '../../runtime/base/target-facts.js';
import { compileCommand } from '../../runtime/jit/compile-command.js';
import { compileWgsl } from '../../runtime/jit/wgsl/compile-wgsl.js';
import type { CommandProgram } from '../../runtime/loom/typed.js';
import { interpretCommand } from '../../runtime/vm/device/command-interpreter.js';
import { CommandBench } from '../runtime/jit/run-command.js';
import { openBench } from '../runtime/jit/wgsl/wgsl-bench.js';
import { stageProgram } from '../runtime/loom/elaborate/programs.js';
import { bytesOf, floatsOf, mixedValues, motifs } from './motif-values.js';

const bench = await openBench();
/** More than one tile of rows, and a last one of any size. */
const ROWS_MAX = 37;
/** Results of one command: linear with bias and without, then quantised. */
const RESULTS = [5, 6, 7];

interface Shape {
  readonly K: number;
  readonly N: number;
}

/** Outputs that end within a vector; several workgroups; blocks that are not full. */
const shapes: readonly Shape[] = [
  { K: 37, N: 61 },
  { K: 64, N: 300 },
];

function program({ K, N }: Shape, target: Partial<TargetFacts>): CommandProgram {
  const text = `library sample
use motif.linear { linear, linear_vectors, pack_outputs, identity, relu }
use motif.quant { quant_linear, quant_vectors, quant_scales }
use motif.quant_rows { quantise_rows, row_vectors, row_scales }
use motif.quant_pack { pack_quant, pack_quant_scales }
command.def export main(head: root, x: root, w: root, bias: root, unused: root, y: root, z: root, q: root) {
  let rows = word(head, 0)
  workspace panels : f32x4[linear_vectors(${K}, ${N})]
  workspace zero packed : i8x16[quant_vectors(${K}, ${N})]
  workspace steps : f32x4[quant_scales(${K}, ${N}) / 4]
  workspace values : i8x16[row_vectors(${K}, ${ROWS_MAX})]
  workspace scales : f32[row_scales(${K}, ${ROWS_MAX})]
  dispatch pack_outputs<${K}, ${N}>(w, panels.as<f32>(), 0, ${N}, ${K})
  dispatch pack_quant<${K}, ${N}>(w, packed.as<i8x4>(), 0, ${N}, ${K})
  dispatch pack_quant_scales<${K}, ${N}>(w, steps.as<f32>(), 0, ${N}, ${K})
  dispatch linear<${K}, ${N}, true, @relu>(x, panels, bias, y, rows)
  dispatch linear<${K}, ${N}, false, @identity>(x, panels, bias, z, rows)
  dispatch quantise_rows<${K}>(x, values.as<i8x4>(), scales, rows)
  dispatch quant_linear<${K}, ${N}, true, @relu>(values, scales, packed, steps, bias, q, rows)
}`;
  const files = { ...motifs('linear', 'quant', 'quant-pack', 'quant-rows'), 'sample.loom': text };
  return stageProgram(files, 'sample.main', { target });
}

const forms: Readonly<Record<string, Partial<TargetFacts>>> = {
  'of 8 lanes': { simt: true, lanes: 8, subgroups: true, tile_m: 16 },
  'of 32 lanes': { simt: true, lanes: 32, tile_m: 16 },
  'of small tiles': { simt: true, lanes: 4, tile_m: 5 },
  'without packed dots': { simt: true, lanes: 16, dot8: false, tile_m: 16 },
  'that the CPU plays': {
    simt: true,
    lanes: 8,
    subgroups: true,
    software: true,
    dot8: false,
    tile_m: 8,
  },
};

/** Rows `first` … of a fixed set. */
function roots({ K, N }: Shape, rows: number, first = 0): Uint8Array[] {
  const x = mixedValues(ROWS_MAX * K, 3).slice(first * K, (first + rows) * K);
  const head = new Uint8Array(Int32Array.of(rows, 0, 0, 0).buffer);
  const result = () => new Float32Array(rows * N);
  const given = [x, mixedValues(N * K, 5), mixedValues(N, 7), new Float32Array(4)];
  return [head, ...[...given, result(), result(), result()].map(bytesOf)];
}

function emitted(command: CommandProgram, given: Uint8Array[]): readonly Float32Array[] {
  const run = new CommandBench(compileCommand(command), given);
  const { poison, roots: results } = run.runAlone();
  assert.is(poison, 0);
  assert.ok(run.canariesIntact());
  return RESULTS.map((root) => floatsOf(results[root]!));
}

for (const [name, target] of Object.entries(forms)) {
  test(`the form ${name} has the bits of the other`, () => {
    for (const shape of shapes) {
      const [ours, other] = [program(shape, target), program(shape, {})];
      for (const rows of [1, 2, 3, 4, 8, 16, ROWS_MAX]) {
        const want = emitted(other, roots(shape, rows));
        assert.equal(emitted(ours, roots(shape, rows)), want, `${shape.N} outputs, ${rows} rows`);
      }
    }
  });
}

test('products at the ends of their range do not run into each other', () => {
  const shape = { K: 64, N: 20 };
  const ends = (count: number, period: number) =>
    bytesOf(Float32Array.from({ length: count }, (_, i) => (i < shape.K || i % period ? 1 : -1)));
  const [head, , , ...others] = roots(shape, 4);
  const given = () => [head!, ends(4 * shape.K, 3), ends(shape.N * shape.K, 5), ...others];
  const want = emitted(program(shape, {}), given());
  for (const [name, target] of Object.entries(forms)) {
    assert.equal(emitted(program(shape, target), given()), want, name);
  }
});

test('the interpreter finds no fault in any form', () => {
  for (const target of Object.values(forms)) {
    const shape = { K: 33, N: 19 };
    const command = program(shape, target);
    for (const rows of [2, 7]) {
      const given = roots(shape, rows);
      assert.equal(interpretCommand(command, { roots: given, checks: true }).faults, []);
      const results = RESULTS.map((root) => floatsOf(given[root]!));
      assert.equal(results, emitted(program(shape, {}), roots(shape, rows)));
    }
  }
});

async function onGpu(
  command: CommandProgram,
  given: Uint8Array[],
  software: boolean,
): Promise<Float32Array[]> {
  const packedDot = bench!.target.packedDot && !software;
  const compiled = compileWgsl(command, { ...bench!.target, software, packedDot });
  const results = await bench!.run(compiled, given);
  return RESULTS.map((root) => floatsOf(results[root]!));
}

async function agree(shape: Shape, software: boolean): Promise<void> {
  const { N } = shape;
  const lanes = bench!.target.subgroupSize ?? 32;
  const tile = { tile_m: software ? 32 : 16, software, dot8: !software };
  const command = program(shape, { simt: true, lanes, subgroups: true, ...tile });
  const together = await onGpu(command, roots(shape, ROWS_MAX), software);
  const want = emitted(program(shape, {}), roots(shape, ROWS_MAX));
  together.forEach((values, result) => {
    const far = values.findIndex((value, at) => {
      const expected = want[result]![at]!;
      return !(Math.abs(value - expected) <= 1e-5 * Math.max(1, Math.abs(expected)));
    });
    assert.is(far, -1, `result ${result}: ${values[far]}, not ${want[result]![far]}`);
  });
  for (const rows of [1, 2, 3, 8, 9, 16, 20]) {
    for (const first of [0, ROWS_MAX - rows]) {
      const alone = await onGpu(command, roots(shape, rows, first), software);
      const part = together.map((values) => values.slice(first * N, (first + rows) * N));
      assert.equal(alone, part, `${rows} rows from row ${first}`);
    }
  }
}

const name = 'on an adapter rows are near the other form, with the same bits in any company';
const run = async (): Promise<void> => {
  // Hardware's form runs on software too, where shaders take seconds: each form has one shape.
  await agree(shapes[0]!, false);
  await agree(shapes[1]!, bench!.target.software);
};
if (bench) test(name, run);
else test.skip(`${name} (skipped: no adapter)`, run);

test.after(() => bench?.close());
test.run();
