/**
 * A WebGPU device through Dawn: pool slabs are GPUBuffers, command programs are WGSL pipelines,
 * and Dawn's one queue keeps the order in which commands were started. Called on one thread.
 *
 * Holds: when Dawn loses the device (a fault, its watchdog, `destroy`), every command that has
 * begun ends at once, as failed, and nothing new begins. Kernels cannot be interrupted: the bound
 * on back-edges that other drivers keep has no meaning here.
 */
import { StatusError, toStatus, type StatusRecord } from '../../base/errors.js';
import type { Ports } from '../../base/ports.js';
import type { TargetFacts } from '../../base/target-facts.js';
import type { ExecutableReflection } from '../../jit/reflection.js';
import type { WgslProgram } from '../../jit/wgsl/wgsl-program.js';
import type { DeviceRange } from '../buffer.js';
import type { DeviceCommand } from '../command.js';
import type { Device } from '../device.js';
import type { Done, Driver } from '../driver.js';
import { ExecutableTable } from '../executable-table.js';
import type { Executable, ExecutableImage } from '../executable.js';
import { Queue, type WorkOutcome } from '../queue.js';
import { Timeline } from '../timeline.js';
import { chooseAdapter, limitsOf, type AdapterDescription } from './adapters.js';
import { lendCore, settledAll } from './outstanding.js';
import { PipelineTable } from './pipeline-table.js';
import { ReadbackRing } from './readback-ring.js';
import { ShaderProgram } from './shader-program.js';
import { Transfers } from './transfers.js';
import { adapterFacts, WANTED_FEATURES } from './webgpu-facts.js';
import { WARM_BYTES, warmImage } from './warm-image.js';
import { WebgpuMemory } from './webgpu-memory.js';

/** Bytes of `--memory` when it is not given: adapters do not say how much they have. */
const MEMORY_BYTES_DEFAULT = 2 * 1024 ** 3;

export interface WebgpuDeviceOptions {
  readonly ports: Ports;
  /** Name of the adapter, or a part of it; default: one that is hardware, or else the first. */
  readonly adapter?: string;
  /** `--memory`, in bytes. */
  readonly memoryBytes?: number;
}

/** The executable that runs first. */
const WARM = 'warm';
const NOTHING_ELSE = { banks: [], workspace: null, part: 0, deployment: WARM, backEdges: null };

interface Opened {
  readonly gpu: GPUDevice;
  readonly adapter: AdapterDescription;
  readonly facts: TargetFacts;
}

class WebgpuDevice implements Device, Driver {
  readonly driver = 'webgpu';
  readonly facts: TargetFacts;
  readonly adapter: AdapterDescription;
  readonly memory: WebgpuMemory;
  readonly memoryBytes: number;
  readonly queue: Queue;
  lost: StatusRecord | null = null;
  readonly #gpu: GPUDevice;
  readonly #transfers: Transfers;
  readonly #readbacks: ReadbackRing;
  readonly #pipelines: PipelineTable;
  readonly #programs = new Map<Executable, ShaderProgram>();
  readonly #executables: ExecutableTable;
  /** Commands that have begun and have not ended. */
  readonly #begun = new Set<Done>();
  readonly #onLost: ((status: StatusRecord) => void)[] = [];

  constructor({ gpu, adapter, facts }: Opened, ports: Ports, memoryBytes: number) {
    this.#gpu = gpu;
    this.adapter = adapter;
    this.facts = facts;
    this.memoryBytes = memoryBytes;
    const onFailed = ({ code, message }: StatusRecord): void => {
      this.#lose({ code, message: `the WebGPU device is lost: ${message}` });
    };
    this.memory = new WebgpuMemory(gpu, memoryBytes, {
      fill: (range, byte) => this.#transfers.fill(range, byte),
      onFailed,
    });
    this.queue = new Queue(this, ports.clock);
    this.#transfers = new Transfers(gpu, this.memory, onFailed);
    this.#readbacks = new ReadbackRing(gpu, this.memory);
    this.#pipelines = new PipelineTable(gpu);
    this.#executables = new ExecutableTable((executable) => {
      this.#programs.get(executable)?.discard();
      this.#programs.delete(executable);
    });
    // What no scope has caught belongs to no command.
    gpu.addEventListener('uncapturederror', ({ error }) => {
      onFailed({ code: 'internal', message: error.message });
    });
    void gpu.lost.then(({ message }) => {
      this.#lose({ code: 'unavailable', message: `the WebGPU device is lost: ${message}` });
    });
  }

  /** Called once, before anything is started. */
  async warm(): Promise<void> {
    await this.#transfers.warm();
    this.load(WARM, warmImage);
    await this.ready(WARM);
    const run = async (range: DeviceRange): Promise<void> => {
      const bytes = new Uint8Array(range.length);
      const launch = { executable: this.executable(WARM), roots: [range], ...NOTHING_ELSE };
      const commands: DeviceCommand[] = [
        { op: 'upload', target: range, bytes },
        { op: 'execute', launch },
        { op: 'readback', source: range, into: bytes },
        { op: 'fill', target: range, byte: 0 },
        // Dawn writes to storage at rest in place, and to storage in use by way of a buffer of its
        // own, which it makes when it first needs it (megabytes, page by page).
        { op: 'upload', target: range, bytes: new Uint8Array(range.length) },
      ];
      const timeline = this.createTimeline(WARM);
      const failure = await new Promise<StatusRecord | null>((resolve) => {
        const onRetired = (outcome: WorkOutcome): void => resolve(outcome.failure);
        this.queue.submit({ label: 'the first work', wait: null, timeline, commands, onRetired });
      });
      if (failure) throw StatusError.from(failure);
    };
    await this.memory.warm(WARM_BYTES, run);
    this.unload(WARM);
  }

  start(command: DeviceCommand, done: Done): void {
    if (this.lost) return done(this.lost);
    if (command.op === 'call') return command.run(done);
    const end: Done = (failure) => {
      if (!this.#begun.delete(end)) return;
      done(failure && (this.lost ?? failure));
    };
    this.#begun.add(end);
    try {
      const running = this.#begin(command);
      if (!running) end(null);
      else running.then(end, (error: unknown) => end(toStatus(error)));
    } catch (error) {
      end(toStatus(error));
    }
  }

  createTimeline(label: string): Timeline {
    return new Timeline(label);
  }

  load(id: string, image: ExecutableImage): void {
    if (!image.wgsl) {
      throw new StatusError('invalidArgument', `executable '${id}' has no code for this device`);
    }
    const executable = this.#executables.load(id, image);
    const context = {
      gpu: this.#gpu,
      memory: this.memory,
      pipelines: this.#pipelines,
      readbacks: this.#readbacks,
    };
    // A compiler for this device made both.
    const [program, info] = [image.wgsl as WgslProgram, image.info as ExecutableReflection];
    this.#programs.set(executable, new ShaderProgram(context, program, info));
  }

  async ready(id: string): Promise<void> {
    await this.#programs.get(this.#executables.find(id))!.ready;
  }

  unload(id: string): boolean {
    return this.#executables.unload(id);
  }

  get executables(): number {
    return this.#executables.size;
  }

  executable(id: string): Executable {
    return this.#executables.find(id);
  }

  onLost(listener: (status: StatusRecord) => void): void {
    this.#onLost.push(listener);
  }

  /** Resolves when Dawn has nothing left to tell: from then on its thread may end. */
  close(): Promise<void> {
    const status: StatusRecord = { code: 'unavailable', message: 'the device is closed' };
    this.queue.refuse(status);
    this.lost ??= status;
    this.#failBegun();
    this.#gpu.destroy();
    return settledAll(this.#gpu);
  }

  /** Takes the device away as a fault would: for fault injection. */
  destroy(): void {
    this.#gpu.destroy();
  }

  /** Null when nothing is left to wait for. */
  #begin(command: Exclude<DeviceCommand, { op: 'call' }>): Promise<StatusRecord | null> | null {
    switch (command.op) {
      case 'upload':
        return this.#transfers.upload(command.target, command.bytes);
      case 'copy':
        this.#transfers.copy(command.source, command.target);
        return null;
      case 'fill':
        this.#transfers.fill(command.target, command.byte);
        return null;
      case 'readback':
        return this.#readbacks.read(command.source, command.into);
      case 'execute':
        return this.#programs.get(command.launch.executable)!.run(command.launch);
    }
  }

  #lose(status: StatusRecord): void {
    if (this.lost) return;
    this.lost = status;
    this.queue.refuse(status);
    for (const listener of this.#onLost) listener(status);
    this.#failBegun();
    this.#gpu.destroy();
  }

  #failBegun(): void {
    for (const end of [...this.#begun]) end(this.lost);
  }
}

export type { WebgpuDevice };

/** Opens the adapter with its full limits; no package runs on less than some of them. */
export async function openWebgpuDevice(options: WebgpuDeviceOptions): Promise<WebgpuDevice> {
  const chosen = await chooseAdapter(options.adapter ?? null);
  const { adapter, description } = chosen;
  const { ports, memoryBytes = MEMORY_BYTES_DEFAULT } = options;
  const features = WANTED_FEATURES.filter((feature) => adapter.features.has(feature));
  const gpu = await adapter.requestDevice({
    requiredFeatures: features as GPUFeatureName[],
    requiredLimits: limitsOf(adapter),
  });
  if (description.software) lendCore(gpu);
  const facts = adapterFacts(chosen);
  const device = new WebgpuDevice({ gpu, adapter: description, facts }, ports, memoryBytes);
  await device.warm();
  return device;
}
