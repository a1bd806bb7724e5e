/**
 * A server for scenarios in this process: all its threads, a socket on a free port, no packages.
 * What only a test may do to a server is done here.
 */
import { systemPorts } from '../runtime/base/ports.js';
import type { ActorSelf, Behaviour } from '../runtime/system/actor.js';
import type { ActorSystem } from '../runtime/system/system.js';
import type { SystemRecord } from '../runtime/system/recorder.js';
import { RingRecorder } from '../runtime/system/ring-recorder.js';
import type { Topology } from '../runtime/threads/topology.js';
import { createApp, directCalls } from '../http/app.js';
import { loadComposition } from '../http/cli/composition.js';
import { listen } from '../http/listen.js';
import { Metrics } from '../http/metrics.js';
import { OpenRequests } from '../http/open-requests.js';
import type { StartedServer, StartOptions } from '../http/serving.js';
import { defaultLimits, type Services } from '../http/services.js';
import type { Ground, Release } from './ground.js';
import { httpGround } from './http-ground.js';
import type { Fault, Held, ServerSettings } from './scenario.js';
import { RecordedTransitions, type RecordSource } from './transitions.js';

/** Little, so that readers who take nothing stall soon. */
const STREAM_BUFFER_BYTES = 16 * 1024;
const DRAIN_MS = 2_000;
const DEATH_MS = 20;
/** Deaths of compute workers that a device bears. */
const DEATHS_MAX = 2_000;
const DEVICE = 'device:/device';
/** Far above what it takes. */
const HELD_WITHIN_MS = 60_000;
/** At most: a scenario that fails lets go of its threads, too. */
const BLOCKED_MS = 120_000;

const own = systemPorts('harm');

/** What the composition gives beside the seam of http, for tests. */
interface Insides {
  readonly topology: Topology;
  readonly system: ActorSystem;
}

export interface OwnServer {
  readonly ground: Ground;
  readonly url: string;
  close(): Promise<void>;
}

export async function startOwnServer(settings: ServerSettings): Promise<OwnServer> {
  const ports = systemPorts('main');
  const metrics = new Metrics();
  const silent = { debug() {}, info() {}, warn() {}, error() {} };
  const options: StartOptions = {
    device: 'local',
    threads: 2,
    modelThreads: 1,
    memoryBytes: settings.memoryBytes ?? 256 * 1024 * 1024,
    parameterRoots: [],
    packageRoots: [],
    cacheDir: null,
    sessionDir: null,
    recordFile: null,
    queueMax: settings.queueMax ?? 4096,
    requestTimeoutMs: defaultLimits.requestTimeoutMs,
    ports,
    metrics,
    log: silent,
  };
  const { startServer } = await loadComposition();
  const server = (await startServer(options)) as StartedServer & Insides;
  const services: Services = {
    ...server,
    open: new OpenRequests(),
    spans: null,
    ports,
    metrics,
    log: silent,
    limits: {
      ...defaultLimits,
      streamBufferBytes: STREAM_BUFFER_BYTES,
    },
    admin: { loopback: true, token: null },
    version: 'scenario',
    isStarting: () => false,
    isDraining: () => false,
  };
  const direct = directCalls(services);
  const where = { host: '127.0.0.1', port: 0 };
  const listener = await listen(createApp(services), { ...where, ports, direct });
  const transitions = new RecordedTransitions(recordsOf(server), ports.timers);
  const harm = (fault: Fault): Promise<void> => harmed(server, fault);
  const hold = (what: Held): Promise<Release> => held(server, what);
  return {
    url: listener.url,
    ground: httpGround(listener.url, { harm, hold, transitions }),
    async close() {
      await transitions.close();
      const closed = listener.close(DRAIN_MS);
      await server.serving.drain(DRAIN_MS);
      await closed;
      await server.close();
    },
  };
}

function recordsOf({ topology, system }: Insides): RecordSource {
  const main = new RingRecorder();
  const record = async (isOn: boolean): Promise<void> => {
    system.recorder = isOn ? main : null;
    await Promise.all(topology.names.map((name) => topology.record(name, isOn)));
  };
  return {
    start: () => record(true),
    stop: () => record(false),
    threads: ['main', ...topology.names],
    async take(thread: string): Promise<readonly SystemRecord[]> {
      const batch = thread === 'main' ? main.take() : await topology.batch(thread);
      return batch?.records ?? [];
    },
  };
}

async function harmed({ topology, system }: Insides, fault: Fault): Promise<void> {
  if (fault.kind === 'kill') return topology.kill(fault.thread);
  // A device gives up when too many of its workers have died.
  let isLost = false;
  const recorder = system.recorder;
  for (let death = 0; death < DEATHS_MAX && !isLost; death += 1) {
    system.tell(DEVICE, 'worker.kill', { worker: 0 });
    await new Promise<void>((done) => void own.timers.start(DEATH_MS, done));
    isLost = stateOf(system) !== 'open';
  }
  system.recorder = recorder;
}

/** Of the device. */
function stateOf(system: ActorSystem): unknown {
  const { actors } = system.describe();
  const device = actors.find(({ address }) => address === 'main:/server/devices/device');
  return (device?.state as { state?: unknown } | undefined)?.state;
}

function held({ system }: Insides, what: Held): Promise<Release> {
  return what.kind === 'block' ? blocked(system, what.thread) : heldDevice(system);
}

async function heldDevice(system: ActorSystem): Promise<Release> {
  system.tell(DEVICE, 'work.hold', { label: '' });
  // What others send it after its answer comes too late.
  const deadlineMs = own.clock.now() + HELD_WITHIN_MS;
  await system.request(DEVICE, 'device.describe', {}, { deadlineMs });
  return () => system.tell(DEVICE, 'work.hold', { label: null });
}

/** By an actor that takes that long over its first turn. */
async function blocked(system: ActorSystem, thread: string): Promise<Release> {
  const name = own.ids.next(`blocks-${thread}`);
  const word = new Int32Array(new SharedArrayBuffer(8));
  const spawn = (self: ActorSelf): Behaviour => {
    self.spawnOn(thread, name, 'blocker', { word, ms: BLOCKED_MS });
    return { receive() {} };
  };
  system.spawn(name, spawn, null);
  while (Atomics.load(word, 1) === 0) {
    await new Promise<void>((done) => void own.timers.start(1, done));
  }
  return () => {
    Atomics.store(word, 0, 1);
    Atomics.notify(word, 0);
  };
}
