/**
 * Speed of an f32 matrix product written in plain typed trees (column panels, K ascending), on one
 * thread: JSON on stdout. The same tree that the language's `gemm` example elaborates to.
 */
import { compileCommand } from '../../runtime/jit/compile-command.js';
import { useOptimizedWasm } from '../../runtime/jit/v8-flags.js';
import { CommandBench } from '../runtime/jit/run-command.js';
import {
  add,
  block,
  call,
  cmp,
  command,
  dispatch,
  f32,
  f32x4,
  floats,
  group,
  i32,
  ifThen,
  int,
  KernelTree,
  mul,
  root,
  splat,
  storage,
  constant,
} from '../runtime/jit/trees.js';
import type { Kernel, Stmt } from '../../runtime/loom/typed.js';

useOptimizedWasm();

interface Shape {
  readonly M: number;
  readonly K: number;
  readonly N: number;
  readonly TM: number;
  readonly TNV: number;
}

function gemm({ K, N, TM, TNV }: Shape): Kernel {
  const t = new KernelTree();
  const x = t.view('x', 'in', storage('f32'));
  const w = t.view('w', 'in', storage('f32', 4));
  const y = t.view('y', 'out', storage('f32', 4));
  const rows = t.param('rows', i32);
  const b = t.derived('tile', w, K * TNV);
  const row = t.local('row', i32);
  const cb = t.local('cb', i32);
  const lane = t.local('lane', i32);
  const k = t.local('k', i32);
  const acc = Array.from({ length: TM * TNV }, (_, i) => t.local(`acc${i}`, f32x4));
  const a = Array.from({ length: TM }, (_, i) => t.local(`a${i}`, f32));
  const inner: Stmt[] = [
    {
      op: 'view.take',
      view: x,
      base: add(mul(t.use(row), int(K)), t.use(k)),
      stride: int(K),
      locals: a,
      storage: storage('f32'),
      site: 0,
    },
  ];
  for (let j = 0; j < TNV; j++) {
    const bv = t.local(`bv${j}`, f32x4);
    inner.push(t.set(bv, t.get(b, add(mul(t.use(k), int(TNV)), int(j)), f32x4)));
    for (let i = 0; i < TM; i++) {
      const c = acc[i * TNV + j]!;
      inner.push(t.set(c, call('mad', f32x4, splat(t.use(a[i]!), f32x4), t.use(bv), t.use(c))));
    }
  }
  const stores: Stmt[] = [];
  for (let i = 0; i < TM; i++) {
    const at = add(t.use(row), int(i));
    const column = mul(add(t.use(cb), t.use(lane)), int(TNV));
    stores.push(
      ifThen(
        cmp('<', at, rows),
        block(
          Array.from({ length: TNV }, (_, j) =>
            t.put(y, add(mul(at, int(N / 4)), column, int(j)), t.use(acc[i * TNV + j]!)),
          ),
        ),
      ),
    );
  }
  return t.kernel(
    'gemm',
    block(
      t.set(row, mul(group(1), int(TM))),
      t.set(cb, group(0)),
      ifThen(cmp('>=', t.use(row), rows), block({ op: 'return', values: [], site: 0 })),
      t.lanes(
        lane,
        int(0),
        int(1),
        block(
          {
            op: 'view.tile',
            view: b,
            source: w,
            base: mul(add(t.use(cb), t.use(lane)), int(K * TNV)),
            count: K * TNV,
            site: 0,
          },
          acc.map((c) => t.set(c, floats(0, 0, 0, 0))),
          t.loop(k, int(0), int(K), block(inner)),
          stores,
        ),
        true,
      ),
    ),
  );
}

function measure(shape: Shape): Record<string, unknown> {
  const { M, K, N, TM, TNV } = shape;
  const program = command(
    [gemm(shape)],
    [dispatch(0, [root(0), root(1), root(2), constant(M)], N / (4 * TNV), Math.ceil(M / TM))],
    { roots: ['in', 'in', 'out'] },
  );
  const started = performance.now();
  const compiled = compileCommand(program);
  const emitted = performance.now();
  const x = Float32Array.from({ length: M * K }, (_, i) => Math.fround(((i * 7) % 13) / 13 - 0.5));
  const w = Float32Array.from({ length: K * N }, (_, i) => Math.fround(((i * 5) % 11) / 11 - 0.5));
  // Panels of TNV * 4 columns, K ascending.
  const packed = new Float32Array(K * N);
  const width = TNV * 4;
  for (let n = 0; n < N; n++) {
    for (let k = 0; k < K; k++)
      packed[Math.floor(n / width) * K * width + k * width + (n % width)] = w[k * N + n]!;
  }
  const bytes = (array: Float32Array) => new Uint8Array(array.buffer);
  const bench = new CommandBench(compiled, [bytes(x), bytes(packed), new Uint8Array(M * N * 4)]);
  const loaded = performance.now();
  bench.runAlone();
  let sum = 0;
  const out = bench.floats(2);
  for (const [m, n] of [
    [0, 0],
    [M - 1, N - 1],
    [M >> 1, N >> 1],
  ] as const) {
    let expected = 0;
    for (let k = 0; k < K; k++)
      expected = Math.fround(expected + Math.fround(x[m * K + k]! * w[k * N + n]!));
    if (!Object.is(expected + 0, out[m * N + n]! + 0))
      throw new Error(`wrong product at ${m},${n}: ${out[m * N + n]} for ${expected}`);
    sum += expected;
  }
  const times: number[] = [];
  for (let i = 0; i < 31; i++) {
    const repeats = Math.max(1, Math.round(3e7 / (M * N * K)));
    const begin = performance.now();
    for (let r = 0; r < repeats; r++) bench.launch();
    times.push((performance.now() - begin) / repeats);
  }
  times.sort((p, q) => p - q);
  const flops = 2 * M * N * K;
  return {
    shape: `${M}x${K}x${N}`,
    tile: `${TM}x${TNV * 4}`,
    checksum: sum,
    gflopsBest: +(flops / times[0]! / 1e6).toFixed(1),
    gflopsMedian: +(flops / times[15]! / 1e6).toFixed(1),
    emitMs: +(emitted - started).toFixed(2),
    loadMs: +(loaded - emitted).toFixed(2),
    bytes: compiled.bytes.length,
  };
}

const shapes: Shape[] = [
  { M: 512, K: 512, N: 512, TM: 4, TNV: 2 },
  { M: 1, K: 576, N: 1536, TM: 1, TNV: 4 },
  { M: 128, K: 384, N: 1536, TM: 4, TNV: 2 },
];
const tiles = process.argv.includes('--tiles');
const all = tiles
  ? shapes.flatMap((shape) =>
      [
        [1, 2],
        [1, 4],
        [1, 8],
        [2, 4],
        [3, 2],
        [3, 3],
        [4, 2],
        [2, 2],
      ]
        .map(([TM, TNV]) => ({ ...shape, TM: TM!, TNV: TNV! }))
        .filter((s) => s.N % (s.TNV * 4) === 0),
    )
  : shapes;
console.log(JSON.stringify({ threads: 1, products: all.map(measure) }, null, 1));
