/**
 * The table of every metric that the server publishes, and the text that prom-client makes of it.
 * `metricTable` is the contract: the collector in actors/ names metrics by it, an unknown name or a
 * missing label is a bug. http records requests and durations itself; gauges are set by
 * `Serving.collect` before a scrape.
 */
import type { Metric } from 'prom-client';
import { assert } from '../runtime/base/errors.js';
import { Series } from './series.js';
import type { SeriesRow } from './series.js';
import type { Labels, MetricSink } from './serving.js';

/** Seconds; from 100 µs, a small request on an idle machine, to the default request timeout. */
const secondBuckets = [1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 0.01, 0.025, 0.1, 0.5, 1, 5, 30, 60];
const countBuckets = [1, 2, 4, 8, 16, 32, 64, 128, 256];

export const metricTable = {
  // Recorded by http.
  loom_requests_total: {
    kind: 'counter',
    help: 'Requests by route, model and outcome (ok, or a status code of the error table).',
    labels: ['route', 'model', 'outcome'],
  },
  loom_request_seconds: {
    kind: 'histogram',
    help: 'From the first byte of a request to the answer being ready.',
    labels: ['route', 'model'],
    buckets: secondBuckets,
  },
  loom_queue_seconds: {
    kind: 'histogram',
    help: 'Time that a request waited to enter a cohort.',
    labels: ['model'],
    buckets: secondBuckets,
  },
  loom_prepare_seconds: {
    kind: 'histogram',
    help: 'Time in prepare_request and prepare_batch.',
    labels: ['model'],
    buckets: secondBuckets,
  },
  loom_execute_seconds: {
    kind: 'histogram',
    help: 'Time from submission to retirement.',
    labels: ['model'],
    buckets: secondBuckets,
  },
  loom_time_to_first_token_seconds: {
    kind: 'histogram',
    help: 'From the first byte of a request to the first token of each of its choices.',
    labels: ['model'],
    buckets: secondBuckets,
  },
  loom_inter_token_seconds: {
    kind: 'histogram',
    help: 'Between two tokens of a choice, where its reader did not hold it up.',
    labels: ['model'],
    buckets: secondBuckets,
  },
  loom_prompt_seconds: {
    kind: 'histogram',
    help: 'From the first span of a prompt to the first token after it.',
    labels: ['model'],
    buckets: secondBuckets,
  },
  loom_generate_seconds: {
    kind: 'histogram',
    help: 'From the first token of a choice to its last.',
    labels: ['model'],
    buckets: secondBuckets,
  },
  loom_prompt_tokens_total: {
    kind: 'counter',
    help: 'Tokens of prompts.',
    labels: ['model'],
  },
  loom_cached_tokens_total: {
    kind: 'counter',
    help: 'Tokens of prompts that had been computed before.',
    labels: ['model'],
  },
  loom_generation_tokens_total: {
    kind: 'counter',
    help: 'Tokens that were generated.',
    labels: ['model'],
  },
  loom_drafted_tokens_total: {
    kind: 'counter',
    help: 'Tokens that were proposed.',
    labels: ['model'],
  },
  loom_accepted_tokens_total: {
    kind: 'counter',
    help: 'Proposed tokens that were accepted.',
    labels: ['model'],
  },
  loom_finished_total: {
    kind: 'counter',
    help: 'Generated choices by the reason for their end (stop, length).',
    labels: ['model', 'reason'],
  },
  // Recorded by the actors, as it happens.
  loom_cohort_members: {
    kind: 'histogram',
    help: 'Requests that shared one invocation.',
    labels: ['model'],
    buckets: countBuckets,
  },
  loom_dead_letters_total: {
    kind: 'counter',
    help: 'Messages that reached no actor, by reason.',
    labels: ['reason'],
  },
  loom_restarts_total: {
    kind: 'counter',
    help: 'Restarts by the kind of thread or actor.',
    labels: ['kind'],
  },
  // Set by `collect`.
  loom_queue_depth: {
    kind: 'gauge',
    help: 'Prepared requests that wait for a cohort.',
    labels: ['model'],
  },
  loom_in_flight: {
    kind: 'gauge',
    help: 'Accepted requests without an answer yet.',
    labels: ['model'],
  },
  loom_device_open: {
    kind: 'gauge',
    help: 'Whether a device is open: 0 while it is brought back.',
    labels: ['device'],
  },
  loom_device_bytes: {
    kind: 'gauge',
    help: 'Bytes of device memory by owner (bank, generation, invocation, row, result, request).',
    labels: ['device', 'owner'],
  },
  loom_row_evictions: {
    kind: 'gauge',
    help: 'Times that the rows of a text model had to leave because others needed their memory.',
    labels: ['model'],
  },
  loom_device_budget_bytes: {
    kind: 'gauge',
    help: 'The memory budget of a device.',
    labels: ['device'],
  },
  loom_device_executables: {
    kind: 'gauge',
    help: 'Compiled stages that are loaded on a device.',
    labels: ['device'],
  },
  loom_pool_tasks: {
    kind: 'gauge',
    help: 'Parse and compile tasks that the pool has started since the server started.',
    labels: [],
  },
  loom_specializations: {
    kind: 'gauge',
    help: 'Specialized stages in the cache.',
    labels: ['model'],
  },
  loom_thread_busy_seconds: {
    kind: 'gauge',
    help: 'Time in which the event loop of a thread had something to do, since its start.',
    labels: ['thread'],
  },
  loom_thread_messages: {
    kind: 'gauge',
    help: 'Messages that the actors of a thread have handled, since its start.',
    labels: ['thread'],
  },
  loom_thread_heap_bytes: {
    kind: 'gauge',
    help: 'JavaScript heap of a thread.',
    labels: ['thread'],
  },
  // Set by http.
  loom_open_requests: {
    kind: 'gauge',
    help: 'Requests with a deadline that are being answered, by their ids.',
    labels: [],
  },
  loom_open_streams: {
    kind: 'gauge',
    help: 'Answers that are being streamed.',
    labels: [],
  },
  loom_stream_held_bytes: {
    kind: 'gauge',
    help: 'Bytes of streams that their readers have not taken.',
    labels: [],
  },
  loom_process_bytes: {
    kind: 'gauge',
    help: 'Memory of the process: resident set, JavaScript heap of the main thread, external.',
    labels: ['kind'],
  },
} as const satisfies Record<string, SeriesRow>;

export type MetricName = keyof typeof metricTable;

/** A registry of `metricTable`, filled through the `MetricSink` face. */
export class Metrics implements MetricSink {
  readonly #series = new Map<string, Series>();

  constructor() {
    for (const [name, row] of Object.entries<SeriesRow>(metricTable)) {
      this.#series.set(name, new Series(name, row));
    }
  }

  add(name: string, labels: Labels, amount: number): void {
    this.#find(name, 'counter').add(labels, amount);
  }

  set(name: string, labels: Labels, value: number): void {
    this.#find(name, 'gauge').set(labels, value);
  }

  observe(name: string, labels: Labels, value: number): void {
    this.#find(name, 'histogram').observe(labels, value);
  }

  setProcessBytes(): void {
    const { rss, heapUsed, external } = process.memoryUsage();
    for (const [kind, bytes] of Object.entries({ rss, heapUsed, external })) {
      this.set('loom_process_bytes', { kind }, bytes);
    }
  }

  /** Gauges of deployments that are gone must not linger: `collect` sets those that live. */
  resetGauges(): void {
    for (const series of this.#series.values()) if (series.type === 'gauge') series.reset();
  }

  /** What a scrape gets. prom-client is loaded by the first one: a start must not wait for it. */
  async text(): Promise<{ readonly type: string; readonly text: string }> {
    const { Registry } = await import('prom-client');
    const registry = new Registry();
    // The registry asks a metric for its name and its values, and these have both.
    for (const series of this.#series.values())
      registry.registerMetric(series as unknown as Metric);
    return { type: registry.contentType, text: await registry.metrics() };
  }

  #find(name: string, kind: SeriesRow['kind']): Series {
    const series = this.#series.get(name);
    assert(series !== undefined && series.type === kind, `${name} to be a ${kind} of metricTable`);
    return series;
  }
}
