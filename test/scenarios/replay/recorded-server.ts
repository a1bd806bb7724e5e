/** A server behind a socket that records what comes to it, composed as `serve --record` does. */
import { createApp } from '../../../http/app.js';
import { listen } from '../../../http/listen.js';
import { Metrics } from '../../../http/metrics.js';
import { OpenRequests } from '../../../http/open-requests.js';
import { defaultLimits } from '../../../http/services.js';
import type { StartOptions } from '../../../http/serving.js';
import { serverLine } from '../../../http/traffic/server-line.js';
import { TrafficRecorder } from '../../../http/traffic/traffic-recorder.js';
import { startServer } from '../../../actors/start.js';
import { serverOptions } from '../../actors/running-server.js';

const silent = { debug() {}, info() {}, warn() {}, error() {} };

export interface RecordedServer {
  readonly url: string;
  /** The recording is whole then. */
  close(): Promise<void>;
}

export async function startRecorded(
  packages: readonly string[],
  recordFile: string,
  overrides: Partial<StartOptions> = {},
): Promise<RecordedServer> {
  const options = serverOptions({ recordFile, ...overrides });
  const server = await startServer(options);
  const { ports } = options;
  const sink = server.trafficSink!;
  sink.append(serverLine(options, defaultLimits, 'test'));
  const app = createApp({
    serving: server.serving,
    text: server.text,
    observing: server.observing,
    open: new OpenRequests(),
    traffic: new TrafficRecorder(sink, ports.clock),
    spans: null,
    ports,
    metrics: new Metrics(),
    log: silent,
    limits: defaultLimits,
    admin: { loopback: true, token: null },
    version: 'test',
    isStarting: () => false,
    isDraining: () => false,
  });
  const listener = await listen(app, { host: '127.0.0.1', port: 0, ports });
  for (const folder of packages) {
    const body = { kind: 'package', package: folder } as const;
    await server.serving.register(body, { wait: true, isOfStart: true });
  }
  return {
    url: listener.url,
    async close() {
      const closed = listener.close(2_000);
      await server.serving.drain(2_000);
      await closed;
      await server.close();
    },
  };
}
