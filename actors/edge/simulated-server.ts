/**
 * A server in one thread of execution, on a virtual clock: the actors and edges of a real one, for
 * whoever replays traffic. A seed is a run, as long as nobody waits for more than actors.
 *
 * Holds: the world makes a step only when promises have nothing left to do, and none while work of
 * the world outside, a disk, is on its way: to a virtual clock that would take for ever.
 */
import type { SimulatedServer, SimulatedStart } from '../../http/serving.js';
import { StatusError } from '../../runtime/base/errors.js';
import { afterEventLoop } from '../../runtime/base/event-loop.js';
import { RingRecorder } from '../../runtime/system/ring-recorder.js';
import { SimulatedWorld } from '../../runtime/system/transports/simulated.js';
import type { Topology } from '../../runtime/threads/topology.js';
import { SERVER } from '../protocol.js';
import { ObservingPort, traceHeader } from './observing-port.js';
import { OpenCalls } from './open-calls.js';
import { ProgressWatch } from './progress-watch.js';
import { RecorderHub } from './recorder-hub.js';
import { ServingPort } from './serving-port.js';
import { SessionFiles } from './session-files.js';
import { startThreads, type SimulatedThreads } from './simulated-threads.js';
import { Streams, TextPort } from './text-port.js';
import { ThreadViews } from './thread-views.js';
import { lineOf } from './trace-file.js';

const START_MS = 1_000;
const TRAVEL_MS = 1;
const OPEN_DEADLINE_MS = 60_000;
const RECORDS_MAX = 65_536;
/** Rounds of the event loop within which every promise that can settle has done so. */
const ROUNDS = 3;
/** So often in a row nothing can happen: nothing will. */
const IDLE_MAX = 1_000;

export async function simulatedServer(options: SimulatedStart): Promise<SimulatedServer> {
  const steps = new Steps(options.seed);
  const recorder = new RingRecorder(RECORDS_MAX);
  const streams = new Streams();
  const { world } = steps;
  const threads = startThreads({
    world,
    seed: options.seed,
    start: options,
    recorder,
    readers: streams,
  });
  const { system } = threads;
  const { timers } = threads.ports;
  // The time of day is the caller's; all others are of the world.
  const clock = { now: threads.ports.clock.now, wallTime: options.ports.clock.wallTime };
  const ports = { ...threads.ports, clock };
  const topology = topologyOf(threads);
  const calls = new OpenCalls(clock);
  const files = new GatedFiles(options.sessionDir, steps, () => ports.ids.next('saving'));
  const text = new TextPort({ system, streams, clock, files, calls });
  const views = new ThreadViews({ system, topology, timers });
  const watch = new ProgressWatch({ topology, watched: { model: [], devices: [] }, ports });
  const own = { ...options, ports };
  const serving = new ServingPort({ system, topology, options: own, text, calls, views, watch });
  const hub = new RecorderHub({ system, topology, ports });
  const observing = new SimulatedObserving({ views, hub, calls, ports }, recorder);
  const deadlineMs = clock.now() + OPEN_DEADLINE_MS;
  await steps.run(system.request(SERVER, 'server.await', {}, { deadlineMs }));
  return {
    serving,
    text,
    observing,
    ports,
    run: (work) => steps.run(work),
    outside: (work) => steps.outside(work),
    async close() {
      observing.close();
      for (const other of threads.systems.values()) other.shutdown();
    },
  };
}

/** Steps of the world, in turn with what promises have to do. */
class Steps {
  readonly world: SimulatedWorld;
  readonly #outside = new Set<Promise<unknown>>();
  #hasNews = true;

  constructor(seed: number) {
    this.world = new SimulatedWorld({
      seed,
      delayMaxMs: TRAVEL_MS,
      startMs: START_MS,
      traceMax: 0,
      onStep: ({ thread }) => {
        if (thread === 'main') this.#hasNews = true;
      },
    });
  }

  async outside<Result>(work: Promise<Result>): Promise<Result> {
    this.#outside.add(work);
    this.#hasNews = true;
    try {
      return await work;
    } finally {
      this.#outside.delete(work);
      this.#hasNews = true;
    }
  }

  async run<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    let idle = 0;
    const over = (): void => void (isDone = true);
    work.then(over, over);
    while (!isDone) {
      if (this.#hasNews) await promisesDone();
      this.#hasNews = false;
      if (this.#outside.size > 0) {
        await Promise.allSettled(this.#outside);
        this.#hasNews = true;
        continue;
      }
      if (isDone) break;
      // Where nothing can happen any more, promises may still have something to do.
      const isAtRest = this.world.run({ stepsMax: 1 });
      idle = isAtRest ? idle + 1 : 0;
      if (isAtRest) this.#hasNews = true;
      if (idle > IDLE_MAX) throw new StatusError('internal', 'the simulation has come to rest');
    }
    return work;
  }
}

async function promisesDone(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await new Promise<void>((done) => afterEventLoop(done));
  }
}

/** Saved sessions lie on a real disk. */
class GatedFiles extends SessionFiles {
  readonly #steps: Steps;

  constructor(folder: string | null, steps: Steps, nextId: () => string) {
    super({ folder, nextId });
    this.#steps = steps;
  }

  override read(name: string): Promise<Uint8Array> {
    return this.#steps.outside(super.read(name));
  }

  override write(name: string, bytes: Uint8Array): Promise<void> {
    return this.#steps.outside(super.write(name, bytes));
  }
}

/** What the actors of all threads did last is in one ring. */
class SimulatedObserving extends ObservingPort {
  readonly #recorder: RingRecorder;
  readonly #ports: ConstructorParameters<typeof ObservingPort>[0]['ports'];

  constructor(options: ConstructorParameters<typeof ObservingPort>[0], recorder: RingRecorder) {
    super(options);
    this.#recorder = recorder;
    this.#ports = options.ports;
  }

  override *trace(form: 'loom' | 'chrome'): Iterable<string> {
    if (form === 'chrome') return yield* super.trace(form);
    yield lineOf(traceHeader(this.#ports, []));
    for (const record of this.#recorder.records) {
      yield lineOf(record);
    }
  }
}

/** Of threads that are virtual, what the edges ask. */
function topologyOf({ systems }: SimulatedThreads): Topology {
  const topology = {
    names: [...systems.keys()].filter((name) => name !== 'main'),
    describe: async (name: string) => systems.get(name)?.describe() ?? null,
    usage: async () => null,
    pulse: async () => null,
    record: async () => undefined,
    batch: async () => null,
  };
  return topology as unknown as Topology;
}
