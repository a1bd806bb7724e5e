/**
 * The embedded default device: compiled command programs run by compute workers over one shared
 * memory. Needs nothing installed. `openLocalDevice` starts it; the device thread owns it outright.
 */
import { availableParallelism } from 'node:os';
import { StatusError, type StatusRecord } from '../../base/errors.js';
import type { Ports } from '../../base/ports.js';
import { useOptimizedWasm } from '../../jit/v8-flags.js';
import type { DeviceCommand } from '../command.js';
import type { Device } from '../device.js';
import type { Done, Driver } from '../driver.js';
import { ExecutableTable } from '../executable-table.js';
import type { Executable, ExecutableImage } from '../executable.js';
import type { TargetFacts } from '../../base/target-facts.js';
import { Queue } from '../queue.js';
import { Timeline } from '../timeline.js';
import { BriefLaunches } from './brief-launches.js';
import { WORKERS_MAX } from './control-block.js';
import { localFacts } from './local-facts.js';
import { checkFits, LocalMemory } from './local-memory.js';
import { transfer } from './transfer.js';
import { WorkerTeam } from './worker-team.js';

/** Bytes of `--memory` when it is not given. */
const MEMORY_BYTES_DEFAULT = 2 * 1024 ** 3;

export interface LocalDeviceOptions {
  readonly ports: Ports;
  /** Compute workers; default: one a core. */
  readonly threads?: number;
  /** `--memory`, in bytes. */
  readonly memoryBytes?: number;
  /** Whether the device thread runs launches of a few rounds itself; default: yes. */
  readonly brief?: boolean;
}

class LocalDevice implements Device, Driver {
  readonly driver = 'local';
  readonly facts: TargetFacts = localFacts();
  readonly memory: LocalMemory;
  readonly memoryBytes: number;
  readonly queue: Queue;
  lost: StatusRecord | null = null;
  readonly #team: WorkerTeam;
  readonly #executables: ExecutableTable;
  readonly #onLost: ((status: StatusRecord) => void)[] = [];

  constructor(options: Required<LocalDeviceOptions>, onReady: () => void) {
    const { threads, memoryBytes, ports } = options;
    const { clock } = ports;
    this.memoryBytes = memoryBytes;
    this.memory = new LocalMemory({ workers: threads, memoryBytes });
    this.queue = new Queue(this, clock);
    const memory = this.memory;
    const onLost = (status: StatusRecord): void => this.#lose(status);
    const brief = options.brief ? new BriefLaunches(memory, clock) : null;
    this.#team = new WorkerTeam({ memory, threads, brief, onReady, onLost });
    this.#executables = new ExecutableTable((executable) => this.#team.discard(executable));
  }

  start(command: DeviceCommand, done: Done): void {
    if (this.lost) done(this.lost);
    else if (command.op === 'execute') this.#team.run(command.launch, done);
    else transfer(this.memory, command, done);
  }

  createTimeline(label: string): Timeline {
    return new Timeline(label);
  }

  load(id: string, image: ExecutableImage): void {
    if (!image.module) {
      throw new StatusError('invalidArgument', `executable '${id}' has no code for this device`);
    }
    const { name, steps, bankFields, scratchBytes } = image.info;
    checkFits(name, { steps: steps.length, bankFields: bankFields.length, scratchBytes });
    this.#team.load(this.#executables.load(id, image));
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

  get progress(): number {
    return this.#team.progress;
  }

  onLost(listener: (status: StatusRecord) => void): void {
    this.#onLost.push(listener);
  }

  async close(): Promise<void> {
    const status: StatusRecord = { code: 'unavailable', message: 'the device is closed' };
    this.queue.refuse(status);
    this.lost ??= status;
    await this.#team.end(status);
  }

  /** Ends one compute worker at once, as a fault would: for fault injection. */
  async killWorker(worker: number): Promise<void> {
    await this.#team.kill(worker);
  }

  #lose(status: StatusRecord): void {
    if (this.lost) return;
    this.lost = status;
    this.queue.refuse(status);
    for (const listener of this.#onLost) listener(status);
  }
}

export type { LocalDevice };

/**
 * Starts the workers; resolves when all of them wait for work.
 *
 * Programs must be compiled without V8's baseline compiler: on Node 20 it loses values that live
 * across `memory.atomic.wait32`, so a worker that once slept in a barrier would never see the
 * poison word. Flags are per process; whoever compiles sets them too.
 */
export async function openLocalDevice(options: LocalDeviceOptions): Promise<LocalDevice> {
  useOptimizedWasm();
  const threads = options.threads ?? availableParallelism();
  if (!Number.isInteger(threads) || threads < 1 || threads > WORKERS_MAX) {
    throw new StatusError(
      'invalidArgument',
      `the local device runs 1 to ${WORKERS_MAX} compute workers; --threads asks for ${threads}`,
    );
  }
  const { ports, brief = true, memoryBytes = MEMORY_BYTES_DEFAULT } = options;
  return new Promise((resolve, reject) => {
    let device: LocalDevice | null = null;
    device = new LocalDevice({ ports, threads, memoryBytes, brief }, () => resolve(device!));
    device.onLost((status) => reject(StatusError.from(status)));
  });
}
