/**
 * Compute pipelines by their source: kernels that several programs share are compiled once. Each is
 * run once over nothing before it counts as ready, because drivers compile at the first dispatch.
 */
import { assert, StatusError } from '../../base/errors.js';
import { SLOT_BYTES, type WgslKernel } from '../../jit/wgsl/wgsl-program.js';
import { loomPosition } from '../../jit/wgsl/wgsl-writer.js';
import { guarded } from './gpu-guard.js';
import { COMPUTE_STAGE, USAGE } from './gpu-usage.js';
import { submittedDone, tracked } from './outstanding.js';

export interface ReadyKernel {
  readonly kernel: WgslKernel;
  readonly layout: GPUBindGroupLayout;
  readonly pipeline: GPUComputePipeline;
}

interface Entry {
  readonly ready: Promise<ReadyKernel>;
  uses: number;
}

const alignUp = (bytes: number): number => Math.ceil(bytes / SLOT_BYTES) * SLOT_BYTES;

export class PipelineTable {
  readonly #gpu: GPUDevice;
  readonly #entries = new Map<string, Entry>();
  readonly #layouts = new Map<string, GPUBindGroupLayout>();

  constructor(gpu: GPUDevice) {
    this.#gpu = gpu;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Rejects when the device does not take the shader. */
  retain(kernel: WgslKernel): Promise<ReadyKernel> {
    let entry = this.#entries.get(kernel.source);
    if (!entry) {
      entry = { ready: this.#compile(kernel), uses: 0 };
      this.#entries.set(kernel.source, entry);
    }
    entry.uses += 1;
    return entry.ready;
  }

  release(kernel: WgslKernel): void {
    const entry = this.#entries.get(kernel.source);
    assert(entry && entry.uses > 0, 'a pipeline to be released as often as retained');
    entry.uses -= 1;
    if (entry.uses === 0) this.#entries.delete(kernel.source);
  }

  async #compile(kernel: WgslKernel): Promise<ReadyKernel> {
    const { name, position } = kernel;
    const layout = this.#layoutOf(kernel);
    const label = `kernel ${name} (${position})`;
    let module: GPUShaderModule | null = null;
    const refused = guarded(this.#gpu, label, () => {
      module = this.#gpu.createShaderModule({ label, code: kernel.source });
    });
    const creating = this.#gpu.createComputePipelineAsync({
      label,
      layout: this.#gpu.createPipelineLayout({ bindGroupLayouts: [layout] }),
      compute: { module: module!, entryPoint: 'main' },
    });
    const created = tracked(this.#gpu, creating);
    const [pipeline, failure] = await Promise.all([
      created.catch((error: unknown) => String(error)),
      refused,
    ]);
    if (failure) throw StatusError.from({ ...failure, where: placeOf(failure.message, kernel) });
    if (typeof pipeline === 'string') throw new StatusError('internal', `${label}: ${pipeline}`);
    const ready = { kernel, layout, pipeline };
    const warmed = await this.#warm(ready, label);
    if (warmed) throw StatusError.from({ ...warmed, where: position });
    return ready;
  }

  #layoutOf({ bindings }: WgslKernel): GPUBindGroupLayout {
    const key = bindings.map(({ access, bytesMin }) => `${access} ${bytesMin}`).join();
    let layout = this.#layouts.get(key);
    if (!layout) {
      const entries = bindings.map(({ access, bytesMin }, binding) => {
        const type: GPUBufferBindingType = access === 'read' ? 'read-only-storage' : 'storage';
        return { binding, visibility: COMPUTE_STAGE, buffer: { type, minBindingSize: bytesMin } };
      });
      const slot = {
        binding: bindings.length,
        visibility: COMPUTE_STAGE,
        buffer: { type: 'uniform' as const, minBindingSize: SLOT_BYTES },
      };
      layout = this.#gpu.createBindGroupLayout({ entries: [...entries, slot] });
      this.#layouts.set(key, layout);
    }
    return layout;
  }

  /** One workgroup over views of no elements: it reads zeros and writes nothing. */
  async #warm({ kernel, layout, pipeline }: ReadyKernel, label: string) {
    const scratch: GPUBuffer[] = [];
    const buffer = (size: number, usage: number): GPUBuffer => {
      scratch.push(this.#gpu.createBuffer({ size, usage }));
      return scratch.at(-1)!;
    };
    const failure = guarded(this.#gpu, label, () => {
      const entries = kernel.bindings.map(({ bytesMin }, binding) => {
        const resource = { buffer: buffer(alignUp(Math.max(4, bytesMin)), USAGE.storage) };
        return { binding, resource };
      });
      const slot = { binding: entries.length, resource: { buffer: buffer(256, USAGE.uniform) } };
      const encoder = this.#gpu.createCommandEncoder();
      const pass = encoder.beginComputePass();
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, this.#gpu.createBindGroup({ layout, entries: [...entries, slot] }));
      pass.dispatchWorkgroups(1);
      pass.end();
      this.#gpu.queue.submit([encoder.finish()]);
    });
    const [status] = await Promise.all([failure, submittedDone(this.#gpu)]);
    for (const each of scratch) each.destroy();
    return status;
  }
}

/** Where the program says what the shader's compiler complains about. */
function placeOf(message: string, { source, position }: WgslKernel): string {
  const line = /:(\d+):\d+ error/.exec(message)?.[1];
  return (line === undefined ? null : loomPosition(source, Number(line))) ?? position;
}
