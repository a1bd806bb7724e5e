/**
 * Sends spans of requests to an OpenTelemetry collector (OTLP over HTTP), in batches and behind the
 * requests' backs: a collector that is slow or gone costs spans, never a request. The packages that
 * do it are optional and loaded only when an operator asks.
 */
import type { Context, Tracer } from '@opentelemetry/api';
import type { TracerProvider } from '@opentelemetry/sdk-trace';
import type { Clock } from '../runtime/base/ports.js';
import { StatusError } from '../runtime/base/errors.js';
import { spanAttributes, spanName, spanPhases } from './request-spans.js';
import type { EndedRequest, RequestSpans } from './request-spans.js';
import type { Log } from './serving.js';

export interface OtlpOptions {
  /** The collector; spans go to `/v1/traces` below it. */
  readonly url: string;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** For one batch, and for all that is left at the end. */
  readonly patienceMs?: number;
}

/** Spans that wait for a collector; more are lost. */
const QUEUED_MAX = 8192;
const PATIENCE_MS = 5_000;

type Otel = Awaited<ReturnType<typeof loadOtel>>;

async function loadOtel() {
  try {
    const [api, core, exporter, resources, trace] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/core'),
      import('@opentelemetry/exporter-trace-otlp-http'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace'),
    ]);
    return { api, core, exporter, resources, trace };
  } catch (cause) {
    throw new StatusError(
      'failedPrecondition',
      '--otel needs the optional @opentelemetry packages, which are not installed here; npm ci' +
        ` without --omit=optional installs them (${(cause as Error).message})`,
    );
  }
}

export async function openOtlpSpans(options: OtlpOptions): Promise<RequestSpans> {
  const otel = await loadOtel();
  const { url, version, log, clock, patienceMs = PATIENCE_MS } = options;
  const say = (text: string): void => log.warn({ collector: url }, `OpenTelemetry: ${text}`);
  const quiet = (): void => {};
  const logger = { error: say, warn: quiet, info: quiet, debug: quiet, verbose: quiet };
  otel.api.diag.setLogger(logger, otel.api.DiagLogLevel.ERROR);
  const exporter = new otel.exporter.OTLPTraceExporter({
    url: `${url.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: patienceMs,
  });
  const batches = new otel.trace.BatchSpanProcessor({ exporter, maxQueueSize: QUEUED_MAX });
  const provider = new otel.trace.TracerProvider({
    resource: otel.resources.resourceFromAttributes({
      'service.name': 'loom-serve',
      'service.version': version,
    }),
    spanProcessors: [batches],
  });
  return new OtlpSpans({ otel, provider, clock, say, patienceMs });
}

interface OtlpParts {
  readonly otel: Otel;
  readonly provider: TracerProvider;
  readonly clock: Clock;
  readonly say: (text: string) => void;
  readonly patienceMs: number;
}

class OtlpSpans implements RequestSpans {
  readonly #otel: Otel;
  readonly #provider: TracerProvider;
  readonly #tracer: Tracer;
  readonly #clock: Clock;
  readonly #say: (text: string) => void;
  readonly #patienceMs: number;

  constructor({ otel, provider, clock, say, patienceMs }: OtlpParts) {
    this.#otel = otel;
    this.#provider = provider;
    this.#tracer = provider.getTracer('loom-serve');
    this.#clock = clock;
    this.#say = say;
    this.#patienceMs = patienceMs;
  }

  ended(request: EndedRequest): void {
    const { SpanKind, SpanStatusCode, trace } = this.#otel.api;
    const endMs = this.#clock.wallTime();
    const startMs = endMs - request.elapsedMs;
    const options = {
      kind: SpanKind.SERVER,
      startTime: startMs,
      attributes: spanAttributes(request),
    };
    const parent = this.#parentOf(request.traceparent);
    const span = this.#tracer.startSpan(spanName(request), options, parent);
    const below = trace.setSpan(parent, span);
    for (const { name, fromMs, toMs } of spanPhases(request)) {
      this.#tracer.startSpan(name, { startTime: startMs + fromMs }, below).end(startMs + toMs);
    }
    if (request.status >= 500) {
      span.setStatus({ code: SpanStatusCode.ERROR, message: request.error?.message });
    }
    span.end(endMs);
  }

  async close(): Promise<void> {
    const told = (error: unknown): void => this.#say(`spans were lost: ${String(error)}`);
    await this.#provider.forceFlush({ timeoutMillis: this.#patienceMs }).catch(told);
    await this.#provider.shutdown().catch(told);
  }

  #parentOf(traceparent: string | undefined): Context {
    const { api, core } = this.#otel;
    const parsed = traceparent === undefined ? null : core.parseTraceParent(traceparent);
    if (parsed === null) return api.ROOT_CONTEXT;
    return api.trace.setSpanContext(api.ROOT_CONTEXT, { ...parsed, isRemote: true });
  }
}
