/**
 * A whole server in one thread of execution: the real actors on virtual threads, a simulated
 * device, a pool that runs its tasks at once and answers when the seed says. What `actors/start.ts`
 * and the programs in `actors/threads/` compose on real threads is composed here on a
 * `SimulatedWorld`.
 *
 * Holds: nothing here reads a clock or chance but through the seed, so a seed is a run. A thread
 * that dies is started anew after every peer has heard of its death, as the topology does.
 */
import { deviceQueue, type DeviceQueueInput } from '../../actors/model/device-queue.js';
import type { OpenedDevice } from '../../actors/model/device-queue.js';
import { generation } from '../../actors/model/generation.js';
import { preparation, type PreparationOrder } from '../../actors/model/preparation.js';
import { preparer, type PreparerInput, type PreparerOrder } from '../../actors/serving/preparer.js';
import { textGeneration } from '../../actors/model/text-generation.js';
import { textPreparer, type TextPreparerInput } from '../../actors/serving/text-preparer.js';
import { server } from '../../actors/system/server.js';
import { textStreams, type StreamReaders } from '../../actors/system/text-streams.js';
import { filesPort } from '../../actors/system/files-port.js';
import { taskPort } from '../../actors/system/task-port.js';
import type { PackageLocation } from '../../actors/protocol.js';
import type { EvictedSessions } from '../../http/text-serving.js';
import { StatusError, type StatusRecord } from '../../runtime/base/errors.js';
import type { Ports } from '../../runtime/base/ports.js';
import { localFacts } from '../../runtime/hal/local/local-facts.js';
import { LocalMemory } from '../../runtime/hal/local/local-memory.js';
import type { Fate } from '../../runtime/hal/simulated/completion.js';
import type { PreparationPlan } from '../../runtime/packages/prepare-package.js';
import { ActorKinds } from '../../runtime/system/kinds.js';
import type { SystemRecord } from '../../runtime/system/recorder.js';
import { SeededRandom } from '../../runtime/system/seeded-random.js';
import { ActorSystem } from '../../runtime/system/system.js';
import { SimulatedWorld, type SimulatedStep } from '../../runtime/system/transports/simulated.js';
import type { HeapMemories } from '../../runtime/vm/heap-memories.js';
import type { BankLaws } from './bank-laws.js';
import { CompiledPackages } from './compiled-packages.js';
import { observed, type Observer } from './observed-actor.js';
import { ShadowDevice } from './shadow-device.js';
import { SimulatedFiles } from './simulated-files.js';

/** Tasks, commands and the like take up to this long, in virtual milliseconds. */
const DELAYS = { task: 4, command: 1.5, open: 2, restart: 5, read: 3, slowRead: 80 };
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

export const PREPARATION_THREAD = 'preparation-0';
export const DEVICE_THREAD = 'device';
const LOCAL = { name: 'local', driver: 'local', adapter: null, facts: localFacts() };

/** Of a read that fails, whether its file is at fault or its thread has died. */
const UNREAD: StatusRecord = { code: 'unavailable', message: 'a checkpoint cannot be read' };
const unopened = new StatusError('unavailable', 'the device does not open');

/** Device memory reserves gigabytes of addresses: one for all simulations of a process. */
const memory = new LocalMemory({ workers: 1, memoryBytes: MEMORY_BYTES_MAX });

export class SimulatedServer {
  readonly world: SimulatedWorld;
  readonly systems = new Map<string, ActorSystem>();
  readonly #options: SimulatedServerOptions;
  readonly #random: SeededRandom;
  readonly #main: Ports;
  readonly #banks: BankLaws[] = [];
  readonly files: SimulatedFiles;
  /** Of the device that was opened last; null before, and after its thread died. */
  shadow: ShadowDevice | null = null;
  /** In phase 2 nothing fails any more. */
  isFaulty = true;
  /** The machine gives the device no byte more, until faults stop. */
  #isExhausted = false;
  #wallOffsetMs = 0;

  constructor(options: SimulatedServerOptions) {
    this.#options = options;
    const { seed, watch, modelThreads, waitingMax, travelMs } = options;
    this.#random = SeededRandom.for(seed, 'server');
    this.files = new SimulatedFiles(watch.report.bind(watch));
    let wasDevices = false;
    this.world = new SimulatedWorld({
      seed,
      delayMaxMs: travelMs,
      startMs: 1_000,
      traceMax: options.traceMax,
      onStep: (step) => {
        watch.step(step);
        // Nothing else changes what the device holds.
        if (wasDevices) this.shadow?.checkNow();
        wasDevices = step.thread === DEVICE_THREAD;
      },
    });
    const main = this.#start('main', new ActorKinds());
    this.#main = main.ports;
    for (const name of [...modelThreads, PREPARATION_THREAD, DEVICE_THREAD]) this.#startNamed(name);
    const runner = { run: this.#runTask };
    main.spawn('pool', observed(taskPort, watch), runner);
    const files = { runner: { run: this.#runRead }, closeFile: this.files.close };
    main.spawn('files', observed(filesPort, watch), files);
    main.spawn('streams', observed(textStreams, watch), options.readers);
    main.spawn('server', observed(server, watch), {
      modelThreads,
      preparationThreads: [PREPARATION_THREAD],
      devices: [{ ...LOCAL, thread: DEVICE_THREAD }],
      waitingMax,
      sessions: { idleMs: options.sessionIdleMs, evicted: options.evictedSessions },
      wallTime: () => main.ports.clock.wallTime() + this.#wallOffsetMs,
    });
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
    this.world.kill(name);
    this.systems.delete(name);
    if (name === DEVICE_THREAD) this.shadow = null;
    this.#main.timers.start(DELAYS.restart, () => this.#startNamed(name));
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
    const { time } = this.world;
    time.advanceTo(time.nowMs + ms);
  }

  setWallClock(byMs: number): void {
    this.#wallOffsetMs += byMs;
  }

  #startNamed(name: string): void {
    this.#start(name, this.#kindsOf(name));
  }

  #start(name: string, kinds: ActorKinds): ActorSystem {
    const { watch } = this.#options;
    const { ports, transport } = this.world.thread(name);
    const system = new ActorSystem({
      thread: name,
      ports,
      transport,
      kinds,
      recorder: { record: (record) => watch.record(name, record) },
      log: ({ level, actor, text }) => {
        if (level === 'error') watch.log(actor, text);
      },
    });
    this.systems.set(name, system);
    if (name === DEVICE_THREAD) this.#devicePorts = ports;
    return system;
  }

  #devicePorts: Ports | null = null;
  #opens = 0;

  #kindsOf(name: string): ActorKinds {
    const { watch, packages, memories } = this.#options;
    const kinds = new ActorKinds();
    if (name === DEVICE_THREAD) {
      const queue = observed(deviceQueue, watch);
      return kinds.register('deviceQueue', (self, input: Omit<DeviceQueueInput, 'open'>) =>
        queue(self, { ...input, open: this.#openDevice }),
      );
    }
    if (name === PREPARATION_THREAD) {
      const cold = observed(preparation, watch);
      const warm = observed(preparer, watch);
      const text = observed(textPreparer, watch);
      return kinds
        .register('preparation', (self, input: PreparationOrder) =>
          cold(self, { ...input, prepare: this.#prepare }),
        )
        .register('preparer', (self, { prepared, device }: PreparerOrder) =>
          warm(self, {
            device,
            prepared: packages.whole(prepared, memories),
            resolve: this.#resolve,
          }),
        )
        .register('textPreparer', (self, input: TextPreparerInput) =>
          text(self, { ...input, prepared: packages.whole(input.prepared, memories) }),
        );
    }
    const served = observed(generation, watch);
    const text = observed(textGeneration, watch);
    return kinds
      .register('generation', (self, input: Parameters<typeof generation>[1]) =>
        served(self, { ...input, prepared: packages.loadable(input.prepared, memories) }),
      )
      .register('textGeneration', (self, input: Parameters<typeof textGeneration>[1]) =>
        text(self, { ...input, prepared: packages.whole(input.prepared, memories) }),
      );
  }

  /** What `preparePackage` gives for a folder, with checkpoints that are open. */
  readonly #prepare = (location: PackageLocation): PreparationPlan => {
    const { packages } = this.#options;
    const plan = packages.prepare(location);
    const contents = packages.checkpoints(location);
    const by = { thread: PREPARATION_THREAD, atMs: this.world.time.nowMs };
    const sources = this.files.open(plan.parameters.sources, contents, by);
    return { ...plan, parameters: { ...plan.parameters, sources } };
  };

  readonly #resolve: PreparerInput['resolve'] = (prepared, choice) => {
    const { packages } = this.#options;
    const plan = packages.resolve(prepared, choice);
    const contents = packages.checkpoints(prepared.place);
    const by = { thread: PREPARATION_THREAD, atMs: this.world.time.nowMs };
    return { ...plan, sources: this.files.open(plan.sources, contents, by) };
  };

  /** Not a promise: what it yields must come by a timer that the seed orders. */
  readonly #openDevice = (): PromiseLike<OpenedDevice> => {
    const { watch, memoryBytes } = this.#options;
    const ports = this.#devicePorts!;
    const open = (done: (opened: OpenedDevice) => unknown): void => {
      const completion = (): Fate => this.#fate();
      const report = watch.report.bind(watch);
      const isExhausted = (): boolean => this.isFaulty && (this.#isExhausted || this.#isFull());
      this.shadow = new ShadowDevice({
        ...{ ports, memory, memoryBytes, completion, report, isExhausted },
      });
      this.#banks.push(this.shadow.banks);
      done(this.shadow.opened);
    };
    const isRefused =
      this.isFaulty && this.#opens > 0 && this.#random.next() < this.#options.unopened;
    this.#opens += 1;
    if (isRefused) watch.lost('driver');
    const then = (
      done: (opened: OpenedDevice) => unknown,
      refuse: (error: unknown) => unknown,
    ): void => {
      const settle = (): unknown => (isRefused ? refuse(unopened) : open(done));
      ports.timers.start(this.#random.next() * DELAYS.open, settle);
    };
    return { then } as unknown as PromiseLike<OpenedDevice>;
  };

  #fate(): Fate {
    const delayMs = this.#random.next() * DELAYS.command;
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

  readonly #runTask: Parameters<typeof taskPort>[1]['run'] = (call, done) => {
    const outcome = this.#options.packages.run(call);
    this.#options.watch.task(call, 'status' in outcome);
    this.#main.timers.start(this.#random.next() * DELAYS.task, () => done(outcome));
  };

  /** What a device that is gone had ordered is read for nobody. */
  readonly #runRead: Parameters<typeof taskPort>[1]['run'] = (call, done) => {
    const { shadow } = this;
    const failure = this.#unread();
    const { slow } = this.#options;
    const isSlow = this.isFaulty && slow > 0 && this.#random.next() < slow;
    const mostMs = isSlow ? DELAYS.slowRead : DELAYS.read;
    this.#main.timers.start(this.#random.next() * mostMs, () => {
      if (shadow !== this.shadow) done({ status: { ...UNREAD, message: 'nobody waits for it' } });
      else done(this.files.carryOut(call, failure));
    });
  };

  #unread(): StatusRecord | null {
    if (!this.isFaulty || this.#random.next() >= this.#options.unread) return null;
    this.#options.watch.lost('read');
    return this.#random.next() < 0.5 ? UNREAD : { ...UNREAD, code: 'dataLoss' };
  }
}
