/**
 * A ground for scenarios in simulation: the application of http over the real actors, everything in
 * one thread, under a seed, with the laws of every run. Calls go in and answers come out as over a
 * socket, but for the bytes of HTTP.
 *
 * Holds: the world makes a step only when nothing is left to do in promises, so a seed is a run.
 */
import { OpenCalls } from '../../actors/edge/open-calls.js';
import { ProgressWatch } from '../../actors/edge/progress-watch.js';
import { ServingPort } from '../../actors/edge/serving-port.js';
import { SessionFiles } from '../../actors/edge/session-files.js';
import { Streams, TextPort } from '../../actors/edge/text-port.js';
import { ThreadViews } from '../../actors/edge/thread-views.js';
import { SERVER } from '../../actors/protocol.js';
import { createApp } from '../../http/app.js';
import type { LoomApp } from '../../http/context.js';
import { Metrics } from '../../http/metrics.js';
import { OpenRequests } from '../../http/open-requests.js';
import { defaultLimits } from '../../http/services.js';
import type { Ports } from '../../runtime/base/ports.js';
import type { SystemRecord } from '../../runtime/system/recorder.js';
import type { SimulatedStep } from '../../runtime/system/transports/simulated.js';
import type { Topology } from '../../runtime/threads/topology.js';
import type {
  Answer,
  Ground,
  ReachedMoment,
  Release,
  Transitions,
} from '../../scenarios/ground.js';
import { answerOf, requestOf } from '../../scenarios/http-ground.js';
import type { Call, Fault, Held, ServerSettings } from '../../scenarios/scenario.js';
import { SimulatedOutgoing, type Head } from '../../scenarios/replay/simulated-outgoing.js';
import { reachedIn } from '../../scenarios/transitions.js';
import { FakeObserving } from '../http/fake-observing.js';
import type { DiskPackages } from './disk-packages.js';
import { Laws } from './laws.js';
import { MEMORY_BYTES_MAX, SimulatedServer } from './simulated-server.js';

const BUFFER_BYTES = 16 * 1024;
const READY_MS = 10_000;
const DEVICE = 'device:/device';
const silent = { debug() {}, info() {}, warn() {}, error() {} };

/** The laws see everything; whoever waits for a transition is told at once. */
class Watch extends Laws implements Transitions {
  readonly #waiters = new Set<{ what: string; sinceMs: number; left: number; done: () => void }>();
  /** Something of the world of promises may have to be done. */
  hasNews = true;

  async begin(): Promise<void> {}
  async close(): Promise<void> {}

  reached({ machine, state, times }: ReachedMoment, sinceMs: number): Promise<void> {
    return new Promise((done) => {
      this.#waiters.add({ what: `${machine}.${state}`, sinceMs, left: times, done });
    });
  }

  override record(thread: string, record: SystemRecord): void {
    super.record(thread, record);
    const reached = reachedIn(record);
    if (reached === null) return;
    for (const waiter of this.#waiters) {
      if (waiter.what !== reached.what || reached.atMs < waiter.sinceMs) continue;
      waiter.left -= 1;
      if (waiter.left > 0) continue;
      this.#waiters.delete(waiter);
      this.hasNews = true;
      waiter.done();
    }
  }

  override step(step: SimulatedStep): void {
    super.step(step);
    if (step.thread === 'main') this.hasNews = true;
  }
}

export interface ScenarioWorldOptions {
  readonly seed: number;
  readonly settings: ServerSettings;
  readonly packages: DiskPackages;
  readonly withTrace?: boolean;
}

export class ScenarioWorld {
  readonly watch: Watch;
  readonly server: SimulatedServer;
  readonly ground: Ground;
  readonly #serving: ServingPort;
  readonly #app: LoomApp;

  constructor({ seed, settings, packages, withTrace = false }: ScenarioWorldOptions) {
    const watch = new Watch({ withTrace });
    const streams = new Streams();
    this.watch = watch;
    this.server = new SimulatedServer({
      seed,
      modelThreads: ['model-0'],
      memoryBytes: settings.memoryBytes ?? MEMORY_BYTES_MAX,
      waitingMax: settings.queueMax ?? 4_096,
      sessionIdleMs: 600_000,
      travelMs: 1,
      failures: 0,
      unread: 0,
      slow: 0,
      unallocated: 0,
      unopened: 0,
      watch,
      packages,
      readers: streams,
    });
    const { world, systems } = this.server;
    watch.now = () => world.time.nowMs;
    const { ports } = systems.get('main')!;
    const { app, serving } = this.#compose(ports, streams);
    this.#app = app;
    this.#serving = serving;
    this.ground = {
      clock: ports.clock,
      timers: ports.timers,
      transitions: watch,
      harm: (fault) => this.#harm(fault),
      hold: (what) => this.#hold(what),
      fetch: (call, signal) => this.#fetch(call, signal),
    };
  }

  /** Makes steps until the work is done. */
  async run<Result>(work: Promise<Result>): Promise<Result> {
    let isDone = false;
    const over = (): void => void (isDone = true);
    work.then(over, over);
    while (!isDone) {
      if (this.watch.hasNews) await promisesDone();
      this.watch.hasNews = false;
      if (isDone) break;
      // Where nothing can happen any more, promises may still have something to do.
      if (this.server.world.run({ stepsMax: 1 })) this.watch.hasNews = true;
    }
    return work;
  }

  /** The device is open. */
  async ready(): Promise<void> {
    const deadlineMs = this.ground.clock.now() + READY_MS;
    const main = this.server.systems.get('main')!;
    await main.request(SERVER, 'server.await', {}, { deadlineMs });
  }

  drain(): Promise<void> {
    return this.run(this.#serving.drain(1_000));
  }

  async #harm(fault: Fault): Promise<void> {
    if (fault.kind === 'kill') this.server.kill(fault.thread);
    else this.server.loseDevice();
  }

  async #hold({ kind }: Held): Promise<Release> {
    if (kind === 'block') throw new Error('a simulated thread cannot be blocked');
    const main = this.server.systems.get('main')!;
    main.tell(DEVICE, 'work.hold', { label: '' });
    const deadlineMs = this.ground.clock.now() + READY_MS;
    await main.request(DEVICE, 'device.describe', {}, { deadlineMs });
    return () => main.tell(DEVICE, 'work.hold', { label: null });
  }

  #compose(ports: Ports, streams: Streams): { app: LoomApp; serving: ServingPort } {
    const system = this.server.systems.get('main')!;
    const topology = this.#topology();
    const { clock, timers } = ports;
    const metrics = new Metrics();
    const calls = new OpenCalls(clock);
    const files = new SessionFiles({ folder: null, nextId: () => ports.ids.next('saving') });
    const text = new TextPort({ system, streams, clock, files, calls });
    const options = {
      device: 'local',
      threads: 1,
      modelThreads: 1,
      memoryBytes: null,
      parameterRoots: [],
      packageRoots: [],
      cacheDir: null,
      sessionDir: null,
      recordFile: null,
      queueMax: 4_096,
      requestTimeoutMs: defaultLimits.requestTimeoutMs,
      ports,
      metrics,
      log: silent,
    };
    const views = new ThreadViews({ system, topology, timers });
    const watch = new ProgressWatch({ topology, watched: { model: [], devices: [] }, ports });
    const serving = new ServingPort({ system, topology, options, text, calls, views, watch });
    const app = createApp({
      serving,
      text,
      observing: new FakeObserving(),
      open: new OpenRequests(),
      spans: null,
      ports,
      metrics,
      log: silent,
      limits: { ...defaultLimits, streamBufferBytes: BUFFER_BYTES },
      admin: { loopback: true, token: null },
      version: 'simulated',
      isStarting: () => false,
      isDraining: () => false,
    });
    return { app, serving };
  }

  /** Of threads that are virtual, what the edges ask. */
  #topology(): Topology {
    const { systems } = this.server;
    const topology = {
      names: ['model-0', 'preparation-0', 'device'],
      describe: async (name: string) => systems.get(name)?.describe() ?? null,
      usage: async () => null,
      pulse: async () => null,
    };
    return topology as unknown as Topology;
  }

  async #fetch(call: Call, signal: AbortSignal): Promise<Answer> {
    const outgoing = new SimulatedOutgoing();
    const left = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        outgoing.destroy();
        reject(new Error('the client left'));
      });
    });
    this.watch.hasNews = true;
    const request = new Request(`http://localhost${call.path}`, requestOf(call));
    request.headers.set('host', 'localhost');
    const answered = Promise.resolve(this.#app.fetch(request, { outgoing }));
    // One that streams writes its head itself, and its own answer says nothing.
    const whole = answered.then<Head | Response>((response) =>
      response.headers.has('x-hono-already-sent') ? outgoing.head : response,
    );
    const first = await Promise.race([whole, outgoing.head, left]);
    if (!(first instanceof Response)) return { ...first, body: outgoing.body() };
    // Read whole before anybody else may step in.
    const bytes = new Uint8Array(await first.arrayBuffer());
    outgoing.finish();
    return answerOf(new Response(bytes, first));
  }
}

/** Rounds of the event loop within which every promise that can settle has done so. */
const ROUNDS = 3;

async function promisesDone(): Promise<void> {
  for (let round = 0; round < ROUNDS; round += 1) {
    await new Promise<void>((done) => void setImmediate(done));
  }
}
