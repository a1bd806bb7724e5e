/**
 * Memory over many requests: the slope of the live heap of every thread and of the device's bytes
 * over the last 80 %, in bytes a request. Requests pass through the HTTP application and all
 * threads of a server in this process, so that every heap can be collected before it is looked at.
 *
 * 100,000 requests; `LOOM_SOAK=1000000` or `--requests N` for more; on `--device local` or another.
 */
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { createApp } from '../../http/app.js';
import { Metrics } from '../../http/metrics.js';
import { OpenRequests } from '../../http/open-requests.js';
import { defaultLimits } from '../../http/services.js';
import { systemPorts } from '../../runtime/base/ports.js';
import { threadUsage } from '../../runtime/base/thread-usage.js';
import { runServer } from '../actors/running-server.js';
import { gauges } from '../actors/serving/quiet.js';
import { printReport } from './report.js';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: process.env['LOOM_SOAK'] ?? '100000' },
    device: { type: 'string', default: 'local' },
  },
});
const requests = Number(values.requests);
const looks = 50;
const clients = 64;
/** Between collections. */
const SETTLE_MS = 20;

interface Look {
  readonly at: number;
  /** Of all threads: live heap and what it holds outside. */
  readonly heapBytes: number;
  readonly deviceBytes: number;
  readonly residentBytes: number;
}

// Before any thread starts: each context gets its own `gc` only from then on.
setFlagsFromString('--expose-gc');
const { runInNewContext } = await import('node:vm');
(globalThis as { gc?: unknown }).gc = runInNewContext('gc');

const metrics = new Metrics();
const server = await runServer(['first-output'], { metrics, device: values.device });
const quiet = { debug() {}, info() {}, warn() {}, error() {} };
const app = createApp({
  serving: server.serving,
  text: server.text,
  observing: server.observing,
  open: new OpenRequests(),
  spans: null,
  ports: systemPorts('http'),
  metrics,
  log: quiet,
  limits: defaultLimits,
  admin: { loopback: true, token: null },
  version: 'bench',
  isStarting: () => false,
  isDraining: () => false,
});

async function ask(index: number): Promise<void> {
  const response = await app.request('/v1/embeddings', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'first-output', input: `request ${index % 1000}` }),
  });
  if (response.status !== 200) throw new Error(await response.text());
  await response.text();
}

async function look(at: number): Promise<Look> {
  const { topology } = server;
  // What finalizers of the first collection let go (mapped memory of a GPU above all) the second
  // one finds.
  await Promise.all(topology.names.map((name) => topology.usage(name, true)));
  await new Promise((done) => setTimeout(done, SETTLE_MS));
  const far = await Promise.all(topology.names.map((name) => topology.usage(name, true)));
  threadUsage(true);
  const all = [threadUsage(true), ...far];
  const { loom_device_bytes = 0 } = await gauges(server);
  return {
    at,
    heapBytes: all.reduce((sum, one) => sum + (one?.heapBytes ?? 0) + (one?.externalBytes ?? 0), 0),
    deviceBytes: loom_device_bytes,
    residentBytes: process.memoryUsage.rss(),
  };
}

/** Least squares over the last 80 %. */
function slope(seen: readonly Look[], part: Exclude<keyof Look, 'at'>): number {
  const late = seen.filter(({ at }) => at >= requests / 5);
  const mean = (of: (one: Look) => number): number =>
    late.reduce((sum, one) => sum + of(one), 0) / late.length;
  const [x, y] = [mean((one) => one.at), mean((one) => one[part])];
  const above = late.reduce((sum, one) => sum + (one.at - x) * (one[part] - y), 0);
  return above / late.reduce((sum, one) => sum + (one.at - x) ** 2, 0);
}

const seen: Look[] = [];
let next = 0;
for (let step = 1; step <= looks; step += 1) {
  const end = Math.floor((requests * step) / looks);
  const client = async (): Promise<void> => {
    while (next < end) await ask(next++);
  };
  await Promise.all(Array.from({ length: clients }, client));
  seen.push(await look(next));
}
await server.close();
const last = seen.at(-1)!;
printReport({
  name: 'soak',
  rows: [
    { name: 'requests', value: requests, unit: '', better: 'higher' },
    {
      name: 'heap slope',
      value: slope(seen, 'heapBytes'),
      unit: 'B/request',
      better: 'lower',
      goal: 1,
    },
    {
      name: 'device bytes slope',
      value: slope(seen, 'deviceBytes'),
      unit: 'B/request',
      better: 'lower',
      goal: 1,
    },
    {
      name: 'resident set slope',
      value: slope(seen, 'residentBytes'),
      unit: 'B/request',
      better: 'lower',
    },
    { name: 'heaps at the end', value: last.heapBytes / 2 ** 20, unit: 'MiB', better: 'lower' },
  ],
});
