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
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { systemPorts } from '../../runtime/base/ports.js';
import { openLocalDevice } from '../../runtime/hal/local/local-device.js';
import { useOptimizedWasm } from '../../runtime/jit/v8-flags.js';
import { DeviceFixture } from '../runtime/hal/device-fixture.js';
import {
  checkAll,
  operands,
  Products,
  timesOf,
  type Contender,
  type Given,
} from './linear-products.js';
import type { MatMulShape } from './onnx-model.js';
import { openRuntime, type OnnxPeer } from './onnx-peer.js';
import { printReport, type BenchReport, type BenchRow } from './report.js';

const ROUNDS = 41;
const { values } = parseArgs({
  options: { threads: { type: 'string' }, shortest: { type: 'boolean', default: false } },
});

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
  const bench = new Products(fixture, shape, given.times);
  const contenders = [await bench.contender('f32', given.x, given.w)];
  if ('ours, int8' in goals) contenders.push(await bench.contender('int8', given.x, given.w));
  for (const peer of peers) {
    if (peer.name in goals) contenders.push(...(await theirs(peer, shape, given)));
  }
  for (const contender of contenders) await contender.launch();
  await checkAll(contenders);
  const speeds = (await timesOf(contenders, { rounds: ROUNDS, shortest: values.shortest })).map(
    (ms) => (2 * given.times * M * K * N) / ms / 1e6,
  );
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
