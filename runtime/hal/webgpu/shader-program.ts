/**
 * A command program loaded on a WebGPU device: its pipelines, and launches of its parts. One
 * compute pass a launch; WebGPU orders the dispatches in it by what they bind.
 *
 * Holds: a launch that cannot run (a grid beyond the limit, a view beyond what one binding holds)
 * is refused before anything of it reaches the device. A page of uniform slots serves one launch
 * at a time.
 */
import { assert, toStatus, type StatusRecord } from '../../base/errors.js';
import { writeUniformSlot } from '../../jit/wgsl/uniform-slot.js';
import type { WgslDispatch, WgslProgram } from '../../jit/wgsl/wgsl-program.js';
import type { RangeBase } from '../../loom/typed.js';
import type { DeviceRange } from '../buffer.js';
import type { Launch } from '../command.js';
import { guarded } from './gpu-guard.js';
import { baseRange, placeDispatch, type BaseInfo } from './launch-binding.js';
import { checkGrid, hostGrid, type Grid } from './launch-grids.js';
import { encodeLaunch, type LaunchPass } from './launch-pass.js';
import { moveRoots, type MovedRoot } from './moved-roots.js';
import { submittedDone } from './outstanding.js';
import type { PipelineTable, ReadyKernel } from './pipeline-table.js';
import type { ReadbackRing } from './readback-ring.js';
import { bindingKey, GRID_BYTES, SlotPage, type BoundLaunch } from './slot-page.js';
import type { WebgpuMemory } from './webgpu-memory.js';

export interface ShaderContext {
  readonly gpu: GPUDevice;
  readonly memory: WebgpuMemory;
  readonly pipelines: PipelineTable;
  readonly readbacks: ReadbackRing;
}

const NO_BYTES = new DataView(new ArrayBuffer(0));

export class ShaderProgram {
  /** Every pipeline is compiled and has run once; rejects when the device takes one not. */
  readonly ready: Promise<void>;
  readonly #context: ShaderContext;
  readonly #program: WgslProgram;
  readonly #info: BaseInfo;
  #kernels: readonly ReadyKernel[] | null = null;
  /** By part. */
  readonly #dispatches: readonly (readonly WgslDispatch[])[];
  /** Pages in no use, by part. */
  readonly #pages: SlotPage[][];
  #isDiscarded = false;

  constructor(context: ShaderContext, program: WgslProgram, info: BaseInfo) {
    this.#context = context;
    this.#program = program;
    this.#info = info;
    this.#pages = program.parts.map(() => []);
    this.#dispatches = program.parts.map((part) => part.filter((step) => step.op === 'dispatch'));
    const kernels = Promise.all(program.kernels.map((each) => context.pipelines.retain(each)));
    this.ready = kernels.then((ready) => {
      this.#kernels = ready;
      if (!this.#isDiscarded)
        program.parts.forEach((_, part) => this.#giveBack(part, this.#page(part)));
    });
    // Whoever launches or asks hears of it; nobody has to.
    this.ready.catch(() => undefined);
  }

  /** Nobody launches it any more. */
  discard(): void {
    this.#isDiscarded = true;
    for (const kernel of this.#program.kernels) this.#context.pipelines.release(kernel);
    for (const page of this.#pages.flat()) page.destroy();
  }

  /** What became of it, when the device has run it. Throws when it is refused. */
  run(launch: Launch): Promise<StatusRecord | null> {
    if (this.#kernels) return this.#run(launch, this.#kernels);
    return this.ready.then(
      () => this.#run(launch, this.#kernels!),
      (error: unknown) => toStatus(error),
    );
  }

  async #run(launch: Launch, kernels: readonly ReadyKernel[]): Promise<StatusRecord | null> {
    const { gpu } = this.#context;
    const steps = this.#program.parts[launch.part]!;
    const dispatches = this.#dispatches[launch.part]!;
    const roots = this.#hostedRoots(launch);
    const grids = dispatches.map((step) => hostGrid(step, roots, this.#info));
    const page = this.#pages[launch.part]!.pop() ?? this.#page(launch.part);
    try {
      const key = bindingKey(launch);
      const known = page.find(key);
      const encode = (): null => {
        const bound = known ?? page.keep(key, this.#bind(launch, kernels, { dispatches, page }));
        if (!page.holds(bound)) {
          dispatches.forEach((step, index) => {
            const { kernel } = kernels[step.kernel]!;
            const { views } = bound.steps[index]!;
            writeUniformSlot({ kernel, step, views, roots }, page.slot(index));
          });
          page.flush(roots.length === 0 ? bound : null);
        }
        const pass: LaunchPass = { launch, info: this.#info, steps, bound, grids, page, kernels };
        const encoder = gpu.createCommandEncoder();
        encodeLaunch(encoder, this.#context.memory, pass);
        gpu.queue.submit([encoder.finish()]);
        return null;
      };
      // What a launch over known ranges is made of was right before; scopes cost microseconds.
      const failure = known ? encode() : guarded(gpu, this.#info.name, encode);
      const late = grids.includes(null)
        ? await this.#checkFoundGrids(dispatches, grids, page)
        : await submittedDone(gpu);
      return (await failure) ?? late;
    } finally {
      this.#giveBack(launch.part, page);
    }
  }

  #page(part: number): SlotPage {
    return new SlotPage(this.#context.gpu, this.#dispatches[part]!.length);
  }

  #giveBack(part: number, page: SlotPage): void {
    if (this.#isDiscarded) page.destroy();
    else this.#pages[part]!.push(page);
  }

  #hostedRoots(launch: Launch): readonly DataView[] {
    const { roots } = launch.executable.info;
    if (!roots.some(({ hosted }) => hosted)) return [];
    const uploaded = launch.hosted?.();
    assert(uploaded, 'the uploaded bytes of hosted roots with the launch');
    return roots.map((_, index) => {
      const bytes = uploaded[index];
      return bytes ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) : NO_BYTES;
    });
  }

  #bind(
    launch: Launch,
    kernels: readonly ReadyKernel[],
    { dispatches, page }: { dispatches: readonly WgslDispatch[]; page: SlotPage },
  ): BoundLaunch {
    const { gpu, memory } = this.#context;
    const moved = moveRoots(gpu, memory, launch);
    const { minStorageBufferOffsetAlignment, maxStorageBufferBindingSize } = gpu.limits;
    const limits = {
      alignment: minStorageBufferOffsetAlignment,
      bytesMax: maxStorageBufferBindingSize,
    };
    const baseOf = (base: RangeBase): DeviceRange => {
      const isMoved = (root: MovedRoot): boolean =>
        base.kind === 'root' && root.index === base.index;
      return moved.find(isMoved)?.range ?? baseRange(launch, this.#info, base);
    };
    const bufferOf = (range: DeviceRange): GPUBuffer =>
      moved.find((root) => root.range.slab === range.slab)?.buffer ?? memory.buffer(range);
    const steps = dispatches.map((step, index) => {
      const { kernel, layout } = kernels[step.kernel]!;
      const placed = placeDispatch(step, kernel, baseOf, limits);
      const entries = placed.bindings.map((range, binding): GPUBindGroupEntry => {
        const { offset, length: size } = range;
        return { binding, resource: { buffer: bufferOf(range), offset, size } };
      });
      const slot = { binding: entries.length, resource: page.slotBinding(index) };
      const group = gpu.createBindGroup({ layout, entries: [...entries, slot] });
      return { group, views: placed.views };
    });
    return { steps, moved };
  }

  /** WebGPU skips a grid beyond the limit and says nothing, so the host looks afterwards. */
  async #checkFoundGrids(
    dispatches: readonly WgslDispatch[],
    grids: readonly (Grid | null)[],
    page: SlotPage,
  ): Promise<StatusRecord | null> {
    let refused: StatusRecord | null = null;
    const source = { buffer: () => page.grids, start: 0, end: grids.length * GRID_BYTES };
    const failure = await this.#context.readbacks.readBuffer(source, (bytes) => {
      grids.forEach((grid, index) => {
        if (grid || refused) return;
        const words = new Uint32Array(
          bytes.slice(index * GRID_BYTES, index * GRID_BYTES + 12).buffer,
        );
        try {
          checkGrid(words, dispatches[index]!.index, this.#info);
        } catch (error) {
          refused = toStatus(error);
        }
      });
    });
    return failure ?? refused;
  }
}
