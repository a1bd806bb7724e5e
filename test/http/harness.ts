/** An application over a fake server, with everything that tests look at. */
import { createApp } from '../../http/app.js';
import type { LoomApp } from '../../http/context.js';
import { Metrics } from '../../http/metrics.js';
import { OpenRequests } from '../../http/open-requests.js';
import type { RequestSpans } from '../../http/request-spans.js';
import { defaultLimits } from '../../http/services.js';
import type { AdminAccess, HttpLimits, Services } from '../../http/services.js';
import { systemPorts } from '../../runtime/base/ports.js';
import type { Ports } from '../../runtime/base/ports.js';
import { FakeObserving } from './fake-observing.js';
import { FakeServing } from './fake-serving.js';
import { FakeText } from './fake-text.js';

export interface Harness {
  readonly app: LoomApp;
  readonly serving: FakeServing;
  readonly text: FakeText;
  readonly observing: FakeObserving;
  readonly services: Services;
  readonly lines: { level: string; fields: object; message: string }[];
  starting: boolean;
  draining: boolean;
  /** POST with a JSON body (or text as it is). */
  post(path: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
}

export interface HarnessOptions {
  readonly limits?: Partial<HttpLimits>;
  readonly admin?: AdminAccess;
  readonly ports?: Ports;
  readonly spans?: RequestSpans;
}

export function harness(options: HarnessOptions = {}): Harness {
  const serving = new FakeServing();
  const text = new FakeText();
  const observing = new FakeObserving();
  const lines: Harness['lines'] = [];
  const line = (level: string) => (fields: object, message: string) =>
    void lines.push({ level, fields, message });
  const services: Services = {
    serving,
    text,
    observing,
    open: new OpenRequests(),
    ports: options.ports ?? systemPorts('test'),
    metrics: new Metrics(),
    log: { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') },
    spans: options.spans ?? null,
    limits: { ...defaultLimits, ...options.limits },
    admin: options.admin ?? { loopback: true, token: null },
    version: '1.2.3',
    isStarting: () => made.starting,
    isDraining: () => made.draining,
  };
  const app = createApp(services);
  const made: Harness = {
    app,
    serving,
    text,
    observing,
    services,
    lines,
    starting: false,
    draining: false,
    post: async (path, body, headers = {}) =>
      app.request(path, {
        method: 'POST',
        headers: { host: 'localhost:8040', 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
    get: async (path, headers = {}) =>
      app.request(path, { headers: { host: 'localhost:8040', ...headers } }),
  };
  return made;
}

export interface ErrorShape {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
    readonly details?: string[];
  };
}

export async function errorOf(response: Response): Promise<ErrorShape['error']> {
  return ((await response.json()) as ErrorShape).error;
}
