/**
 * A server in one thread of execution, on a virtual clock: the actors and edges of a real one, for
 * whoever replays traffic. A seed is a run, as long as nobody waits for more than actors.
 */
import type { SimulatedServer, SimulatedStart } from '../../http/serving.js';
import { RingRecorder } from '../../runtime/system/ring-recorder.js';
import { SeededRandom } from '../../runtime/system/seeded-random.js';
import { SimulatedWorld } from '../../runtime/system/transports/simulated.js';
import { SERVER } from '../protocol.js';
import { ObservingPort, traceHeader } from './observing-port.js';
import { RecorderHub } from './recorder-hub.js';
import { SimulatedEdges } from './simulated-edges.js';
import { simulatedMeans } from './simulated-means.js';
import { SimulatedSteps } from './simulated-steps.js';
import { SimulatedThreads } from './simulated-threads.js';
import { Streams } from './text-port.js';
import { lineOf } from './trace-file.js';

const START_MS = 1_000;
const TRAVEL_MS = 1;
const OPEN_DEADLINE_MS = 60_000;
const RECORDS_MAX = 65_536;

export async function simulatedServer(start: SimulatedStart): Promise<SimulatedServer> {
  const world = new SimulatedWorld({
    seed: start.seed,
    delayMaxMs: TRAVEL_MS,
    startMs: START_MS,
    traceMax: 0,
    onStep: ({ thread }) => {
      if (thread === 'main') steps.news();
    },
  });
  const steps = new SimulatedSteps(world);
  const recorder = new RingRecorder(RECORDS_MAX);
  const streams = new Streams();
  const threads = startThreads(start, { world, recorder, streams });
  const edges = new SimulatedEdges({ threads, steps, streams, start });
  const system = threads.main;
  const { serving, text, views, calls, topology, ports } = edges;
  const hub = new RecorderHub({ system, topology, ports });
  const observing = new SimulatedObserving({ views, hub, calls, ports }, recorder);
  const deadlineMs = ports.clock.now() + OPEN_DEADLINE_MS;
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

interface Surroundings {
  readonly world: SimulatedWorld;
  /** What the actors of all threads did last is in one ring. */
  readonly recorder: RingRecorder;
  readonly streams: Streams;
}

function startThreads(start: SimulatedStart, { world, recorder, streams }: Surroundings) {
  const random = SeededRandom.for(start.seed, 'server');
  return new SimulatedThreads({
    world,
    random,
    means: simulatedMeans(random, start.memoryBytes),
    server: {
      modelThreads: Array.from({ length: start.modelThreads }, (_, at) => `model-${at}`),
      waitingMax: start.queueMax,
      sessions: { idleMs: start.sessionIdleMs, evicted: start.evictedSessions },
      wallTime: () => start.ports.clock.wallTime(),
    },
    readers: streams,
    recorderOf: () => recorder,
  });
}

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
