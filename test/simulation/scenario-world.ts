/**
 * A ground for scenarios in simulation: the application of http over the real actors, everything in
 * one thread, under a seed, with the laws of every run. Calls go in and answers come out as over a
 * socket, but for the bytes of HTTP.
 */
import { SimulatedEdges } from '../../actors/edge/simulated-edges.js';
import { SimulatedSteps } from '../../actors/edge/simulated-steps.js';
import { Streams } from '../../actors/edge/text-port.js';
import { SERVER } from '../../actors/protocol.js';
import { createApp } from '../../http/app.js';
import type { LoomApp } from '../../http/context.js';
import { Metrics } from '../../http/metrics.js';
import { OpenRequests } from '../../http/open-requests.js';
import { defaultLimits } from '../../http/services.js';
import type { SystemRecord } from '../../runtime/system/recorder.js';
import type { SimulatedStep } from '../../runtime/system/transports/simulated.js';
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

/** Packages lie where a scenario says, and no session is saved. */
const folders = { parameterRoots: [], packageRoots: [], cacheDir: null, sessionDir: null };

/** The laws see everything; whoever waits for a transition is told at once. */
class Watch extends Laws implements Transitions {
  readonly #waiters = new Set<{ what: string; sinceMs: number; left: number; done: () => void }>();
  /** Something of the world of promises may have to be done. */
  onNews: () => void = () => {};

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
      this.onNews();
      waiter.done();
    }
  }

  override step(step: SimulatedStep): void {
    super.step(step);
    if (step.thread === 'main') this.onNews();
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
  readonly #steps: SimulatedSteps;
  readonly #edges: SimulatedEdges;
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
    const { world, threads } = this.server;
    const { ports } = threads.main;
    const steps = new SimulatedSteps(world);
    const metrics = new Metrics();
    const start = { ...folders, ports, metrics };
    watch.now = () => world.time.nowMs;
    watch.onNews = () => steps.news();
    this.#steps = steps;
    this.#edges = new SimulatedEdges({ threads, steps, streams, start });
    this.#app = appOf(this.#edges, metrics);
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
  run<Result>(work: Promise<Result>): Promise<Result> {
    return this.#steps.run(work);
  }

  /** The device is open. */
  async ready(): Promise<void> {
    const deadlineMs = this.ground.clock.now() + READY_MS;
    const { main } = this.server.threads;
    await main.request(SERVER, 'server.await', {}, { deadlineMs });
  }

  drain(): Promise<void> {
    return this.run(this.#edges.serving.drain(1_000));
  }

  async #harm(fault: Fault): Promise<void> {
    if (fault.kind === 'kill') this.server.kill(fault.thread);
    else this.server.loseDevice();
  }

  async #hold({ kind }: Held): Promise<Release> {
    if (kind === 'block') throw new Error('a simulated thread cannot be blocked');
    const { main } = this.server.threads;
    main.tell(DEVICE, 'work.hold', { label: '' });
    const deadlineMs = this.ground.clock.now() + READY_MS;
    await main.request(DEVICE, 'device.describe', {}, { deadlineMs });
    return () => main.tell(DEVICE, 'work.hold', { label: null });
  }

  async #fetch(call: Call, signal: AbortSignal): Promise<Answer> {
    const outgoing = new SimulatedOutgoing();
    const left = new Promise<never>((_, reject) => {
      signal.addEventListener('abort', () => {
        outgoing.destroy();
        reject(new Error('the client left'));
      });
    });
    this.#steps.news();
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

function appOf({ serving, text, ports }: SimulatedEdges, metrics: Metrics): LoomApp {
  return createApp({
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
}
