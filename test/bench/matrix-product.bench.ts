/**
 * Speed of an f32 matrix product in plain typed trees (column panels, K ascending: what the `gemm`
 * of the language's examples elaborates to), on one thread; the shortest of many launches. 128-bit
 * multiply-adds end at about 56 GFLOPS on the machine of PERFORMANCE.md.
 *
 *   node dist/test/bench/matrix-product.bench.js [--tiles]   (--tiles: every tile, not the default)
 */
import { compileCommand } from '../../runtime/jit/compile-command.js';
import { useOptimizedWasm } from '../../runtime/jit/v8-flags.js';
import type { CommandProgram, Kernel } from '../../runtime/loom/typed.js';
import * as b from '../generators/typed-builder.js';
import { CommandBench } from '../runtime/jit/run-command.js';
import { printReport, type BenchRow } from './report.js';

useOptimizedWasm();

const { t } = b;
const ROUNDS = 31;

interface Shape {
  readonly M: number;
  readonly K: number;
  readonly N: number;
}
/** Rows and columns (of four) that one workgroup keeps in registers. */
interface Tile {
  readonly TM: number;
  readonly TNV: number;
}

function gemm({ K, N }: Shape, { TM, TNV }: Tile): Kernel {
  const kernel = new b.KernelBuilder('gemm', 1);
  const x = kernel.view('x', 'in', b.storage('f32'));
  const w = kernel.view('w', 'in', b.storage('f32', 4));
  const y = kernel.view('y', 'out', b.storage('f32', 4));
  const rows = kernel.scalar('rows', t.i32);
  const [row, cb, lane, k] = ['row', 'cb', 'lane', 'k'].map((name) =>
    kernel.local(name, t.i32),
  ) as [b.Variable, b.Variable, b.Variable, b.Variable];
  const acc = Array.from({ length: TM * TNV }, (_, i) => kernel.local(`acc${i}`, t.f32x4));
  const a = Array.from({ length: TM }, (_, i) => kernel.local(`a${i}`, t.f32));
  const bv = Array.from({ length: TNV }, (_, j) => kernel.local(`bv${j}`, t.f32x4));
  const panel = b.add(cb.get, lane.get);
  const tile = kernel.tile(w, b.mul(panel, b.i32(K * TNV)), K * TNV);
  const products = bv.flatMap((column, j) => [
    b.set(column, tile.view.get(b.add(b.mul(k.get, b.i32(TNV)), b.i32(j)))),
    ...a.map((scalar, i) => {
      const sum = acc[i * TNV + j]!;
      return b.set(
        sum,
        b.intrinsic('mad', t.f32x4, [b.splat(t.f32x4, scalar.get), column.get, sum.get]),
      );
    }),
  ]);
  const stores = a.map((_, i) => {
    const at = b.add(row.get, b.i32(i));
    const put = bv.map((__, j) =>
      y.set(
        b.add(b.mul(at, b.i32(N / 4)), b.add(b.mul(panel, b.i32(TNV)), b.i32(j))),
        acc[i * TNV + j]!.get,
      ),
    );
    return b.when(b.compare('<', at, rows.get), b.block(...put));
  });
  const region = b.block(
    tile.define,
    ...acc.map((sum) => b.set(sum, b.constant(t.f32x4, [0, 0, 0, 0]))),
    b.loop(
      k,
      { from: b.i32(0), to: b.i32(K) },
      b.block(kernel.take(x, b.add(b.mul(row.get, b.i32(K)), k.get), b.i32(K), a), ...products),
    ),
    ...stores,
  );
  return kernel.build(
    b.block(
      b.set(row, b.mul(b.workgroup(1), b.i32(TM))),
      b.set(cb, b.workgroup(0)),
      b.when(b.compare('>=', row.get, rows.get), b.block(b.ret())),
      kernel.parallel(lane, { from: b.i32(0), to: b.i32(1) }, region),
    ),
  );
}

const program = (
  kernel: Kernel,
  roots: number,
  grid: readonly number[],
  words: readonly number[] = [],
): CommandProgram =>
  b.commandProgram({
    roots: Array.from({ length: roots }, (_, i) => b.root(i === roots - 1 ? 'out' : 'in')),
    kernels: [kernel],
    steps: [
      b.dispatch(
        0,
        [
          ...Array.from({ length: roots }, (_, i) => b.wholeRoot(i)),
          ...words.map((word) => b.word(word)),
        ],
        ...grid,
      ),
    ],
  });

/** Shortest time of one launch in ms. */
function shortest(bench: CommandBench, repeats: number): number {
  let best = Infinity;
  for (let round = 0; round < ROUNDS; round++) {
    const begin = performance.now();
    for (let r = 0; r < repeats; r++) bench.launch();
    best = Math.min(best, (performance.now() - begin) / repeats);
  }
  return best;
}

const gflops = (operations: number, ms: number): number => operations / ms / 1e6;

function measure(shape: Shape, tile: Tile): number {
  const { M, K, N } = shape;
  const width = tile.TNV * 4;
  const compiled = compileCommand(
    program(gemm(shape, tile), 3, [N / width, Math.ceil(M / tile.TM)], [M]),
  );
  const x = Float32Array.from({ length: M * K }, (_, i) => ((i * 7) % 13) / 13 - 0.5);
  const w = Float32Array.from({ length: K * N }, (_, i) => ((i * 5) % 11) / 11 - 0.5);
  const panels = new Float32Array(K * N);
  for (let n = 0; n < N; n++) {
    for (let k = 0; k < K; k++)
      panels[Math.floor(n / width) * K * width + k * width + (n % width)] = w[k * N + n]!;
  }
  const bench = new CommandBench(compiled, [
    new Uint8Array(x.buffer),
    new Uint8Array(panels.buffer),
    new Uint8Array(M * N * 4),
  ]);
  bench.launch();
  checkProduct(shape, { x, w, y: bench.floats(2) });
  return gflops(2 * M * N * K, shortest(bench, Math.max(1, Math.round(3e7 / (M * N * K)))));
}

function checkProduct(
  { M, K, N }: Shape,
  { x, w, y }: Record<'x' | 'w' | 'y', Float32Array>,
): void {
  for (const [m, n] of [
    [0, 0],
    [M - 1, N - 1],
    [M >> 1, N >> 1],
  ] as const) {
    let sum = 0;
    for (let k = 0; k < K; k++) sum = Math.fround(sum + Math.fround(x[m * K + k]! * w[k * N + n]!));
    if (sum !== y[m * N + n])
      throw new Error(`wrong product at ${m}, ${n}: ${y[m * N + n]} instead of ${sum}`);
  }
}

const shapes: readonly (readonly [Shape, Tile])[] = [
  [
    { M: 512, K: 512, N: 512 },
    { TM: 4, TNV: 2 },
  ],
  [
    { M: 1, K: 576, N: 1536 },
    { TM: 1, TNV: 8 },
  ],
  [
    { M: 128, K: 384, N: 1536 },
    { TM: 4, TNV: 2 },
  ],
];
const tiles: readonly Tile[] = [
  [1, 4],
  [1, 8],
  [2, 2],
  [2, 4],
  [3, 2],
  [3, 3],
  [4, 2],
  [5, 2],
].map(([TM, TNV]) => ({ TM: TM!, TNV: TNV! }));
const chosen = process.argv.includes('--tiles')
  ? shapes.flatMap(([shape]) =>
      tiles.filter(({ TNV }) => shape.N % (TNV * 4) === 0).map((tile) => [shape, tile] as const),
    )
  : shapes;
const rows = chosen.map(([shape, tile]): BenchRow => ({
  name: `${shape.M}x${shape.K}x${shape.N}, tile ${tile.TM}x${tile.TNV * 4}`,
  value: measure(shape, tile),
  unit: 'GFLOPS',
  better: 'higher',
}));
printReport({ name: 'matrix product, one thread', rows });
