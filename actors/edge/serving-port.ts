/**
 * The actors as http sees them: `Serving` over asks to the server actor. Nothing is decided here;
 * calls become messages and summaries become the answers that http documents.
 */
import { StatusError } from '../../runtime/base/errors.js';
import { threadUsage } from '../../runtime/base/thread-usage.js';
import type { ActorSystem } from '../../runtime/system/system.js';
import type { HostUsage } from '../../runtime/threads/thread-control.js';
import type { Topology } from '../../runtime/threads/topology.js';
import type {
  ActorNode,
  CallOptions,
  FiniteCall,
  FiniteResult,
  MetricSink,
  ModelState,
  ModelSummary,
  Readiness,
  RegisterBody,
  RegisterOptions,
  Serving,
  StartOptions,
} from '../../http/serving.js';
import type { TextServing } from '../../http/text-serving.js';
import type { PackageLine } from '../../http/traffic/traffic-lines.js';
import type { DeviceSummary } from '../model/device-queue.js';
import type { DeploymentSummary } from '../model/deployment.js';
import type { GenerationSummary } from '../model/generation-base.js';
import { banksOf, modelStateOf } from './model-state.js';
import { packageDigest } from './package-digest.js';
import { locatePackage, type FileOptions } from './package-location.js';
import { POOL, SERVER } from '../protocol.js';
import type {
  FiniteAnswer,
  FiniteCall as SubmittedCall,
  NameBanks,
  PackageLocation,
} from '../protocol.js';
import { Canary } from './canary.js';
import { interrupted } from './interrupted.js';
import type { DeviceState, RegisterDeployment, ServerSummary } from '../system/server.js';
import type { PoolSummary } from '../system/task-port.js';
import { actorTree } from './actor-tree.js';
import type { OpenCalls } from './open-calls.js';
import type { ProgressWatch } from './progress-watch.js';
import type { ThreadViews } from './thread-views.js';
import type { TraceFile } from './trace-file.js';

/** Questions between actors are answered in microseconds; past this something is stuck. */
const DESCRIBE_DEADLINE_MS = 5_000;
/** A thread in the middle of a long call is left out of a scrape. */
const USAGE_PATIENCE_MS = 50;
/** A registration compiles; a removal waits for accepted work. */
const LIFECYCLE_DEADLINE_MS = 600_000;

type ServingTopology = Pick<Topology, 'names' | 'usage'>;

/** Of what the operator chose, what it looks at. */
export type ServingSettings = FileOptions & Pick<StartOptions, 'ports' | 'metrics'>;

export interface ServingPortOptions {
  readonly system: ActorSystem;
  readonly topology: ServingTopology;
  readonly options: ServingSettings;
  readonly text: TextServing;
  readonly calls: OpenCalls;
  readonly views: ThreadViews;
  readonly watch: ProgressWatch;
  /** Told which packages are registered; null: nothing is recorded. */
  readonly trace?: Pick<TraceFile, 'append'> | null;
}

export class ServingPort implements Serving {
  readonly #system: ActorSystem;
  readonly #topology: ServingTopology;
  readonly #options: ServingSettings;
  readonly #canary: Canary;
  readonly #calls: OpenCalls;
  readonly #views: ThreadViews;
  readonly #watch: ProgressWatch;
  readonly #trace: Pick<TraceFile, 'append'> | null;

  constructor(ports: ServingPortOptions) {
    const { system, topology, options, text, calls, views, watch } = ports;
    this.#trace = ports.trace ?? null;
    this.#calls = calls;
    this.#views = views;
    this.#watch = watch;
    this.#system = system;
    this.#topology = topology;
    this.#options = options;
    const infer = (call: FiniteCall, bounds: CallOptions) => this.infer(call, bounds);
    this.#canary = new Canary({ infer, text }, options.ports.clock);
  }

  /** No `await` on this way: it is that of every finite request. */
  infer(call: FiniteCall, { signal, deadlineMs }: CallOptions): Promise<FiniteResult> {
    const { requestId: label, model, body } = call;
    const submitted: SubmittedCall = { deployment: model, requestId: label, body };
    const ask = (): Promise<unknown> =>
      this.#system.request(SERVER, 'request.submit', submitted, { deadlineMs, signal, label });
    return this.#calls.hold(call, ask).then(
      (answer) => this.#resultOf(model, answer as FiniteAnswer),
      (error: unknown) => {
        throw interrupted(error, model);
      },
    );
  }

  #resultOf(model: string, answer: FiniteAnswer): FiniteResult {
    const { generation, units, cohortSize, queueMs, prepareMs, executeMs } = answer;
    this.#options.metrics.observe('loom_cohort_members', { model }, cohortSize);
    const timings = { queueMs, prepareMs, executeMs };
    return { model, generation, rows: answer.rows.map(floats), units, cohortSize, timings };
  }

  async models(): Promise<readonly ModelSummary[]> {
    const summaries = await this.#deployments();
    return summaries.flatMap((summary) => (summary.prepared ? [modelSummary(summary)] : []));
  }

  async model(id: string): Promise<ModelSummary> {
    const found = (await this.models()).find((model) => model.id === id);
    if (found !== undefined) return found;
    throw new StatusError('notFound', `no model '${id}' is serving`, { param: 'model' });
  }

  async register(body: RegisterBody, options: RegisterOptions): Promise<ModelState> {
    const { wait, isOfStart = false } = options;
    const location = locatePackage(body, this.#options);
    const noted = this.#note(body, location, isOfStart);
    const message: RegisterDeployment = { location, wait };
    const summary = (await this.#system.request(SERVER, 'deployment.register', message, {
      deadlineMs: this.#in(LIFECYCLE_DEADLINE_MS),
    })) as DeploymentSummary;
    await noted;
    return this.#stateOf(summary);
  }

  /** What was registered, where that is recorded. */
  async #note(body: RegisterBody, location: PackageLocation, isOfStart: boolean): Promise<void> {
    if (this.#trace === null) return;
    const atMs = this.#options.ports.clock.now();
    const digest = await packageDigest(location);
    const { id } = location;
    const line: PackageLine = { type: 'package', atMs, id, isOfStart, body, digest };
    this.#trace.append(line);
  }

  async unregister(id: string): Promise<ModelState> {
    const summary = (await this.#system.request(
      SERVER,
      'deployment.unregister',
      { id },
      { deadlineMs: this.#in(LIFECYCLE_DEADLINE_MS) },
    )) as DeploymentSummary;
    return this.#stateOf(summary);
  }

  async warmUp(id: string): Promise<ModelState> {
    return this.#tellBanks(id, 'banks.warm');
  }

  async deactivate(id: string): Promise<ModelState> {
    return this.#tellBanks(id, 'banks.deactivate');
  }

  async #tellBanks(id: string, kind: string): Promise<ModelState> {
    const summary = await this.#deployment(id);
    const on = await this.#deviceOf(summary);
    const ids = banksOf(summary, on?.summary ?? null).map((bank) => bank.id);
    const names: NameBanks = { ids };
    if (on !== null && ids.length > 0) {
      const deadlineMs = this.#in(LIFECYCLE_DEADLINE_MS);
      await this.#system.request(on.address, kind, names, { deadlineMs });
    }
    return this.#stateOf(summary);
  }

  async modelStates(): Promise<readonly ModelState[]> {
    return Promise.all((await this.#deployments()).map((summary) => this.#stateOf(summary)));
  }

  async modelState(id: string): Promise<ModelState> {
    return this.#stateOf(await this.#deployment(id));
  }

  async #deployment(id: string): Promise<DeploymentSummary> {
    const found = (await this.#deployments()).find((summary) => summary.id === id);
    if (found !== undefined) return found;
    throw new StatusError('notFound', `no model has the id '${id}'`, { param: 'model' });
  }

  async readiness(): Promise<Readiness> {
    const { state, devices } = await this.#server();
    if (state !== 'ready') return { ready: false, reasons: [`the server is ${state}`] };
    const deployments = await this.#deployments();
    const lost = deployments.filter(({ isRecovering }) => isRecovering);
    const reasons = [
      ...devices.flatMap(({ name, failure }) =>
        failure === null
          ? []
          : [`the device ${name} was lost and is being opened again: ${failure.message}`],
      ),
      ...lost.map(({ id, failure: cause }) => {
        const why = cause === null ? '' : `: ${cause.message}`;
        return `model ${id} was lost and is being brought back${why}`;
      }),
      ...(await this.#watch.orStuck(this.#canary.run(deployments))),
    ];
    return { ready: reasons.length === 0, reasons };
  }

  async describe(): Promise<ActorNode> {
    const views = await this.#views.look(false);
    return actorTree(views.flatMap(({ description }) => description ?? []));
  }

  async collect(sink: MetricSink): Promise<void> {
    for (const summary of await this.#deployments()) {
      const { id: model } = summary;
      const generation = await this.#generationOf(summary);
      sink.set('loom_queue_depth', { model }, generation?.waiting ?? 0);
      sink.set('loom_in_flight', { model }, generation?.requests ?? 0);
      sink.set('loom_specializations', { model }, generation?.specializations ?? 0);
    }
    await this.#collectThreads(sink);
    sink.set('loom_pool_tasks', {}, (await this.#pool()).started);
    for (const device of (await this.#server()).devices) {
      const summary = await this.#device(device);
      sink.set('loom_device_open', { device: device.name }, summary === null ? 0 : 1);
      // Between its loss and its opening there is nothing to tell of.
      if (summary !== null) collectDevice(sink, device.name, summary);
    }
    for (const [reason, count] of Object.entries(this.#system.deadLetters.counts())) {
      const known = this.#deadLetters.get(reason) ?? 0;
      if (count > known) sink.add('loom_dead_letters_total', { reason }, count - known);
      this.#deadLetters.set(reason, count);
    }
  }

  readonly #deadLetters = new Map<string, number>();

  async #collectThreads(sink: MetricSink): Promise<void> {
    const { timers } = this.#options.ports;
    let timer = 0;
    const patience = new Promise<null>((resolve) => {
      timer = timers.start(USAGE_PATIENCE_MS, () => resolve(null));
    });
    const messages = this.#system.counters.messages;
    collectThread(sink, 'main', { ...threadUsage(false), messages });
    const ask = async (thread: string): Promise<void> => {
      const usage = await Promise.race([this.#topology.usage(thread), patience]);
      if (usage !== null) collectThread(sink, thread, usage);
    };
    await Promise.all(this.#topology.names.map(ask));
    timers.cancel(timer);
  }

  async drain(boundMs: number): Promise<void> {
    const options = { deadlineMs: this.#in(boundMs + DESCRIBE_DEADLINE_MS) };
    await this.#system.request(SERVER, 'server.drain', { boundMs }, options).catch(() => undefined);
  }

  #in(ms: number): number {
    return this.#options.ports.clock.now() + ms;
  }

  #describeAt(address: string, kind: string): Promise<unknown> {
    return this.#system.request(address, kind, {}, { deadlineMs: this.#in(DESCRIBE_DEADLINE_MS) });
  }

  async #server(): Promise<ServerSummary> {
    return (await this.#describeAt(SERVER, 'server.describe')) as ServerSummary;
  }

  /** Null between its loss and its opening. */
  async #device({ address, failure }: DeviceState): Promise<DeviceSummary | null> {
    if (failure !== null) return null;
    const described = this.#describeAt(address, 'device.describe');
    return described.then((summary) => summary as DeviceSummary).catch(() => null);
  }

  /** The device that a deployment is on. */
  async #deviceOf({ device }: DeploymentSummary): Promise<DeviceOf | null> {
    const { devices } = await this.#server();
    const on = devices.find(({ name }) => name === device);
    const summary = on === undefined ? null : await this.#device(on);
    return summary === null ? null : { address: on!.address, summary };
  }

  /** Deployments that end between the two questions are left out. */
  async #deployments(): Promise<DeploymentSummary[]> {
    const { deployments } = await this.#server();
    const asked = deployments.map(([, at]) => this.#describeAt(at, 'deployment.describe'));
    const answers = await Promise.allSettled(asked);
    return answers.flatMap((answer) =>
      answer.status === 'fulfilled' ? [answer.value as DeploymentSummary] : [],
    );
  }

  async #pool(): Promise<PoolSummary> {
    return (await this.#describeAt(POOL, 'pool.describe')) as PoolSummary;
  }

  async #stateOf(summary: DeploymentSummary): Promise<ModelState> {
    const [generation, on] = await Promise.all([
      this.#generationOf(summary),
      this.#deviceOf(summary),
    ]);
    return modelStateOf(summary, { generation, device: on?.summary ?? null });
  }

  /** Null when none serves, or when it ended meanwhile. */
  async #generationOf({ address }: DeploymentSummary): Promise<GenerationSummary | null> {
    if (address === null) return null;
    const asked = this.#describeAt(address, 'generation.describe').catch(() => null);
    return (await asked) as GenerationSummary | null;
  }
}

function collectThread(sink: MetricSink, thread: string, usage: HostUsage): void {
  sink.set('loom_thread_busy_seconds', { thread }, usage.busyMs / 1000);
  sink.set('loom_thread_heap_bytes', { thread }, usage.heapBytes);
  sink.set('loom_thread_messages', { thread }, usage.messages);
}

interface DeviceOf {
  /** Of its queue. */
  readonly address: string;
  readonly summary: DeviceSummary;
}

function collectDevice(sink: MetricSink, name: string, device: DeviceSummary): void {
  sink.set('loom_device_executables', { device: name }, device.executables);
  sink.set('loom_device_budget_bytes', { device: name }, device.budget);
  const totals = new Map<string, number>();
  for (const { kind, bytes } of device.byOwner) {
    totals.set(kind, (totals.get(kind) ?? 0) + bytes);
  }
  for (const owner of ['bank', 'generation', 'invocation', 'row', 'result', 'request']) {
    sink.set('loom_device_bytes', { device: name, owner }, totals.get(owner) ?? 0);
  }
  for (const { deployment: model, evictions } of device.rows) {
    sink.set('loom_row_evictions', { model }, evictions);
  }
}

function modelSummary(summary: DeploymentSummary): ModelSummary {
  return {
    id: summary.id,
    profile: summary.location?.document.profile ?? 'unknown',
    generation: summary.generation,
    createdS: Math.floor(summary.createdMs / 1000),
  };
}

/** Rows arrive as bytes of their own; f32 in the machine's order is what every client gets. */
function floats(bytes: Uint8Array): Float32Array {
  if (bytes.byteOffset % 4 === 0) {
    return new Float32Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.length / 4);
  }
  return new Float32Array(bytes.slice().buffer);
}
