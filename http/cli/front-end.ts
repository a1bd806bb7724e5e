/** The HTTP side of `serve`: the application over a started server, behind a socket. */
import { createApp, directCalls } from '../app.js';
import { defaultTimes, listen } from '../listen.js';
import type { Listener } from '../listen.js';
import type { Metrics } from '../metrics.js';
import { OpenRequests } from '../open-requests.js';
import { isLoopbackHost } from '../middleware/admin-access.js';
import type { RequestSpans } from '../request-spans.js';
import type { HttpLimits, Services } from '../services.js';
import type { StartedServer, StartOptions } from '../serving.js';
import { serverLine } from '../traffic/server-line.js';
import { TrafficRecorder } from '../traffic/traffic-recorder.js';
import type { ServeOptions } from './serve-options.js';

/** Beyond the last moment of an answer. */
const stalledGraceMs = 30_000;

export interface FrontEndInput {
  readonly server: Pick<StartedServer, 'serving' | 'text' | 'observing' | 'trafficSink'>;
  readonly options: ServeOptions;
  readonly start: StartOptions;
  readonly metrics: Metrics;
  readonly spans: RequestSpans | null;
  readonly version: string;
  isStarting(): boolean;
  isDraining(): boolean;
}

export function openFrontEnd(input: FrontEndInput): Promise<Listener> {
  const { server, options, start, metrics, spans, version } = input;
  const { ports, log } = start;
  const limits: HttpLimits = {
    bodyBytesMax: options.maxBody,
    batchMax: options.maxBatch,
    requestTimeoutMs: options.requestTimeout,
    generationTimeoutMs: options.generationTimeout,
    streamBufferBytes: options.streamBuffer,
    streamStallMs: options.streamStall,
  };
  const sink = server.trafficSink ?? null;
  sink?.append(serverLine(start, limits, version));
  const services: Services = {
    serving: server.serving,
    text: server.text,
    observing: server.observing,
    open: new OpenRequests(),
    ports,
    metrics,
    log,
    spans,
    limits,
    traffic: sink === null ? null : new TrafficRecorder(sink, ports.clock),
    admin: { loopback: isLoopbackHost(options.host), token: options.adminToken ?? null },
    version,
    isStarting: () => input.isStarting(),
    isDraining: () => input.isDraining(),
  };
  const { host, port, headerTimeout, requestTimeout, generationTimeout } = options;
  const longestMs = Math.max(requestTimeout, generationTimeout);
  const times = {
    headersMs: headerTimeout,
    bodyMs: requestTimeout,
    // Waiting for an answer moves nothing either.
    stalledMs: Math.max(defaultTimes.stalledMs, longestMs + stalledGraceMs),
  };
  const direct = directCalls(services);
  return listen(createApp(services), { host, port, ports, times, direct });
}
