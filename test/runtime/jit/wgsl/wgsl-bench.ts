/**
 * Runs compiled command programs on a WebGPU adapter, the plain way: a buffer for each root, one
 * submission, nothing cached. Null where there is no adapter, and tests that need one skip.
 */
import { describeAdapter } from '../../../../runtime/hal/webgpu/adapters.js';
import type { CompiledWgsl } from '../../../../runtime/jit/wgsl/compile-wgsl.js';
import { gridExtents, writeUniformSlot } from '../../../../runtime/jit/wgsl/uniform-slot.js';
import {
  SLOT_BYTES,
  type WgslDispatch,
  type WgslTarget,
} from '../../../../runtime/jit/wgsl/wgsl-program.js';
import { loomPosition } from '../../../../runtime/jit/wgsl/wgsl-writer.js';
import type { RangeBase } from '../../../../runtime/loom/typed.js';

/** Collected while in use it would take the process with it. */
let gpu: GPU | null = null;

export interface WgslBench {
  readonly target: WgslTarget;
  /** Compiles every shader; messages as `position: text`. */
  check(compiled: CompiledWgsl): Promise<readonly string[]>;
  /** Roots and banks as bytes; what they hold after all parts ran. */
  run(compiled: CompiledWgsl, roots: readonly Uint8Array[]): Promise<readonly Uint8Array[]>;
  close(): void;
}

export async function openBench(): Promise<WgslBench | null> {
  const webgpu = await import('webgpu').catch(() => null);
  if (!webgpu) return null;
  Object.assign(globalThis, webgpu.globals);
  gpu ??= webgpu.create([]);
  const adapter = await gpu.requestAdapter();
  if (!adapter) return null;
  const subgroups = adapter.features.has('subgroups');
  const device = await adapter.requestDevice({
    requiredFeatures: subgroups ? ['subgroups' as GPUFeatureName] : [],
    requiredLimits: {
      maxStorageBuffersPerShaderStage: adapter.limits.maxStorageBuffersPerShaderStage,
    },
  });
  const { limits } = device;
  return new DeviceBench(device, {
    workgroupBytes: limits.maxComputeWorkgroupStorageSize,
    invocations: Math.min(
      limits.maxComputeInvocationsPerWorkgroup,
      limits.maxComputeWorkgroupSizeX,
    ),
    bindings: limits.maxStorageBuffersPerShaderStage,
    packedDot: gpu.wgslLanguageFeatures.has('packed_4x8_integer_dot_product'),
    software: describeAdapter('', adapter).software,
    subgroupSize: (subgroups && adapter.info.subgroupMinSize) || null,
    uploadsConstant: true,
  });
}

const padded = (bytes: number) => Math.max(256, Math.ceil(bytes / 256) * 256 + 256);

class DeviceBench implements WgslBench {
  readonly #device: GPUDevice;
  readonly target: WgslTarget;

  constructor(device: GPUDevice, target: WgslTarget) {
    this.#device = device;
    this.target = target;
  }

  async check({ program }: CompiledWgsl): Promise<readonly string[]> {
    const all = program.kernels.map(async ({ source, position }) => {
      this.#device.pushErrorScope('validation');
      const module = this.#device.createShaderModule({ code: source });
      const [info] = await Promise.all([module.getCompilationInfo(), this.#device.popErrorScope()]);
      return info.messages
        .filter(({ type }) => type === 'error')
        .map((error) => {
          const at = loomPosition(source, error.lineNum) ?? position;
          return `${at}: ${error.message} (${source.split('\n')[error.lineNum - 1]})`;
        });
    });
    return (await Promise.all(all)).flat();
  }

  async run(compiled: CompiledWgsl, roots: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
    const run = new Run(this.#device, compiled, roots);
    const results = await run.finish();
    return results;
  }

  close(): void {
    this.#device.destroy();
  }
}

class Run {
  readonly #device: GPUDevice;
  readonly #compiled: CompiledWgsl;
  readonly #roots: readonly Uint8Array[];
  readonly #buffers: readonly GPUBuffer[];
  readonly #workspace: GPUBuffer;
  readonly #words: readonly DataView[];
  readonly #pipelines: readonly GPUComputePipeline[];

  constructor(device: GPUDevice, compiled: CompiledWgsl, roots: readonly Uint8Array[]) {
    this.#device = device;
    this.#compiled = compiled;
    this.#roots = roots;
    device.pushErrorScope('validation');
    this.#buffers = roots.map((bytes) => this.#upload(bytes));
    this.#workspace = this.#upload(new Uint8Array(compiled.reflection.workspaceBytes).fill(0xa5));
    this.#words = roots.map((bytes) => new DataView(bytes.slice().buffer));
    this.#pipelines = compiled.program.kernels.map((kernel) =>
      device.createComputePipeline({
        layout: device.createPipelineLayout({ bindGroupLayouts: [this.#layout(kernel.bindings)] }),
        compute: { module: device.createShaderModule({ code: kernel.source }), entryPoint: 'main' },
      }),
    );
  }

  #layout(bindings: readonly { readonly access: 'read' | 'read_write' }[]): GPUBindGroupLayout {
    const visibility = GPUShaderStage.COMPUTE;
    const entries: GPUBindGroupLayoutEntry[] = bindings.map(({ access }, binding) => ({
      binding,
      visibility,
      buffer: { type: access === 'read' ? 'read-only-storage' : 'storage' },
    }));
    const slot = { binding: bindings.length, visibility, buffer: { type: 'uniform' as const } };
    return this.#device.createBindGroupLayout({ entries: [...entries, slot] });
  }

  #upload(bytes: Uint8Array): GPUBuffer {
    const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
    const buffer = this.#device.createBuffer({ size: padded(bytes.length), usage });
    const content = new Uint8Array(padded(bytes.length)).fill(0xee);
    content.set(bytes);
    this.#device.queue.writeBuffer(buffer, 0, content);
    return buffer;
  }

  async finish(): Promise<readonly Uint8Array[]> {
    const device = this.#device;
    for (const part of this.#compiled.program.parts) {
      const encoder = device.createCommandEncoder();
      for (const step of part)
        if (step.op === 'fill')
          encoder.clearBuffer(this.#workspace, step.start, Math.ceil(step.bytes / 4) * 4);
      const pass = encoder.beginComputePass();
      for (const step of part) if (step.op === 'dispatch') this.#dispatch(pass, step);
      pass.end();
      device.queue.submit([encoder.finish()]);
    }
    const results = await Promise.all(this.#buffers.map((buffer) => this.#read(buffer)));
    const error = await device.popErrorScope();
    if (error) throw new Error(error.message);
    results.forEach((content, root) => {
      const end = content.subarray(this.#roots[root]!.length);
      if (end.some((byte) => byte !== 0xee))
        throw new Error(`root ${root}: written behind its end`);
    });
    return results.map((content, root) => content.slice(0, this.#roots[root]!.length));
  }

  #place(base: RangeBase): { buffer: GPUBuffer; start: number; bytes: number } {
    if (base.kind === 'root')
      return {
        buffer: this.#buffers[base.index]!,
        start: 0,
        bytes: this.#roots[base.index]!.length,
      };
    const { offset, bytes } = this.#compiled.reflection.workspaces[base.index]!;
    return { buffer: this.#workspace, start: offset, bytes };
  }

  #dispatch(pass: GPUComputePassEncoder, step: WgslDispatch): void {
    const kernel = this.#compiled.program.kernels[step.kernel]!;
    const device = this.#device;
    const bound = step.bindings.map(({ base, offset, length }, n) => {
      const { buffer, start, bytes } = this.#place(base);
      const from = Math.floor((start + offset) / SLOT_BYTES) * SLOT_BYTES;
      const end = start + Math.min(bytes, length === null ? bytes : offset + length);
      const size = Math.max(Math.ceil((end - from) / 4) * 4, kernel.bindings[n]!.bytesMin);
      return { entry: { binding: n, resource: { buffer, offset: from, size } }, from, base };
    });
    const views = step.views.map(({ offset, length }, k) => {
      const { from, base } = bound[kernel.views[k]!.binding]!;
      const { start, bytes } = this.#place(base);
      const room = Math.max(0, bytes - offset);
      return { rest: start + offset - from, bytes: Math.min(length ?? room, room) };
    });
    const slot = new DataView(new ArrayBuffer(SLOT_BYTES));
    writeUniformSlot({ kernel, step, views, roots: this.#words }, slot);
    const usage = GPUBufferUsage.UNIFORM | GPUBufferUsage.COPY_DST;
    const uniform = device.createBuffer({ size: SLOT_BYTES, usage });
    device.queue.writeBuffer(uniform, 0, slot.buffer as ArrayBuffer);
    const pipeline = this.#pipelines[step.kernel]!;
    pass.setPipeline(pipeline);
    const last = { binding: kernel.bindings.length, resource: { buffer: uniform } };
    pass.setBindGroup(
      0,
      device.createBindGroup({
        layout: pipeline.getBindGroupLayout(0),
        entries: [...bound.map(({ entry }) => entry), last],
      }),
    );
    if (step.grid.kind === 'direct') {
      pass.dispatchWorkgroups(...gridExtents(step.grid.extents, this.#words));
      return;
    }
    throw new Error('no indirect grids here');
  }

  async #read(buffer: GPUBuffer): Promise<Uint8Array> {
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const staging = this.#device.createBuffer({ size: buffer.size, usage });
    const encoder = this.#device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, 0, staging, 0, buffer.size);
    this.#device.queue.submit([encoder.finish()]);
    await staging.mapAsync(GPUMapMode.READ);
    return new Uint8Array(staging.getMappedRange().slice(0));
  }
}
