/**
 * A matrix product in WGSL written by hand for its shape, as fast as we know how: every lane has 8
 * columns of 32 rows. In a round it takes two inputs: it loads values of four rows each, which its
 * subgroup shares, and 16 weights; sums are passed row by row, so each is touched once a round.
 * They leave by a loop: written out, their stores take seconds to compile.
 */
import type { ChosenAdapter } from '../../../runtime/hal/webgpu/adapters.js';
import { lendCore, submittedDone } from '../../../runtime/hal/webgpu/outstanding.js';
import type { Contender, Given } from '../linear-products.js';
import type { MatMulShape } from '../onnx-model.js';

const ROWS = 32;
const COLUMNS = 8;
const BYTES = 4;
const STORAGE = 0x80 | 0x4 | 0x8;
const MAP = 0x1 | 0x8;

/** The weights of 8 columns lie together, input by input. The number of inputs is even. */
function source({ K, N }: MatMulShape, lanes: number): string {
  const rows = Array.from({ length: ROWS }, (_, i) => i);
  const firsts = rows.filter((i) => i % lanes === 0);
  const text = (lines: readonly string[]) => lines.join('\n');
  const loads = (name: string, input: string) =>
    text(firsts.map((i) => `let ${name}${i} = a[(row + ${i}u + shared_row) * ${K}u + ${input}];`));
  const value = (name: string, i: number) =>
    `vec4f(subgroupBroadcast(${name}${i - (i % lanes)}, ${i % lanes}u))`;
  return `enable subgroups;
diagnostic(off, subgroup_uniformity);
@group(0) @binding(0) var<storage, read> a: array<f32>;
@group(0) @binding(1) var<storage, read> b: array<vec4f>;
@group(0) @binding(2) var<storage, read_write> c: array<vec4f>;
@compute @workgroup_size(${lanes})
fn main(@builtin(local_invocation_index) lane: u32, @builtin(workgroup_id) group: vec3u,
    @builtin(subgroup_invocation_id) sub_lane: u32) {
  let row = group.y * ${ROWS}u;
  let panel = group.x * ${lanes}u + lane;
  let shared_row = sub_lane & ${lanes - 1}u;
${text(rows.map((i) => `var left${i} = vec4f(); var right${i} = vec4f();`))}
  for (var k = 0u; k < ${K}u; k += 2u) {
${loads('x', 'k')}
${loads('y', 'k + 1u')}
    let at = (panel * ${K}u + k) * 2u;
    let left = b[at]; let right = b[at + 1u];
    let left_next = b[at + 2u]; let right_next = b[at + 3u];
${text(
  rows.map(
    (i) => `{ let x = ${value('x', i)}; let y = ${value('y', i)};
left${i} = fma(y, left_next, fma(x, left, left${i}));
right${i} = fma(y, right_next, fma(x, right, right${i})); }`,
  ),
)}
  }
  var sums: array<vec4f, ${ROWS * 2}>;
${text(rows.map((i) => `sums[${i * 2}] = left${i}; sums[${i * 2 + 1}] = right${i};`))}
  for (var i = 0u; i < ${ROWS * 2}u; i++) {
    c[(row + i / 2u) * ${N / 4}u + panel * 2u + i % 2u] = sums[i];
  }
}`;
}

/** On an adapter with subgroups; the shape must consist of whole tiles. */
export async function handWritten(
  { adapter, description }: ChosenAdapter,
  shape: MatMulShape,
  { x, w }: Given,
): Promise<Contender> {
  const { M, K, N } = shape;
  const lanes = adapter.info.subgroupMinSize ?? 32;
  const device = await adapter.requestDevice({ requiredFeatures: ['subgroups' as GPUFeatureName] });
  // Waited for as ours is: what differs is the shader alone.
  if (description.software) lendCore(device);
  const buffer = (size: number, usage: number) => device.createBuffer({ size, usage });
  const buffers = [M * K, K * N, M * N].map((count) => buffer(count * BYTES, STORAGE));
  const panels = Float32Array.from({ length: K * N }, (_, at) => {
    const [k, n] = [Math.floor(at / COLUMNS) % K, Math.floor(at / COLUMNS / K) * COLUMNS];
    return w[k * N + n + (at % COLUMNS)]!;
  });
  device.queue.writeBuffer(buffers[0]!, 0, x.slice());
  device.queue.writeBuffer(buffers[1]!, 0, panels);
  const module = device.createShaderModule({ code: source(shape, lanes) });
  const pipeline = device.createComputePipeline({ layout: 'auto', compute: { module } });
  const entries = buffers.map((each, binding) => ({ binding, resource: { buffer: each } }));
  const layout = pipeline.getBindGroupLayout(0);
  const group = device.createBindGroup({ layout, entries });
  const submit = (encode: (encoder: GPUCommandEncoder) => void): void => {
    const encoder = device.createCommandEncoder();
    encode(encoder);
    device.queue.submit([encoder.finish()]);
  };
  const launch = async (): Promise<void> => {
    submit((encoder) => {
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(N / COLUMNS / lanes, M / ROWS);
      pass.end();
    });
    await submittedDone(device);
  };
  const product = async (): Promise<Float32Array> => {
    const mapped = buffer(M * N * BYTES, MAP);
    submit((encoder) => encoder.copyBufferToBuffer(buffers[2]!, 0, mapped, 0, M * N * BYTES));
    await mapped.mapAsync(1);
    return new Float32Array(mapped.getMappedRange().slice(0));
  };
  return { name: 'written by hand', launch, product };
}
