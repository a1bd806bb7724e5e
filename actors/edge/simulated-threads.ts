/**
 * The threads of a server as virtual ones in this thread: what `actors/start.ts` and the programs
 * in `actors/threads/` compose on real ones. Tasks of the pools are done at once and answered when
 * the seed says; the device is the simulated one, which runs the code of the local one.
 */
import type { StartOptions } from '../../http/serving.js';
import type { Ports } from '../../runtime/base/ports.js';
import { localFacts } from '../../runtime/hal/local/local-facts.js';
import { SimulatedDevice } from '../../runtime/hal/simulated/simulated-device.js';
import { Budget } from '../../runtime/memory/budget.js';
import { InvocationRunner } from '../../runtime/memory/invocation-runner.js';
import { Ledger } from '../../runtime/memory/ledger.js';
import { SlabPool } from '../../runtime/memory/slab-pool.js';
import { preparePackage } from '../../runtime/packages/prepare-package.js';
import { closeFile } from '../../runtime/parameters/checkpoints/disk-parameter-file.js';
import { ActorKinds } from '../../runtime/system/kinds.js';
import type { Recorder } from '../../runtime/system/recorder.js';
import { SeededRandom } from '../../runtime/system/seeded-random.js';
import { ActorSystem } from '../../runtime/system/system.js';
import type { SimulatedWorld } from '../../runtime/system/transports/simulated.js';
import { runCompileTask } from '../../runtime/threads/compile-tasks.js';
import { runReadingTask } from '../../runtime/threads/reading-tasks.js';
import type { RunTask } from '../../runtime/threads/tasks.js';
import { deviceQueue, type DeviceQueueInput, type OpenedDevice } from '../model/device-queue.js';
import { generation } from '../model/generation.js';
import { preparation, type PreparationOrder } from '../model/preparation.js';
import { textGeneration } from '../model/text-generation.js';
import { preparer, resolveChoice, type PreparerOrder } from '../serving/preparer.js';
import { textPreparer } from '../serving/text-preparer.js';
import { filesPort } from '../system/files-port.js';
import { server } from '../system/server.js';
import { taskPort, type TaskRunner } from '../system/task-port.js';
import { textStreams, type StreamReaders } from '../system/text-streams.js';

/** As the local device has where nobody says. */
const MEMORY_BYTES = 2 * 1024 ** 3;
/** They take up to this long, in virtual milliseconds. */
const DELAYS = { task: 4, command: 1.5, open: 2 };
const DEVICE = { name: 'local', driver: 'local', adapter: null, thread: 'device' } as const;

export interface SimulatedThreadsOptions {
  readonly world: SimulatedWorld;
  readonly seed: number;
  readonly start: StartOptions;
  readonly recorder: Recorder;
  readonly readers: StreamReaders;
}

export interface SimulatedThreads {
  /** That of the main thread. */
  readonly system: ActorSystem;
  readonly ports: Ports;
  readonly systems: ReadonlyMap<string, ActorSystem>;
}

export function startThreads(options: SimulatedThreadsOptions): SimulatedThreads {
  const { world, seed, start, recorder, readers } = options;
  const random = SeededRandom.for(seed, 'server');
  const systems = new Map<string, ActorSystem>();
  const begin = (thread: string, kindsOf: (ports: Ports) => ActorKinds): Ports => {
    const { ports, transport } = world.thread(thread);
    const kinds = kindsOf(ports);
    const log = (): void => undefined;
    systems.set(thread, new ActorSystem({ thread, ports, transport, kinds, recorder, log }));
    return ports;
  };
  const modelThreads = Array.from({ length: start.modelThreads }, (_, at) => `model-${at}`);
  const main = begin('main', () => new ActorKinds());
  for (const name of modelThreads) begin(name, modelKinds);
  begin('preparation-0', preparationKinds);
  begin(DEVICE.thread, (ports) => deviceKinds(ports, random, start));
  const delayed = (run: RunTask): TaskRunner => ({
    run(call, done) {
      const outcome = run(call);
      main.timers.start(random.next() * DELAYS.task, () => done(outcome));
    },
  });
  const system = systems.get('main')!;
  system.spawn('pool', taskPort, delayed(runCompileTask));
  system.spawn('files', filesPort, { runner: delayed(runReadingTask), closeFile });
  system.spawn('streams', textStreams, readers);
  system.spawn('server', server, {
    modelThreads,
    preparationThreads: ['preparation-0'],
    devices: [{ ...DEVICE, facts: localFacts() }],
    waitingMax: start.queueMax,
    sessions: { idleMs: start.sessionIdleMs, evicted: start.evictedSessions },
    wallTime: () => start.ports.clock.wallTime(),
  });
  return { system, ports: main, systems };
}

const modelKinds = (): ActorKinds =>
  new ActorKinds().register('generation', generation).register('textGeneration', textGeneration);

const preparationKinds = (): ActorKinds =>
  new ActorKinds()
    .register('preparation', (self, input: PreparationOrder) =>
      preparation(self, { ...input, prepare: preparePackage }),
    )
    .register('preparer', (self, input: PreparerOrder) =>
      preparer(self, { ...input, resolve: resolveChoice }),
    )
    .register('textPreparer', textPreparer);

function deviceKinds(
  ports: Ports,
  random: SeededRandom,
  { memoryBytes }: StartOptions,
): ActorKinds {
  const opened = (): OpenedDevice => {
    const completion = () => ({ delayMs: random.next() * DELAYS.command });
    const device = new SimulatedDevice({
      ports,
      memoryBytes: memoryBytes ?? MEMORY_BYTES,
      completion,
    });
    const ledger = new Ledger(device.memoryBytes);
    const budget = new Budget(ledger);
    const pool = new SlabPool(device.memory, { poison: false });
    const runner = new InvocationRunner({ device, pool, budget, ports });
    const bytes = (): ReturnType<OpenedDevice['bytes']> => ({
      budget: budget.limitBytes,
      resident: ledger.bytes,
      reserved: budget.reservedBytes,
      byOwner: ledger.totals(),
    });
    return { device, runner, ledger, bytes };
  };
  // Not a promise: what it yields comes by a timer, in a step of the world.
  const open = (): PromiseLike<OpenedDevice> => {
    const then = (done: (opened: OpenedDevice) => unknown): unknown =>
      ports.timers.start(random.next() * DELAYS.open, () => done(opened()));
    return { then } as unknown as PromiseLike<OpenedDevice>;
  };
  return new ActorKinds().register('deviceQueue', (self, input: Omit<DeviceQueueInput, 'open'>) =>
    deviceQueue(self, { ...input, open }),
  );
}
