/**
 * The threads of a server as virtual ones in this thread: what `actors/start.ts` and the programs
 * in `actors/threads/` compose on real ones. The only such composition: a replay has it with the
 * means of `simulated-means.ts`, simulations with means that fail and with somebody who sees all.
 *
 * Holds: what takes time comes by a timer of the world, so that the seed orders it. A thread that
 * dies is started anew after every peer has heard of its death, as the topology does.
 */
import type { Ports } from '../../runtime/base/ports.js';
import { localFacts } from '../../runtime/hal/local/local-facts.js';
import type { ActorFactory } from '../../runtime/system/actor.js';
import type { LogEntry } from '../../runtime/system/cell-host.js';
import { ActorKinds } from '../../runtime/system/kinds.js';
import type { Recorder } from '../../runtime/system/recorder.js';
import type { SeededRandom } from '../../runtime/system/seeded-random.js';
import { ActorSystem } from '../../runtime/system/system.js';
import type { SimulatedWorld } from '../../runtime/system/transports/simulated.js';
import type { RunTask, TaskResult } from '../../runtime/threads/tasks.js';
import { deviceQueue, type DeviceQueueInput, type OpenedDevice } from '../model/device-queue.js';
import { generation } from '../model/generation.js';
import { preparation, type PreparationInput, type PreparationOrder } from '../model/preparation.js';
import { textGeneration } from '../model/text-generation.js';
import type { PreparedModel } from '../protocol.js';
import { preparer, type PreparerInput, type PreparerOrder } from '../serving/preparer.js';
import { textPreparer, type TextPreparerInput } from '../serving/text-preparer.js';
import { filesPort, type FilesInput } from '../system/files-port.js';
import { server, type ServerInput } from '../system/server.js';
import { taskPort, type TaskRunner } from '../system/task-port.js';
import { textStreams, type StreamReaders } from '../system/text-streams.js';

export const PREPARATION_THREAD = 'preparation-0';
export const DEVICE_THREAD = 'device';
/** They take up to this long, in virtual milliseconds; a thread that starts anew, just so long. */
export const delays = { task: 4, command: 1.5, open: 2, restart: 5 } as const;
const DEVICE = { name: 'local', driver: 'local', adapter: null, thread: DEVICE_THREAD } as const;

/** What is read, at most so long after it was asked for. */
export interface Reading {
  readonly mostMs: number;
  readonly outcome: () => TaskResult;
}

/** What actors leave to their threads: packages, pools, a device. */
export interface ThreadMeans {
  readonly prepare: PreparationInput['prepare'];
  readonly resolve: PreparerInput['resolve'];
  /** A prepared model as a preparer gets it. */
  readonly whole: <Prepared extends PreparedModel>(prepared: Prepared) => Prepared;
  /** The same as a generation gets it. */
  readonly loadable: <Prepared extends PreparedModel>(prepared: Prepared) => Prepared;
  readonly compile: RunTask;
  readonly read: (call: Parameters<RunTask>[0]) => Reading;
  readonly closeFile: FilesInput['closeFile'];
  /** What it gives opens the device when the time has come, or throws. */
  readonly open: (ports: Ports) => () => OpenedDevice;
}

export interface SimulatedThreadsOptions {
  readonly world: SimulatedWorld;
  /** Says how long everything takes, and whoever makes the means what fails. */
  readonly random: SeededRandom;
  readonly means: ThreadMeans;
  readonly server: Pick<ServerInput, 'modelThreads' | 'waitingMax' | 'sessions' | 'wallTime'>;
  readonly readers: StreamReaders;
  readonly recorderOf: (thread: string) => Recorder;
  /** Absent: nothing is logged. */
  readonly log?: (entry: LogEntry) => void;
  /** The same actor, for who wants to see what each does; absent: nobody does. */
  readonly seen?: <Input>(actor: ActorFactory<Input>) => ActorFactory<Input>;
}

type Seen = NonNullable<SimulatedThreadsOptions['seen']>;

export class SimulatedThreads {
  /** Of all threads that live. */
  readonly systems = new Map<string, ActorSystem>();
  readonly main: ActorSystem;
  readonly #options: SimulatedThreadsOptions;
  readonly #seen: Seen;

  constructor(options: SimulatedThreadsOptions) {
    const { means, readers, seen = (actor) => actor } = options;
    this.#options = options;
    this.#seen = seen;
    const { modelThreads } = options.server;
    this.main = this.#start('main');
    for (const name of [...modelThreads, PREPARATION_THREAD, DEVICE_THREAD]) this.#start(name);
    const files = { runner: { run: this.#read }, closeFile: means.closeFile };
    this.main.spawn('pool', seen(taskPort), { run: this.#compile });
    this.main.spawn('files', seen(filesPort), files);
    this.main.spawn('streams', seen(textStreams), readers);
    this.main.spawn('server', seen(server), {
      ...options.server,
      preparationThreads: [PREPARATION_THREAD],
      devices: [{ ...DEVICE, facts: localFacts() }],
    });
  }

  /** A thread dies now and is started anew a little later. */
  kill(name: string): void {
    this.#options.world.kill(name);
    this.systems.delete(name);
    this.#startAnew(name);
  }

  /** Where time has leapt meanwhile, not all peers have heard of its death when it is due. */
  #startAnew(name: string): void {
    this.main.ports.timers.start(delays.restart, () => {
      if (this.#options.world.isMourned(name)) this.#start(name);
      else this.#startAnew(name);
    });
  }

  #start(thread: string): ActorSystem {
    const { world, recorderOf, log = () => undefined } = this.#options;
    const { ports, transport } = world.thread(thread);
    const kinds = this.#kindsOf(thread, ports);
    const recorder = recorderOf(thread);
    const system = new ActorSystem({ thread, ports, transport, kinds, recorder, log });
    this.systems.set(thread, system);
    return system;
  }

  #kindsOf(thread: string, ports: Ports): ActorKinds {
    if (thread === 'main') return new ActorKinds();
    if (thread === DEVICE_THREAD) return this.#deviceKinds(ports);
    const { means } = this.#options;
    return thread === PREPARATION_THREAD
      ? preparationKinds(means, this.#seen)
      : modelKinds(means, this.#seen);
  }

  #deviceKinds(ports: Ports): ActorKinds {
    const queue = this.#seen(deviceQueue);
    const open = (): PromiseLike<OpenedDevice> => this.#open(ports);
    return new ActorKinds().register('deviceQueue', (self, input: Omit<DeviceQueueInput, 'open'>) =>
      queue(self, { ...input, open }),
    );
  }

  /** Not a promise: what it yields comes by a timer, in a step of the world. */
  #open(ports: Ports): PromiseLike<OpenedDevice> {
    const { means, random } = this.#options;
    const opened = means.open(ports);
    const then = (
      done: (opened: OpenedDevice) => unknown,
      refuse: (error: unknown) => unknown,
    ): void => {
      ports.timers.start(random.next() * delays.open, () => settle(opened, done, refuse));
    };
    return { then } as unknown as PromiseLike<OpenedDevice>;
  }

  /** Done at once, and answered when the seed says. */
  readonly #compile: TaskRunner['run'] = (call, done) => {
    const outcome = this.#options.means.compile(call);
    this.#later(delays.task, () => done(outcome));
  };

  readonly #read: TaskRunner['run'] = (call, done) => {
    const { mostMs, outcome } = this.#options.means.read(call);
    this.#later(mostMs, () => done(outcome()));
  };

  #later(mostMs: number, action: () => void): void {
    this.main.ports.timers.start(this.#options.random.next() * mostMs, action);
  }
}

function settle(
  opened: () => OpenedDevice,
  done: (opened: OpenedDevice) => unknown,
  refuse: (error: unknown) => unknown,
): void {
  let device: OpenedDevice;
  try {
    device = opened();
  } catch (error) {
    refuse(error);
    return;
  }
  done(device);
}

function modelKinds({ loadable, whole }: ThreadMeans, seen: Seen): ActorKinds {
  const finite = seen(generation);
  const text = seen(textGeneration);
  return new ActorKinds()
    .register('generation', (self, input: Parameters<typeof generation>[1]) =>
      finite(self, { ...input, prepared: loadable(input.prepared) }),
    )
    .register('textGeneration', (self, input: Parameters<typeof textGeneration>[1]) =>
      text(self, { ...input, prepared: whole(input.prepared) }),
    );
}

function preparationKinds({ prepare, resolve, whole }: ThreadMeans, seen: Seen): ActorKinds {
  const cold = seen(preparation);
  const warm = seen(preparer);
  const text = seen(textPreparer);
  return new ActorKinds()
    .register('preparation', (self, input: PreparationOrder) => cold(self, { ...input, prepare }))
    .register('preparer', (self, input: PreparerOrder) =>
      warm(self, { ...input, prepared: whole(input.prepared), resolve }),
    )
    .register('textPreparer', (self, input: TextPreparerInput) =>
      text(self, { ...input, prepared: whole(input.prepared) }),
    );
}
