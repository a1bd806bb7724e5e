/**
 * Linear layers written as plain Loom text on the first WebGPU adapter, against onnxruntime-node's
 * WebGPU provider and a product written in WGSL by hand, in one process and alternating. Goals are
 * for Mesa's lavapipe.
 */
import { systemPorts } from '../../../runtime/base/ports.js';
import { chooseAdapter } from '../../../runtime/hal/webgpu/adapters.js';
import { openWebgpuDevice } from '../../../runtime/hal/webgpu/webgpu-device.js';
import { DeviceFixture } from '../../runtime/hal/device-fixture.js';
import * as programs from '../../runtime/hal/webgpu/shader-programs.js';
import { checkAll, operands, Products, timesOf, type Contender } from '../linear-products.js';
import type { MatMulShape } from '../onnx-model.js';
import { openWebgpuRuntime } from '../onnx-peer.js';
import { printReport, type BenchRow } from '../report.js';
import { handWritten } from './hand-written.js';

const ROUNDS = 31;
const ports = systemPorts('bench');
const device = await openWebgpuDevice({ ports, memoryBytes: 1024 * 1024 * 1024 });
const fixture = new DeviceFixture(device, ports, { programs, keepAlive: true });
const peer = openWebgpuRuntime();

const square: MatMulShape = { M: 512, K: 512, N: 512 };
const logits: MatMulShape = { M: 1, K: 576, N: 49_152 };

/** Milliseconds of a launch by contender, the first of which is ours. */
async function compare(contenders: readonly Contender[]): Promise<number[]> {
  for (const contender of contenders) await contender.launch();
  await checkAll(contenders);
  return timesOf(contenders, { rounds: ROUNDS });
}

const gigaflops = (ms: number, { M, K, N }: MatMulShape): number => (2 * M * K * N) / ms / 1e6;
const speed = (name: string, value: number): BenchRow => {
  return { name, value, unit: 'GFLOPS', better: 'higher' };
};
const ratio = (name: string, value: number, goal: number): BenchRow => {
  return { name, value, unit: 'x', better: 'higher', goal };
};

async function squareRows(): Promise<BenchRow[]> {
  const given = { ...operands(square), times: 1 };
  const x = given.x.slice(0, square.M * square.K);
  const products = new Products(fixture, square, 1);
  const contenders = [await products.contender('f32', x, given.w)];
  contenders.push(await handWritten(await chooseAdapter(null), square, { ...given, x }));
  // A launch of the peer begins with rows of the host and ends with results there.
  contenders.push(await products.fromHost(x, given.w));
  if (peer) contenders.push(await peer.product(square, given.w, { x, times: 1 }));
  const [ours = NaN, hand = NaN, hosted = NaN, theirs] = await compare(contenders);
  const rows = [
    speed('512x512x512, ours, f32', gigaflops(ours, square)),
    ratio('512x512x512, against WGSL written by hand', hand / ours, 0.9),
  ];
  if (theirs === undefined) return rows;
  return [...rows, ratio('512x512x512, against onnxruntime-node, webgpu', theirs / hosted, 4)];
}

async function logitsRows(): Promise<BenchRow[]> {
  const { x, w } = operands(logits);
  const one = x.slice(0, logits.K);
  const products = new Products(fixture, logits, 1);
  const f32 = await products.contender('f32', one, w);
  const [ours = NaN, int8 = NaN] = await compare([f32, await products.contender('int8', one, w)]);
  return [
    speed('1x576x49152, ours, f32', gigaflops(ours, logits)),
    ratio('1x576x49152, int8 against f32', ours / int8, 3),
  ];
}

const rows = [...(await squareRows()), ...(await logitsRows())];
await fixture.close();
printReport({ name: `linear on ${device.adapter.name}`, rows });
// A peer's threads would keep the process alive.
process.exit(0);
