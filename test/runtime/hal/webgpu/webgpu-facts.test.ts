/** What programs and their compiler learn of an adapter, and what it cannot hold. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TargetFacts } from '../../../../runtime/base/target-facts.js';
import { placeDispatch } from '../../../../runtime/hal/webgpu/launch-binding.js';
import { webgpuFacts } from '../../../../runtime/hal/webgpu/webgpu-facts.js';
import { compileWgsl } from '../../../../runtime/jit/wgsl/compile-wgsl.js';
import { wgslTarget } from '../../../../runtime/jit/wgsl/wgsl-target.js';
import { stageProgram } from '../../loom/elaborate/programs.js';

const MIB = 1024 * 1024;

function factsOf(
  limits: Readonly<Record<string, number>>,
  { lanes = 32, software = false } = {},
): TargetFacts {
  const described = { name: 'made up', description: '', vendor: '', features: ['subgroups'] };
  const least = {
    maxStorageBufferBindingSize: 128 * MIB,
    maxStorageBuffersPerShaderStage: 8,
    maxComputeWorkgroupStorageSize: 16_384,
  };
  const adapter = { ...described, software, limits: { ...least, ...limits } };
  return webgpuFacts(adapter, { lanes, packedDot: true });
}

/** Sixteen KiB of shared words, and half as much for their sum. */
const summing = `library sample
kernel.def total(x: in view<f32>, y: out view<f32>) workgroup(64) grid(1) {
  shared all : f32x4[1024]
  parallel i in 0..1024 { all[i] = f32x4(x[i]) }
  let sum = all.reduce_add()
  once { y[0] = sum.x }
}
command.def export main(x: root, y: root) { dispatch total(x, y) }`;

const compileFor = (facts: TargetFacts) => {
  const program = stageProgram({ 'sample.loom': summing }, 'sample.main', { target: facts });
  return compileWgsl(program, wgslTarget(facts)).program;
};

test('limits of the adapter are facts; what Loom bounds itself stays bounded', () => {
  const large = { maxComputeWorkgroupStorageSize: 49_152, maxStorageBuffersPerShaderStage: 64 };
  const facts = factsOf({ ...large, maxStorageBufferBindingSize: 2048 * MIB }, { lanes: 8 });
  assert.is(facts.workgroup_bytes, 49_152);
  assert.is(facts.shared_bytes, 16_384);
  assert.is(facts.views, 16);
  assert.is(facts.binding_bytes, 2048 * MIB);
  const target = wgslTarget(facts);
  assert.is(target.workgroupBytes, 49_152);
  assert.is(target.bindings, 16);
  assert.is(target.subgroupSize, 8);
});

test('packed dots are for hardware: software only takes their words apart', () => {
  assert.is(wgslTarget(factsOf({})).packedDot, true);
  assert.is(wgslTarget(factsOf({}, { software: true })).packedDot, false);
});

test('workgroup memory is the adapter’s own; a kernel beyond it is told with its place', () => {
  const { kernels } = compileFor(factsOf({ maxComputeWorkgroupStorageSize: 32_768 }));
  assert.is(kernels[0]!.workgroupBytes, 24_576);
  assert.throws(
    () => compileFor(factsOf({})),
    /^sample\.total \(sample\.loom:2:\d+\) needs 24576 bytes of workgroup memory .* has 16384$/,
  );
});

test('a root beyond what one binding holds is refused, with kernel, bytes and limit', () => {
  const { kernels, parts } = compileFor(factsOf({ maxComputeWorkgroupStorageSize: 32_768 }));
  const [step] = parts[0]!;
  if (step?.op !== 'dispatch') throw new Error('expected a dispatch');
  const place = (bytesMax: number) =>
    placeDispatch(step, kernels[0]!, () => ({ slab: 0, offset: 256, length: 4096 }), {
      alignment: 256,
      bytesMax,
    });
  assert.is(place(4096).bindings[0]!.length, 4096);
  assert.throws(
    () => place(4095),
    /^kernel sample\.total \(sample\.loom:2:\d+\) binds 4096 bytes .* at most 4095: split the view/,
  );
});

test.run();
