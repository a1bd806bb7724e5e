/**
 * A device for simulation and tests: the local device's memory and calling convention, run at once
 * on the calling thread, with completion order, time, failure and loss in the hands of the caller.
 *
 * Holds: a command takes effect when it completes, not when it starts, so whoever frees storage
 * early or forgets to wait sees wrong bytes. What a failed command would have changed is scribbled
 * over, and nothing else: of storage that outlives it, it may have had a part.
 */
import type { StatusRecord } from '../../base/errors.js';
import type { Ports } from '../../base/ports.js';
import { accessOf, type DeviceCommand, type Launch } from '../command.js';
import type { DeviceRange } from '../buffer.js';
import type { Device } from '../device.js';
import type { Done, Driver } from '../driver.js';
import { ExecutableTable } from '../executable-table.js';
import type { Executable, ExecutableImage } from '../executable.js';
import type { TargetFacts } from '../../base/target-facts.js';
import { localFacts } from '../local/local-facts.js';
import { LocalMemory } from '../local/local-memory.js';
import { transfer } from '../local/transfer.js';
import { Queue } from '../queue.js';
import { Timeline } from '../timeline.js';
import { Completion, type CompletionPlan } from './completion.js';
import { OneWorker } from '../local/one-worker.js';

const MEMORY_BYTES_DEFAULT = 64 * 1024 * 1024;
/** Lies in what a failed command was to write. */
const SCRIBBLE_BYTE = 0xdb;

/** Runs a launch on the bytes that `view` shows; a failure, or null. */
export type SimulatedExecutor = (
  launch: Launch,
  view: (range: DeviceRange) => Uint8Array,
) => StatusRecord | null;

export interface SimulatedDeviceOptions {
  readonly ports: Ports;
  readonly memoryBytes?: number;
  /** Default: complete every command with no delay, on a timer. */
  readonly completion?: CompletionPlan;
  /** Instead of the executable's WebAssembly: an interpreter, for instance. */
  readonly execute?: SimulatedExecutor;
  /** Memory of an earlier device that has closed. Each memory reserves gigabytes of addresses until
   * it is collected, so thousands of simulations in a row hand one on. It is cleared first. */
  readonly memory?: LocalMemory;
}

export class SimulatedDevice implements Device, Driver {
  readonly driver = 'simulated';
  readonly facts: TargetFacts = localFacts();
  readonly memory: LocalMemory;
  readonly memoryBytes: number;
  readonly queue: Queue;
  readonly completion: Completion;
  lost: StatusRecord | null = null;
  readonly #execute: SimulatedExecutor;
  readonly #executables: ExecutableTable;
  readonly #onLost: ((status: StatusRecord) => void)[] = [];

  constructor(options: SimulatedDeviceOptions) {
    const { ports, completion, execute, memoryBytes = MEMORY_BYTES_DEFAULT } = options;
    this.memoryBytes = memoryBytes;
    this.memory = options.memory ?? new LocalMemory({ workers: 1, memoryBytes });
    options.memory?.reset();
    this.queue = new Queue(this, ports.clock);
    this.completion = new Completion(completion ?? (() => ({ delayMs: 0 })), ports.timers);
    const worker = new OneWorker(this.memory);
    this.#execute = execute ?? ((launch) => worker.run(launch));
    this.#executables = new ExecutableTable((executable) => worker.forget(executable));
  }

  start(command: DeviceCommand, done: Done): void {
    if (this.lost) return done(this.lost);
    this.completion.start(command, (failure) => this.#end(command, failure, done));
  }

  createTimeline(label: string): Timeline {
    return new Timeline(label);
  }

  load(id: string, image: ExecutableImage): void {
    this.#executables.load(id, image);
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

  /** The device goes away: what was started fails now, what was accepted fails in its turn. */
  lose(status: StatusRecord): void {
    if (this.lost) return;
    this.lost = status;
    this.queue.refuse(status);
    for (const listener of this.#onLost) listener(status);
    this.completion.failAll(status);
  }

  close(): Promise<void> {
    const status: StatusRecord = { code: 'unavailable', message: 'the device is closed' };
    this.queue.refuse(status);
    this.lost ??= status;
    this.completion.failAll(status);
    return Promise.resolve();
  }

  #end(command: DeviceCommand, failure: StatusRecord | null, done: Done): void {
    if (failure) {
      this.#spoil(command);
      done(failure);
    } else if (command.op === 'execute') {
      done(this.#execute(command.launch, (range) => this.memory.view(range)));
    } else transfer(this.memory, command, done);
  }

  #spoil(command: DeviceCommand): void {
    const { writes } = accessOf([command]);
    if (command.op !== 'execute') {
      for (const range of writes) this.memory.fill(range, SCRIBBLE_BYTE);
      return;
    }
    const before = writes.map((range) => this.memory.view(range).slice());
    this.#execute(command.launch, (range) => this.memory.view(range));
    writes.forEach((range, at) => {
      const bytes = this.memory.view(range);
      const was = before[at]!;
      for (let i = 0; i < was.length; i++) if (was[i] !== bytes[i]) bytes[i] = SCRIBBLE_BYTE;
    });
  }
}

export function openSimulatedDevice(options: SimulatedDeviceOptions): SimulatedDevice {
  return new SimulatedDevice(options);
}
