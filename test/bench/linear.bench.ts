/**
 * Speed of linear layers written as plain Loom text (`motif.linear`, `motif.quant`) on the local
 * device with one and two compute workers, against onnxruntime-web and onnxruntime-node with as
 * many threads, in one process and alternating. Our products of a small shape are dispatches of one
 * launch, as layers of a model are; a peer has a run for each, and all in one graph besides. Ratios
 * are of one run.
 *
 *   node dist/test/bench/linear.bench.js [--threads N] [--shortest]
 *
 * Without --threads: one and two, each in its own process, because a runtime keeps its threads.
 * --shortest: of all launches the shortest counts and not the median; for a machine that is busy.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemPorts } from '../../runtime/base/ports.js';
import type { DeviceRange } from '../../runtime/hal/buffer.js';
import { openLocalDevice } from '../../runtime/hal/local/local-device.js';
import { useOptimizedWasm } from '../../runtime/jit/v8-flags.js';
import { compiled } from '../conformance/compiled.js';
import { DeviceFixture } from '../runtime/hal/device-fixture.js';
import { stageProgram } from '../runtime/loom/elaborate/programs.js';
import type { MatMulShape } from './onnx-model.js';
import { openRuntime, type OnnxPeer } from './onnx-peer.js';
import { median, printReport, type BenchReport, type BenchRow } from './report.js';
import { root } from './server-process.js';

const ROUNDS = 41;
/** Operations of one launch: some milliseconds. */
const LAUNCH_FLOPS = 1e8;
const { values } = parseArgs({
  options: { threads: { type: 'string' }, shortest: { type: 'boolean', default: false } },
});

interface Contender {
  readonly name: string;
  launch(): Promise<void>;
  /** First values of the last product. */
  product(): Promise<Float32Array>;
}

const text = (name: string) => readFileSync(join(root, `models/motifs/${name}.loom`), 'utf8');
const motifs = {
  'linear.loom': text('linear'),
  'quant.loom': text('quant'),
  'quant-pack.loom': text('quant-pack'),
};

/** Commands of one shape: both packings, and both products `times` times, one after the other. */
function commands({ M, K, N }: MatMulShape, times: number): string {
  const each = Array.from({ length: times }, (_, i) => i);
  const rows = (i: number) => `x.view<f32>(${i * M * K * 4}, ${M * K})`;
  return `library sample
use motif.linear { linear, identity, pack_inputs, pack_outputs }
use motif.quant { quant_linear, quantise_rows, row_vectors, row_scales }
use motif.quant_pack { pack_quant, pack_quant_scales }
command.def export pack(w: root, panels: root) {
  dispatch pack_inputs<${K}, ${N}>(w, panels, 0, ${K}, ${N})
}
command.def export pack_8(w: root, blocks: root, steps: root) {
  dispatch pack_quant<${K}, ${N}>(w, blocks, 0, ${N}, ${K})
  dispatch pack_quant_scales<${K}, ${N}>(w, steps, 0, ${N}, ${K})
}
command.def export multiply(x: root, w: root, y: root) {
${each.map((i) => `  dispatch linear<${K}, ${N}, false, @identity>(${rows(i)}, w, ${rows(i)}, y, ${M})`).join('\n')}
}
command.def export multiply_8(x: root, w: root, steps: root, y: root) {
  workspace q : i8x16[row_vectors(${K}, ${M})]
  workspace s : f32[row_scales(${K}, ${M})]
${each
  .map(
    (i) => `  dispatch quantise_rows<${K}>(${rows(i)}, q.as<i8x4>(), s, ${M})
  dispatch quant_linear<${K}, ${N}, false, @identity>(q, s, w, steps, s, y, ${M})`,
  )
  .join('\n')}
}`;
}

/** The local device with the programs and operands of one shape. */
class Bench {
  readonly fixture: DeviceFixture;
  readonly #shape: MatMulShape;
  readonly #times: number;

  constructor(fixture: DeviceFixture, shape: MatMulShape, times: number) {
    this.fixture = fixture;
    this.#shape = shape;
    this.#times = times;
  }

  async contender(kind: 'f32' | 'int8', x: Float32Array, w: Float32Array): Promise<Contender> {
    const { M, N } = this.#shape;
    const y = this.fixture.place(M * N * 4);
    const rows = await this.#upload(x);
    const weights = kind === 'f32' ? await this.#pack(w) : await this.#packBlocks(w);
    const run = this.#load(kind === 'f32' ? 'multiply' : 'multiply_8');
    return {
      name: `ours, ${kind}`,
      launch: () => run([rows, ...weights, y]),
      product: async () => new Float32Array((await this.fixture.read(y)).buffer),
    };
  }

  async #pack(w: Float32Array): Promise<DeviceRange[]> {
    const { K, N } = this.#shape;
    const panels = this.fixture.place(Math.ceil(N / 32) * 32 * K * 4);
    await this.#load('pack')([await this.#upload(w), panels]);
    return [panels];
  }

  async #packBlocks(w: Float32Array): Promise<DeviceRange[]> {
    const { K, N } = this.#shape;
    const turned = new Float32Array(w.length);
    for (let k = 0; k < K; k++) for (let n = 0; n < N; n++) turned[n * K + k] = w[k * N + n]!;
    const units = Math.ceil(N / 16) * Math.ceil(K / 32);
    const [blocks, steps] = [this.fixture.place(units * 512), this.fixture.place(units * 64)];
    await this.#load('pack_8')([await this.#upload(turned), blocks, steps]);
    return [blocks, steps];
  }

  async #upload(values: Float32Array): Promise<DeviceRange> {
    const range = this.fixture.place(values.byteLength);
    await this.fixture.write(range, new Uint8Array(values.buffer));
    return range;
  }

  #load(name: string): (roots: DeviceRange[]) => Promise<void> {
    const { M, K, N } = this.#shape;
    const files = { ...motifs, 'sample.loom': commands(this.#shape, this.#times) };
    const image = compiled(stageProgram(files, `sample.${name}`));
    const id = `${name} ${M}x${K}x${N}`;
    this.fixture.device.load(id, image);
    const { workspaceBytes } = image.info;
    const workspace = workspaceBytes > 0 ? this.fixture.place(workspaceBytes) : null;
    return async (roots) => {
      const { failure } = await this.fixture.work([this.fixture.launch(id, roots, { workspace })])
        .retired;
      if (failure) throw new Error(failure.message);
    };
  }
}

/**
 * A peer with all products as nodes of one graph, and, where that differs, with a run for each
 * product: what a caller of the runtime gets who has one layer to compute.
 */
async function theirs(peer: OnnxPeer, shape: MatMulShape, given: Given): Promise<Contender[]> {
  const { x, w, times } = given;
  const graph = await peer.product(shape, w, { x, times });
  if (times === 1) return [graph];
  const one = await peer.product(shape, w, { x: x.slice(-shape.M * shape.K), times: 1 });
  const each = async (): Promise<void> => {
    for (let i = 0; i < times; i++) await one.launch();
  };
  return [
    { ...graph, name: `${graph.name}, one graph` },
    { ...one, name: graph.name, launch: each },
  ];
}

interface Given {
  readonly x: Float32Array;
  readonly w: Float32Array;
  readonly times: number;
}

function operands({ M, K, N }: MatMulShape): Given {
  const times = Math.max(1, Math.round(LAUNCH_FLOPS / (2 * M * K * N)));
  const x = Float32Array.from({ length: times * M * K }, (_, i) => ((i * 7) % 13) / 13 - 0.5);
  const w = Float32Array.from({ length: K * N }, (_, i) => ((i * 5) % 11) / 11 - 0.5);
  return { x, w, times };
}

/** Milliseconds of a launch of each; every round launches all of them. */
async function timesOf(contenders: readonly Contender[]): Promise<number[]> {
  const taken = contenders.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, contender] of contenders.entries()) {
      const begin = performance.now();
      await contender.launch();
      taken[index]!.push(performance.now() - begin);
    }
  }
  return taken.map((times) => (values.shortest ? Math.min(...times) : median(times)));
}

/** All contenders computed the same thing, as far as their sums and quantising allow. */
async function checkAll(contenders: readonly Contender[]): Promise<void> {
  const [first, ...others] = await Promise.all(contenders.map(({ product }) => product()));
  for (const [index, other] of others.entries()) {
    const at = first!.findIndex((value, i) => !(Math.abs(value - other[i]!) <= 0.2));
    if (at < 0) continue;
    const { name } = contenders[index + 1]!;
    throw new Error(`${name} has ${other[at]} at ${at} instead of ${first![at]}`);
  }
}

interface Comparison {
  readonly shape: MatMulShape;
  /** Least ratios of our f32 to each peer, and of int8 to our f32. */
  readonly goals: Readonly<Record<string, number | null>>;
}

const comparisons: readonly Comparison[] = [
  {
    shape: { M: 512, K: 512, N: 512 },
    goals: { 'onnxruntime-web': 1.7, 'onnxruntime-node': 0.25 },
  },
  {
    shape: { M: 1, K: 576, N: 1536 },
    goals: { 'onnxruntime-web': null, 'onnxruntime-node': 1 },
  },
  {
    shape: { M: 128, K: 384, N: 1536 },
    goals: { 'onnxruntime-web': null, 'onnxruntime-node': null },
  },
  { shape: { M: 1, K: 576, N: 49_152 }, goals: { 'ours, int8': 2 } },
];

async function compare(
  fixture: DeviceFixture,
  { shape, goals }: Comparison,
  peers: readonly OnnxPeer[],
): Promise<BenchRow[]> {
  const { M, K, N } = shape;
  const given = operands(shape);
  const bench = new Bench(fixture, shape, given.times);
  const contenders = [await bench.contender('f32', given.x, given.w)];
  if ('ours, int8' in goals) contenders.push(await bench.contender('int8', given.x, given.w));
  for (const peer of peers) {
    if (peer.name in goals) contenders.push(...(await theirs(peer, shape, given)));
  }
  for (const contender of contenders) await contender.launch();
  await checkAll(contenders);
  const speeds = (await timesOf(contenders)).map((ms) => (2 * given.times * M * K * N) / ms / 1e6);
  const label = `${M}x${K}x${N}`;
  return contenders.flatMap(({ name }, index): BenchRow[] => {
    const row = { name: `${label}, ${name}`, unit: 'GFLOPS', better: 'higher' } as const;
    const absolute = { ...row, value: speeds[index]! };
    if (index === 0) return [absolute];
    const isOurs = name.startsWith('ours');
    const value = isOurs ? speeds[index]! / speeds[0]! : speeds[0]! / speeds[index]!;
    const ratio = isOurs ? `${label}, int8 against f32` : `${label}, against ${name}`;
    const goal = goals[name] ?? undefined;
    return [absolute, { name: ratio, value, unit: 'x', better: 'higher', goal }];
  });
}

async function measure(threads: number): Promise<BenchReport> {
  useOptimizedWasm();
  const ports = systemPorts('bench');
  const device = await openLocalDevice({ ports, threads, memoryBytes: 1024 * 1024 * 1024 });
  const fixture = new DeviceFixture(device, ports, { keepAlive: true });
  // Both register themselves as 'cpu' with one registry, in which the first one stays.
  const found = ['onnxruntime-node', 'onnxruntime-web'].map((name) => openRuntime(name, threads));
  const peers = found.filter((peer) => peer !== null);
  const rows: BenchRow[] = [];
  for (const comparison of comparisons) rows.push(...(await compare(fixture, comparison, peers)));
  await fixture.close();
  const named = rows.map((row) => ({ ...row, name: `${threads}T ${row.name}` }));
  return { name: 'linear', rows: named };
}

/** The report of one thread count, from a process of its own. */
function inProcess(threads: number): BenchReport {
  const args = [fileURLToPath(import.meta.url), '--threads', String(threads)];
  if (values.shortest) args.push('--shortest');
  const { stdout, status } = spawnSync(process.execPath, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (status !== 0) throw new Error(`${threads} threads: ended with ${status}`);
  return JSON.parse(stdout.trimEnd().split('\n').at(-1)!) as BenchReport;
}

if (values.threads === undefined) {
  const rows = [1, 2].flatMap((threads) => inProcess(threads).rows);
  printReport({ name: 'linear', rows });
} else {
  printReport(await measure(Number(values.threads)));
  // Threads of a peer would keep the process alive.
  process.exit(0);
}
