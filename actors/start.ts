/**
 * Composes a server: threads, transports, the root actors, and the port through which http talks to
 * them. The only file that knows all of them.
 */
import { availableParallelism } from 'node:os';
import type {
  CheckReport,
  DeviceListing,
  PackageReport,
  RegisterBody,
  SimulatedServer,
  SimulatedStart,
  StartedServer,
  StartOptions,
  ToolOptions,
  TraceSummary,
} from '../http/serving.js';
import { useOptimizedWasm } from '../runtime/jit/v8-flags.js';
import { closeFile } from '../runtime/parameters/checkpoints/disk-parameter-file.js';
import type { LogEntry } from '../runtime/system/cell-host.js';
import { ActorSystem } from '../runtime/system/system.js';
import { ThreadsTransport } from '../runtime/system/transports/threads.js';
import { collectWithoutHelpers, keepYoungHeapsSmall } from '../runtime/threads/collector.js';
import { TaskPool } from '../runtime/threads/task-pool.js';
import type { ThreadInput } from '../runtime/threads/thread-control.js';
import { Topology } from '../runtime/threads/topology.js';
import { type AskedDevice, chooseDevices, type DeviceChoice } from './edge/device-choice.js';
import { SessionFiles } from './edge/session-files.js';
import { Streams, TextPort } from './edge/text-port.js';
import { textStreams } from './system/text-streams.js';
import { SERVER } from './protocol.js';
import { filesPort } from './system/files-port.js';
import { server, type ServerDevice } from './system/server.js';
import { logPort } from './system/log-port.js';
import { taskPort } from './system/task-port.js';
import type { DeviceSettings } from './threads/device.program.js';
import type { TraceFileOptions } from './edge/trace-reader.js';

const OPEN_DEADLINE_MS = 60_000;
/** Unless it is said: models take turns on them, so that a slow input does not hold up all. */
const PREPARATION_THREADS = 2;
const READING_THREADS = 2;

export interface RunningServer extends StartedServer {
  readonly topology: Topology;
  readonly pool: TaskPool;
  /** The actors of the main thread, by which those of the others are reached. */
  readonly system: ActorSystem;
}

export async function startServer(options: StartOptions): Promise<RunningServer> {
  useOptimizedWasm();
  collectWithoutHelpers();
  keepYoungHeapsSmall();
  const { ports, log } = options;
  const write = (entry: LogEntry): void =>
    log[entry.level]({ actor: entry.actor, ...entry.details }, entry.text);
  const transport = new ThreadsTransport();
  const system = new ActorSystem({ thread: 'main', ports, transport, log: write });
  const pools = openPools();
  const plan = planThreads(options, await chooseDevices(devicesOf(options)));
  const started = startTopology(options, plan, transport);
  // Loaded while the threads load what they need.
  const [topology, { ServingPort }, { openObservation }] = await Promise.all([
    started,
    import('./edge/serving-port.js'),
    import('./edge/observation.js'),
  ]);
  const observation = await openObservation({
    system,
    topology,
    watched: { model: plan.model, devices: plan.devices },
    options,
  });
  const streams = new Streams();
  spawnActors(system, { pools, plan, streams, options, write });
  const deadlineMs = ports.clock.now() + OPEN_DEADLINE_MS;
  let isClosed = false;
  const close = async (): Promise<void> => {
    if (isClosed) return;
    isClosed = true;
    await observation.close();
    system.shutdown();
    await topology.shutdown();
    await Promise.all([pools.compile.close(), pools.reading.close()]);
  };
  try {
    await system.request(SERVER, 'server.await', {}, { deadlineMs });
  } catch (error) {
    await close();
    throw error;
  }
  const files = new SessionFiles({
    folder: options.sessionDir,
    nextId: () => ports.ids.next('saving'),
  });
  const { calls, views, watch, observing, trace } = observation;
  const text = new TextPort({ system, streams, clock: ports.clock, files, calls });
  const serving = new ServingPort({ system, topology, options, text, calls, views, watch, trace });
  return {
    serving,
    text,
    observing,
    trafficSink: trace,
    topology,
    pool: pools.compile,
    system,
    close,
  };
}

interface MainActors {
  readonly pools: ReturnType<typeof openPools>;
  readonly plan: ThreadPlan;
  readonly streams: Streams;
  readonly options: StartOptions;
  readonly write: (entry: LogEntry) => void;
}

/** The actors of the main thread; the server starts all others. */
function spawnActors(system: ActorSystem, main: MainActors): void {
  const { pools, plan, streams, options, write } = main;
  system.spawn('pool', taskPort, pools.compile);
  system.spawn('files', filesPort, { runner: pools.reading, closeFile });
  system.spawn('log', logPort, write);
  system.spawn('streams', textStreams, streams);
  system.spawn('server', server, {
    modelThreads: plan.model,
    preparationThreads: plan.preparation,
    devices: plan.devices,
    waitingMax: options.queueMax,
    sessions: { idleMs: options.sessionIdleMs, evicted: options.evictedSessions },
    wallTime: () => options.ports.clock.wallTime(),
  });
}

function openPools(): { readonly compile: TaskPool; readonly reading: TaskPool } {
  // One core is left to who serves meanwhile.
  const most = Math.max(1, Math.min(4, availableParallelism() - 1));
  return {
    compile: new TaskPool({ entry: 'compile', least: 1, most }),
    // They wait for disks.
    reading: new TaskPool({ entry: 'reading', least: 1, most: READING_THREADS }),
  };
}

function startTopology(
  { ports, log, metrics }: StartOptions,
  { threads }: ThreadPlan,
  main: ThreadsTransport,
): Promise<Topology> {
  return Topology.start({
    threads,
    clock: ports.clock,
    main,
    onLost(name, reason, willRestart) {
      log.error({ thread: name, willRestart }, `thread ${name} ended: ${reason}`);
    },
    onRestarted(name) {
      metrics.add('loom_restarts_total', { kind: 'thread' }, 1);
      log.info({ thread: name }, `thread ${name} was started anew`);
    },
  });
}

interface ThreadPlan {
  readonly model: readonly string[];
  readonly preparation: readonly string[];
  readonly devices: readonly ServerDevice[];
  readonly threads: readonly ThreadInput[];
}

/** What is asked for: the device that runs packages which name none, then the others. */
const devicesOf = ({
  device,
  memoryBytes,
  otherDevices = [],
}: StartOptions): readonly AskedDevice[] => [{ name: device, memoryBytes }, ...otherDevices];

function planThreads(options: StartOptions, chosen: readonly DeviceChoice[]): ThreadPlan {
  const { modelThreads, threads } = options;
  const numbered = (prefix: string, count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
  const model = numbered('model', modelThreads);
  const preparation = numbered('preparation', options.preparationThreads ?? PREPARATION_THREADS);
  const devices = chosen.map((choice, index) => ({
    ...choice,
    thread: index === 0 ? 'device' : `device-${index + 1}`,
  }));
  const program = (name: string): string => new URL(`./threads/${name}`, import.meta.url).href;
  return {
    model,
    preparation,
    devices,
    threads: [
      ...model.map((name) => ({ name, program: program('model.program.js'), settings: {} })),
      ...preparation.map((name) => ({
        name,
        program: program('preparation.program.js'),
        settings: {},
      })),
      ...devices.map(({ thread, adapter, memoryBytes }) => {
        const settings: DeviceSettings = { adapter, threads, memoryBytes, poison: false };
        return { name: thread, program: program('device.program.js'), settings };
      }),
    ],
  };
}

export async function checkPackage(options: ToolOptions): Promise<CheckReport> {
  const { checkWithServer } = await import('./edge/package-tools.js');
  return checkWithServer(options, startServer);
}

export async function reportPackage(options: ToolOptions): Promise<PackageReport> {
  const { reportOf } = await import('./edge/package-tools.js');
  return reportOf(options);
}

/** For `loom-serve replay`. */
export async function packageDigest(
  body: RegisterBody,
  options: StartOptions,
): Promise<string | null> {
  const { digestOf } = await import('./edge/package-digest.js');
  return digestOf(body, options);
}

/** For `loom-serve replay`. */
export async function startSimulated(options: SimulatedStart): Promise<SimulatedServer> {
  const { simulatedServer } = await import('./edge/simulated-server.js');
  return simulatedServer(options);
}

/** For `loom-serve trace`. */
export async function readTraceFile(options: TraceFileOptions): Promise<TraceSummary> {
  const { readTraceFile: read } = await import('./edge/trace-reader.js');
  return read(options);
}

/** The devices of this machine, for `loom-serve devices`. */
export async function listDevices(): Promise<readonly DeviceListing[]> {
  const { deviceListings } = await import('./edge/device-listing.js');
  return deviceListings();
}
