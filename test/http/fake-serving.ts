/**
 * A server in memory behind the seam of http/serving.ts: answers the first-output rule, keeps what
 * it was asked, and can be told to wait or to fail. Tests of http run against it.
 */
import { StatusError } from '../../runtime/base/errors.js';
import type {
  CallOptions,
  FiniteCall,
  FiniteResult,
  MetricSink,
  ModelState,
  ModelSummary,
  Readiness,
  RegisterBody,
  Serving,
} from '../../http/serving.js';
import { memberCount } from '../../runtime/profiles/finite-request.js';
import type { EmbeddingInput, EmbeddingsBody } from '../../runtime/profiles/embeddings.js';
import { firstOutput } from './first-output-rule.js';

export class FakeServing implements Serving {
  readonly calls: FiniteCall[] = [];
  readonly registrations: RegisterBody[] = [];
  readonly aborted: string[] = [];
  readonly ids = new Set(['first-output']);
  /** Thrown by the next calls, in order. */
  readonly failures: Error[] = [];
  ready: Readiness = { ready: true, reasons: [] };
  /** A call waits for this and for its own abort. */
  gate: Promise<void> | null = null;
  drained = 0;
  /** What decisions are answered with. */
  distributions: readonly Float32Array[] = [];

  /** The body of a call for embeddings. */
  embedding(at: number): EmbeddingsBody {
    const body = this.calls[at]?.body;
    if (body?.profile === 'embeddings') return body;
    throw new Error(`call ${at} is none for embeddings`);
  }

  async infer(call: FiniteCall, options: CallOptions): Promise<FiniteResult> {
    const { body } = call;
    this.calls.push(call);
    this.#failOnce();
    if (!this.ids.has(call.model)) throw missing(call.model);
    if (body.profile === 'embeddings' && body.dimensions !== 0 && body.dimensions !== 8) {
      throw new StatusError('invalidArgument', 'dimensions: first-output has 8 values', {
        param: 'dimensions',
      });
    }
    options.signal.addEventListener('abort', () => this.aborted.push(call.requestId));
    if (this.gate !== null) await this.gate;
    const rows = body.profile === 'embeddings' ? embed(body) : this.distributions;
    return {
      model: call.model,
      generation: 1,
      rows,
      units: body.profile === 'embeddings' ? bytesIn(body) : memberCount(body),
      cohortSize: 1,
      timings: { queueMs: 1, prepareMs: 2, executeMs: 3 },
    };
  }

  async models(): Promise<readonly ModelSummary[]> {
    return [...this.ids].map(summaryOf);
  }

  async model(id: string): Promise<ModelSummary> {
    if (!this.ids.has(id)) throw missing(id);
    return summaryOf(id);
  }

  async register(body: RegisterBody, options: { wait: boolean }): Promise<ModelState> {
    this.registrations.push(body);
    this.#failOnce();
    const id = body.kind === 'package' ? (body.package.split('/').at(-1) ?? '') : body.id;
    this.ids.add(id);
    return { ...stateOf(id), state: options.wait ? 'serving' : 'registering' };
  }

  async unregister(id: string): Promise<ModelState> {
    if (!this.ids.delete(id)) throw missing(id);
    return { ...stateOf(id), state: 'removed' };
  }

  async warmUp(id: string): Promise<ModelState> {
    return this.modelState(id);
  }

  async deactivate(id: string): Promise<ModelState> {
    return this.modelState(id);
  }

  async modelStates(): Promise<readonly ModelState[]> {
    return [...this.ids].map(stateOf);
  }

  async modelState(id: string): Promise<ModelState> {
    if (!this.ids.has(id)) throw missing(id);
    return stateOf(id);
  }

  async readiness(): Promise<Readiness> {
    return this.ready;
  }

  async describe() {
    return { address: '/', state: 'ready', thread: 'main', children: [] };
  }

  async collect(sink: MetricSink): Promise<void> {
    for (const model of this.ids) sink.set('loom_queue_depth', { model }, 3);
  }

  async drain(): Promise<void> {
    this.drained += 1;
  }

  #failOnce(): void {
    const failure = this.failures.shift();
    if (failure !== undefined) throw failure;
  }
}

function embed({ inputs }: EmbeddingsBody): Float32Array[] {
  return inputs.map((input) => firstOutput(bytesOf(input)));
}

function bytesIn({ inputs }: EmbeddingsBody): number {
  return inputs.reduce((sum, input) => sum + bytesOf(input).length, 0);
}

function bytesOf(input: EmbeddingInput): Uint8Array {
  return input.kind === 'text'
    ? new TextEncoder().encode(input.text)
    : Uint8Array.from(input.tokens);
}

function missing(id: string): StatusError {
  return new StatusError('notFound', `no model "${id}" is served`, { param: 'model' });
}

function summaryOf(id: string): ModelSummary {
  return { id, profile: 'embeddings', generation: 1, createdS: 1_700_000_000.5 };
}

function stateOf(id: string): ModelState {
  return {
    id,
    state: 'serving',
    profile: 'embeddings',
    generation: 1,
    device: 'local',
    unitsMax: 4096,
    inFlight: 0,
    waiting: 0,
    stages: [],
    memory: { preparedPeakBytes: 1, residentBytes: 0, hostStateBytes: 0, byOwner: {} },
    banks: [],
    rows: null,
    package: `/packages/${id}`,
    error: null,
  };
}
