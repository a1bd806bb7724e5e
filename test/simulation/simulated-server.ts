/**
 * A server of virtual threads (`actors/edge/simulated-threads.ts`) that laws watch and that may be
 * harmed: its packages are compiled once a process, its files lie in memory, its device has a
 * shadow, and commands, reads, allocations and openings fail as often as they are told to.
 *
 * Holds: nothing here reads a clock or chance but through the seed, so a seed is a run.
 */
import {
  delays,
  DEVICE_THREAD,
  PREPARATION_THREAD,
  SimulatedThreads,
  type Reading,
  type ThreadMeans,
} from '../../actors/edge/simulated-threads.js';
import type { OpenedDevice } from '../../actors/model/device-queue.js';
import type { PackageLocation } from '../../actors/protocol.js';
import type { StreamReaders } from '../../actors/system/text-streams.js';
import type { EvictedSessions } from '../../http/text-serving.js';
import { StatusError, type StatusRecord } from '../../runtime/base/errors.js';
import type { Ports } from '../../runtime/base/ports.js';
import { LocalMemory } from '../../runtime/hal/local/local-memory.js';
import type { Fate } from '../../runtime/hal/simulated/completion.js';
import type { OpenedSource } from '../../runtime/parameters/load-plan.js';
import type { SystemRecord } from '../../runtime/system/recorder.js';
import { SeededRandom } from '../../runtime/system/seeded-random.js';
import type { ActorSystem } from '../../runtime/system/system.js';
import { SimulatedWorld, type SimulatedStep } from '../../runtime/system/transports/simulated.js';
import type { TaskResult } from '../../runtime/threads/tasks.js';
import type { HeapMemories } from '../../runtime/vm/heap-memories.js';
import type { BankLaws } from './bank-laws.js';
import { CompiledPackages } from './compiled-packages.js';
import { observing, type Observer } from './observed-actor.js';
import { ShadowDevice } from './shadow-device.js';
import { SimulatedFiles } from './simulated-files.js';

/** Reads take up to this long, in virtual milliseconds. */
const readMs = { usual: 3, slow: 80 };
export const MEMORY_BYTES = 1024 * 1024;
/** The most that any simulated device may have. */
export const MEMORY_BYTES_MAX = 4 * MEMORY_BYTES;

export interface ServerWatch extends Observer {
  record(thread: string, record: SystemRecord): void;
  report(law: string, detail: string): void;
  step(step: SimulatedStep): void;
  log(actor: string, text: string): void;
  task(call: { readonly task: string; readonly input: unknown }, failed: boolean): void;
  lost(thread: string): void;
  /** Nothing was done for so long; what had been told lies in mailboxes still. */
  stoodStill(ms: number): void;
}

export interface SimulatedServerOptions {
  readonly seed: number;
  readonly modelThreads: readonly string[];
  readonly memoryBytes: number;
  readonly waitingMax: number;
  /** Envelopes travel up to this long: less than a thread takes to start anew. */
  readonly travelMs: number;
  /** Share of device commands that fail. */
  readonly failures: number;
  /** Share of reads of checkpoints that fail. */
  readonly unread: number;
  /** Share of them that take long. */
  readonly slow: number;
  /** Share of allocations for which the machine has no memory. */
  readonly unallocated: number;
  /** Share of attempts to open a lost device again that fail. */
  readonly unopened: number;
  readonly sessionIdleMs: number;
  readonly evictedSessions?: EvictedSessions;
  /** Of what texts say. */
  readonly readers: StreamReaders;
  readonly watch: ServerWatch;
  readonly packages: CompiledPackages;
  /** Of its control programs; absent: new ones. */
  readonly memories?: HeapMemories;
  /** Lines of the trace that its world keeps, the first; absent: all. */
  readonly traceMax?: number;
}

/** Of a read that fails, whether its file is at fault or its thread has died. */
const UNREAD: StatusRecord = { code: 'unavailable', message: 'a checkpoint cannot be read' };
const notOpened = new StatusError('unavailable', 'the device does not open');

/** Device memory reserves gigabytes of addresses: one for all simulations of a process. */
const memory = new LocalMemory({ workers: 1, memoryBytes: MEMORY_BYTES_MAX });

export class SimulatedServer {
  readonly world: SimulatedWorld;
  readonly threads: SimulatedThreads;
  readonly files: SimulatedFiles;
  /** Of the device that was opened last; null before, and after its thread died. */
  shadow: ShadowDevice | null = null;
  /** In phase 2 nothing fails any more. */
  isFaulty = true;
  readonly #options: SimulatedServerOptions;
  readonly #random: SeededRandom;
  readonly #banks: BankLaws[] = [];
  #opens = 0;
  /** The machine gives the device no byte more, until faults stop. */
  #isExhausted = false;
  #wallOffsetMs = 0;

  constructor(options: SimulatedServerOptions) {
    this.#options = options;
    const { seed, watch, modelThreads, waitingMax, readers } = options;
    this.#random = SeededRandom.for(seed, 'server');
    this.files = new SimulatedFiles(watch.report.bind(watch));
    this.world = this.#newWorld();
    this.threads = new SimulatedThreads({
      world: this.world,
      random: this.#random,
      means: this.#means(),
      server: {
        modelThreads,
        waitingMax,
        sessions: { idleMs: options.sessionIdleMs, evicted: options.evictedSessions },
        wallTime: () => this.threads.main.ports.clock.wallTime() + this.#wallOffsetMs,
      },
      readers,
      recorderOf: (thread) => ({ record: (record) => watch.record(thread, record) }),
      log: ({ level, actor, text }) => {
        if (level === 'error') watch.log(actor, text);
      },
      seen: observing(watch),
    });
  }

  get systems(): ReadonlyMap<string, ActorSystem> {
    return this.threads.systems;
  }

  /** Of all devices that were opened. */
  get bankCounts(): { readonly activations: number; readonly evictions: number } {
    const sum = (of: (laws: BankLaws) => number): number =>
      this.#banks.reduce((total, laws) => total + of(laws), 0);
    return {
      activations: sum(({ activations }) => activations),
      evictions: sum(({ evictions }) => evictions),
    };
  }

  /** A thread dies now and is started anew a little later. */
  kill(name: string): void {
    if (!this.world.isAlive(name)) return;
    this.#options.watch.lost(name);
    this.files.threadLost(name, this.world.time.nowMs, this.#options.travelMs);
    if (name === DEVICE_THREAD) this.shadow = null;
    this.threads.kill(name);
  }

  loseDevice(): void {
    const status: StatusRecord = { code: 'unavailable', message: 'the device was lost' };
    if (this.shadow === null || this.shadow.device.lost !== null) return;
    this.#options.watch.lost('driver');
    this.shadow.device.lose(status);
  }

  exhaustMemory(): void {
    this.#options.watch.lost('memory');
    this.#isExhausted = true;
  }

  /** The whole process stands still: everything that was due meanwhile is late. */
  pause(ms: number): void {
    this.#options.watch.lost('clock');
    this.#options.watch.stoodStill(ms);
    this.files.stoodStill(ms);
    const { time } = this.world;
    time.advanceTo(time.nowMs + ms);
  }

  setWallClock(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  #newWorld(): SimulatedWorld {
    const { seed, travelMs, traceMax, watch } = this.#options;
    let wasDevices = false;
    return new SimulatedWorld({
      seed,
      delayMaxMs: travelMs,
      startMs: 1_000,
      traceMax,
      onStep: (step) => {
        watch.step(step);
        // Nothing else changes what the device holds.
        if (wasDevices) this.shadow?.checkNow();
        wasDevices = step.thread === DEVICE_THREAD;
      },
    });
  }

  #means(): ThreadMeans {
    const { packages, memories } = this.#options;
    return {
      prepare: (location) => {
        const plan = packages.prepare(location);
        const { parameters } = plan;
        const sources = this.#opened(location, parameters.sources);
        return { ...plan, parameters: { ...parameters, sources } };
      },
      resolve: (prepared, choice) => {
        const plan = packages.resolve(prepared, choice);
        return { ...plan, sources: this.#opened(prepared.place, plan.sources) };
      },
      whole: (prepared) => packages.whole(prepared, memories),
      loadable: (prepared) => packages.loadable(prepared, memories),
      compile: this.#compile,
      read: this.#read,
      closeFile: this.files.close,
      open: this.#open,
    };
  }

  /** Checkpoints of a package, opened by the thread that prepares. */
  #opened(
    place: Pick<PackageLocation, 'base'>,
    sources: readonly OpenedSource[],
  ): readonly OpenedSource[] {
    const by = { thread: PREPARATION_THREAD, atMs: this.world.time.nowMs };
    return this.files.open(sources, this.#options.packages.checkpoints(place), by);
  }

  /** One that was open before may be refused. */
  readonly #open = (ports: Ports): (() => OpenedDevice) => {
    const { watch, unopened } = this.#options;
    const isRefused = this.isFaulty && this.#opens > 0 && this.#random.next() < unopened;
    this.#opens += 1;
    if (isRefused) watch.lost('driver');
    return () => {
      if (isRefused) throw notOpened;
      return this.#newDevice(ports);
    };
  };

  #newDevice(ports: Ports): OpenedDevice {
    const { watch, memoryBytes } = this.#options;
    const completion = (): Fate => this.#fate();
    const report = watch.report.bind(watch);
    const isExhausted = (): boolean => this.isFaulty && (this.#isExhausted || this.#isFull());
    this.shadow = new ShadowDevice({
      ...{ ports, memory, memoryBytes, completion, report, isExhausted },
    });
    this.#banks.push(this.shadow.banks);
    return this.shadow.opened;
  }

  #fate(): Fate {
    const delayMs = this.#random.next() * delays.command;
    if (!this.isFaulty || this.#random.next() >= this.#options.failures) return { delayMs };
    this.#options.watch.lost('command');
    return { delayMs, failure: { code: 'internal', message: 'the device failed a command' } };
  }

  /** The machine has no memory at this moment. */
  #isFull(): boolean {
    const { unallocated, watch } = this.#options;
    if (unallocated === 0 || this.#random.next() >= unallocated) return false;
    watch.lost('memory');
    return true;
  }

  readonly #compile: ThreadMeans['compile'] = (call) => {
    const outcome = this.#options.packages.run(call);
    this.#options.watch.task(call, 'status' in outcome);
    return outcome;
  };

  /** What a device that is gone had ordered is read for nobody. */
  readonly #read: ThreadMeans['read'] = (call): Reading => {
    const { shadow } = this;
    const failure = this.#unread();
    const { slow } = this.#options;
    const isSlow = this.isFaulty && slow > 0 && this.#random.next() < slow;
    const outcome = (): TaskResult =>
      shadow === this.shadow
        ? this.files.carryOut(call, failure)
        : { status: { ...UNREAD, message: 'nobody waits for it' } };
    return { mostMs: isSlow ? readMs.slow : readMs.usual, outcome };
  };

  #unread(): StatusRecord | null {
    if (!this.isFaulty || this.#random.next() >= this.#options.unread) return null;
    this.#options.watch.lost('read');
    return this.#random.next() < 0.5 ? UNREAD : { ...UNREAD, code: 'dataLoss' };
  }
}
