/**
 * What a WebGPU device costs besides its kernels: a launch of one empty dispatch and of a hundred,
 * each from its submission to its retirement, against the same done with Dawn alone. They
 * alternate, so ratios are of one run.
 */
import { systemPorts } from '../../../runtime/base/ports.js';
import { chooseAdapter } from '../../../runtime/hal/webgpu/adapters.js';
import { openWebgpuDevice } from '../../../runtime/hal/webgpu/webgpu-device.js';
import { compileWgsl } from '../../../runtime/jit/wgsl/compile-wgsl.js';
import { wgslTarget } from '../../../runtime/jit/wgsl/wgsl-target.js';
import { DeviceFixture } from '../../runtime/hal/device-fixture.js';
import * as programs from '../../runtime/hal/webgpu/shader-programs.js';
import { stageProgram } from '../../runtime/loom/elaborate/programs.js';
import { printReport, type BenchRow } from '../report.js';

/** Dispatches of a launch; rounds until the host's code is what it will stay; those measured. */
const SIZES = [
  { count: 1, warm: 3000, rounds: 2000 },
  { count: 100, warm: 200, rounds: 300 },
] as const;
const BYTES = 256;

const ports = systemPorts('bench');
const device = await openWebgpuDevice({ ports, memoryBytes: 64 * 1024 * 1024 });
const fixture = new DeviceFixture(device, ports, { programs, keepAlive: true });
const range = fixture.place(BYTES);
const timeline = device.createTimeline('bench');

/** `count` dispatches of a kernel of one lane that writes one word. */
function ours(count: number): () => Promise<unknown> {
  const text = `library sample
kernel.def touch(words: inout view<i32>) workgroup(1) grid(1) { once { words[0] = words[0] + 1 } }
command.def export main(words: root) {
${'  dispatch touch(words)\n'.repeat(count)}}`;
  const program = stageProgram({ 'sample.loom': text }, 'sample.main', { target: device.facts });
  const { reflection, program: wgsl } = compileWgsl(program, wgslTarget(device.facts));
  const id = `touch ${count}`;
  device.load(id, { info: reflection, wgsl, module: null });
  return () => fixture.work([fixture.launch(id, [range])], { timeline }).retired;
}

const bare = await (await chooseAdapter(null)).adapter.requestDevice();
const module = bare.createShaderModule({
  code: `@group(0) @binding(0) var<storage, read_write> words: array<i32>;
@compute @workgroup_size(1) fn main() { words[0] = words[0] + 1; }`,
});
const pipeline = bare.createComputePipeline({ layout: 'auto', compute: { module } });
const buffer = bare.createBuffer({ size: BYTES, usage: 0x80 });
const group = bare.createBindGroup({
  layout: pipeline.getBindGroupLayout(0),
  entries: [{ binding: 0, resource: { buffer } }],
});

/** The loop that a program for Dawn would have: one pass, one submission, its completion. */
function theirs(count: number): () => Promise<unknown> {
  return () => {
    const encoder = bare.createCommandEncoder();
    const pass = encoder.beginComputePass();
    for (let i = 0; i < count; i += 1) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(1);
    }
    pass.end();
    bare.queue.submit([encoder.finish()]);
    return bare.queue.onSubmittedWorkDone();
  };
}

/**
 * Milliseconds of each, one after the other in every round: the lower quartile, since whatever else
 * the machine does only ever adds.
 */
async function times(
  runs: readonly (() => Promise<unknown>)[],
  { warm, rounds }: (typeof SIZES)[number],
): Promise<number[]> {
  const taken = runs.map((): number[] => []);
  for (let round = -warm; round < rounds; round += 1) {
    for (const [index, run] of runs.entries()) {
      const begin = performance.now();
      await run();
      if (round >= 0) taken[index]!.push(performance.now() - begin);
    }
  }
  return taken.map((each) => each.sort((a, b) => a - b)[Math.floor(each.length / 4)]!);
}

const rows: BenchRow[] = [];
for (const size of SIZES) {
  const { count } = size;
  const [launch = NaN, loop = NaN] = await times([ours(count), theirs(count)], size);
  const name = count === 1 ? 'one dispatch' : `${count} dispatches`;
  rows.push(
    { name: `${name}, submit to retire`, value: launch * 1000, unit: 'us', better: 'lower' },
    { name: `${name}, against Dawn`, value: launch / loop, unit: 'x', better: 'lower', goal: 1.2 },
  );
}
await fixture.close();
bare.destroy();
printReport({ name: `dispatch on ${device.adapter.name}`, rows });
