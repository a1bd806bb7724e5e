/**
 * Speed of an f32 matrix product written as plain Loom text (`motif.matrix`: column panels, K
 * ascending) on one thread, against onnxruntime-web with one thread in the same process, launches
 * of both alternating. The shortest of many launches counts: other work on the machine only adds.
 *
 *   node dist/test/bench/matrix-product.bench.js [--tiles]   (--tiles: every tile, ours alone)
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileCommand } from '../../runtime/jit/compile-command.js';
import { useOptimizedWasm } from '../../runtime/jit/v8-flags.js';
import { stageProgram } from '../runtime/loom/elaborate/programs.js';
import { CommandBench } from '../runtime/jit/run-command.js';
import { matMulModel, type MatMulShape } from './onnx-model.js';
import { peer } from './peer.js';
import { printReport, type BenchRow } from './report.js';
import { root } from './server-process.js';

useOptimizedWasm();

const ROUNDS = 41;
const motif = readFileSync(join(root, 'models/motifs/matrix.loom'), 'utf8');

/** Rows and columns (of four) that one lane keeps in registers. */
interface Tile {
  readonly TM: number;
  readonly TNV: number;
}
interface Operands extends Record<'x' | 'w', Float32Array> {
  readonly shape: MatMulShape;
}
/** One way to multiply: launches once, and shows the product of the last launch. */
interface Contender {
  launch(): Promise<void>;
  product(): Float32Array;
}

function operands(shape: MatMulShape): Operands {
  const { M, K, N } = shape;
  const x = Float32Array.from({ length: M * K }, (_, i) => ((i * 7) % 13) / 13 - 0.5);
  const w = Float32Array.from({ length: K * N }, (_, i) => ((i * 5) % 11) / 11 - 0.5);
  return { shape, x, w };
}

function stageText({ M, K, N }: MatMulShape, { TM, TNV }: Tile): string {
  const panels = N / (TNV * 4);
  const groups = Math.ceil(M / TM);
  return [
    'library sample',
    'use motif.matrix { pack, product }',
    'command.def export packing(w: root, panels: root) {',
    `  dispatch pack<${K}, ${N}, ${TNV}>(w, panels) grid(${panels})`,
    '}',
    'command.def export multiply(x: root, panels: root, y: root) {',
    `  dispatch product<${K}, ${N}, ${TM}, ${TNV}, 1>(x, panels, y, ${M}) grid(${panels}, ${groups})`,
    '}',
  ].join('\n');
}

function ours({ shape, x, w }: Operands, tile: Tile): Contender {
  const files = { 'matrix.loom': motif, 'sample.loom': stageText(shape, tile) };
  const bytesOf = (values: Float32Array) => new Uint8Array(values.slice().buffer);
  const bench = (name: string, roots: Uint8Array[]) =>
    new CommandBench(compileCommand(stageProgram(files, `sample.${name}`)), roots);
  const packing = bench('packing', [bytesOf(w), new Uint8Array(w.byteLength)]);
  packing.launch();
  const y = new Uint8Array(shape.M * shape.N * 4);
  const multiplying = bench('multiply', [bytesOf(x), packing.bytes(1).slice(), y]);
  return {
    launch: async () => multiplying.launch(),
    product: () => multiplying.floats(2),
  };
}

/** What this file uses of onnxruntime-web. */
interface OnnxRuntime {
  readonly env: { logLevel: string; readonly wasm: { numThreads: number } };
  readonly Tensor: new (type: 'float32', data: Float32Array, dims: readonly number[]) => object;
  readonly InferenceSession: {
    create(
      model: Uint8Array,
      options: object,
    ): Promise<{ run(feeds: object): Promise<{ readonly y: { readonly data: Float32Array } }> }>;
  };
}

async function theirs(runtime: OnnxRuntime, { shape, x, w }: Operands): Promise<Contender> {
  const { M, K, N } = shape;
  runtime.env.wasm.numThreads = 1;
  runtime.env.logLevel = 'error';
  const session = await runtime.InferenceSession.create(matMulModel(shape), {
    executionProviders: ['wasm'],
  });
  const feeds = {
    x: new runtime.Tensor('float32', x, [M, K]),
    w: new runtime.Tensor('float32', w, [K, N]),
  };
  let y: Float32Array = new Float32Array(0);
  return {
    launch: async () => void (y = (await session.run(feeds)).y.data),
    product: () => y,
  };
}

/** Shortest time of a launch of each in ms; every round launches all of them. */
async function shortest(contenders: readonly Contender[], repeats: number): Promise<number[]> {
  const best = contenders.map(() => Infinity);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, contender] of contenders.entries()) {
      const begin = performance.now();
      for (let r = 0; r < repeats; r++) await contender.launch();
      best[index] = Math.min(best[index]!, (performance.now() - begin) / repeats);
    }
  }
  return best;
}

/** Ours has one order, so its bits are known; a peer may add in any. */
function checkProduct({ shape, x, w }: Operands, y: Float32Array, bound: number): void {
  const { M, K, N } = shape;
  for (const [m, n] of [
    [0, 0],
    [M - 1, N - 1],
    [M >> 1, N >> 1],
  ] as const) {
    let sum = 0;
    for (let k = 0; k < K; k++) sum = Math.fround(sum + Math.fround(x[m * K + k]! * w[k * N + n]!));
    if (Math.abs(sum - y[m * N + n]!) <= bound) continue;
    throw new Error(`wrong product at ${m}, ${n}: ${y[m * N + n]} instead of ${sum}`);
  }
}

async function measure(
  shape: MatMulShape,
  tile: Tile,
  runtime: OnnxRuntime | null,
): Promise<BenchRow[]> {
  const { M, K, N } = shape;
  const given = operands(shape);
  const contenders = [ours(given, tile)];
  if (runtime !== null) contenders.push(await theirs(runtime, given));
  for (const [index, contender] of contenders.entries()) {
    await contender.launch();
    checkProduct(given, contender.product(), index === 0 ? 0 : 1e-3);
  }
  const times = await shortest(contenders, Math.max(1, Math.round(3e7 / (M * N * K))));
  const name = `${M}x${K}x${N}`;
  const [own = NaN, other] = times.map((ms) => (2 * M * N * K) / ms / 1e6);
  const row = { unit: 'GFLOPS', better: 'higher' } as const;
  const rows: BenchRow[] = [
    { ...row, name: `${name}, tile ${tile.TM}x${tile.TNV * 4}`, value: own },
  ];
  if (other === undefined) return rows;
  const goal = M === 512 ? { goal: 1.5 } : {};
  return [
    ...rows,
    { ...row, name: `${name}, onnxruntime-web`, value: other },
    { name: `${name}, against it`, value: own / other, unit: 'x', better: 'higher', ...goal },
  ];
}

const shapes: readonly (readonly [MatMulShape, Tile])[] = [
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
const allTiles = process.argv.includes('--tiles');
const runtime = allTiles ? null : peer<OnnxRuntime>('onnxruntime-web');
const chosen = allTiles
  ? shapes.flatMap(([shape]) =>
      tiles.filter(({ TNV }) => shape.N % (TNV * 4) === 0).map((tile) => [shape, tile] as const),
    )
  : shapes;
const rows: BenchRow[] = [];
for (const [shape, tile] of chosen) rows.push(...(await measure(shape, tile, runtime)));
printReport({ name: 'matrix product, one thread', rows });
