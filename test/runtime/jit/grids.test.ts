/**
 * How a step is cut among workers: each workgroup runs once, and the next step sees all of them,
 * whatever their number and that of the workers. And loops that read ahead, at the memory's end.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileCommand } from '../../../runtime/jit/compile-command.js';
import { stageProgram } from '../loom/elaborate/programs.js';
import { CommandBench } from './run-command.js';

/** Extents around multiples of what workers take, and some with three axes. */
const EXTENTS = [
  ...Array.from({ length: 41 }, (_, n) => [n, 1, 1] as const),
  ...([
    [3, 5, 7],
    [1, 1, 64],
    [97, 2, 1],
    [511, 1, 1],
    [1000, 3, 2],
  ] as const),
];
const MOST = 6000;
const workers = [1, 2, 3, 4];

/** Step n counts its workgroups in row n, then looks at what it has counted and sums it up. */
const counting =
  stageProgram(`kernel.def visit(seen: acc view<u32>, row: i32, x: i32, y: i32) workgroup(1) {
  once { seen.add(row * ${MOST} + (workgroup.z * y + workgroup.y) * x + workgroup.x, 1u) }
}
kernel.def sum(seen: in view<u32>, sums: acc view<u32>, row: i32) workgroup(1) {
  once {
    var all = 0u
    for i in 0..${MOST} { all += seen[row * ${MOST} + i] }
    sums.add(row, all)
  }
}
command.def export main(seen: root, sums: root) {
${EXTENTS.map(
  ([x, y, z], row) => `  dispatch visit(seen, ${row}, ${x}, ${y}) grid(${x}, ${y}, ${z})
  dispatch sum(seen, sums, ${row}) grid(1)`,
).join('\n')}
}`);

for (const count of workers) {
  test(`each workgroup runs once, and before the next step, with ${count} workers`, async () => {
    const roots = [new Uint8Array(EXTENTS.length * MOST * 4), new Uint8Array(EXTENTS.length * 4)];
    const bench = new CommandBench(compileCommand(counting), roots);
    const result = await bench.run({ workers: count });
    assert.is(result.poison, 0);
    const [seen, sums] = result.roots.map((bytes) => [...new Uint32Array(bytes.buffer)]);
    EXTENTS.forEach(([x, y, z], row) => {
      const all = x * y * z;
      const expected = Array.from({ length: MOST }, (_, at) => (at < all ? 1 : 0));
      assert.equal(seen!.slice(row * MOST, (row + 1) * MOST), expected, `${x} × ${y} × ${z}`);
      assert.is(sums![row], all, `what the step after ${x} × ${y} × ${z} saw`);
    });
  });
}

test('a loop that reads ahead ends with the memory', () => {
  const program = stageProgram(`kernel.def run(x: in view<f32x4>, y: out view<f32>) workgroup(1) {
  once {
    var sum = f32x4(0.0)
    for i in 0..x.len / 4 {
      for j in 0..4 unroll { sum = sum + x[i * 4 + j] }
    }
    y[0] = sum.sum()
  }
}
command.def export main(x: root, y: root) { dispatch run(x, y) grid(1) }`);
  const vectors = 4096;
  const ones = new Uint8Array(new Float32Array(vectors * 4).fill(1).buffer);
  const bench = new CommandBench(compileCommand(program), [ones, new Uint8Array(16)]);
  const end = bench.memory.buffer.byteLength;
  const at = end - ones.length;
  new Uint8Array(bench.memory.buffer).set(ones, at);
  bench.rebind(0, at);
  const { poison } = bench.runAlone();
  assert.is(poison, 0);
  assert.is(bench.floats(1)[0], vectors * 4);
});

test.run();
