/**
 * A server of a replay's own in simulation: the application of http over the same actors, all in
 * one thread on a virtual clock. Calls go in and answers come out as over a socket, but for the
 * bytes of HTTP.
 */
import { createApp } from '../../http/app.js';
import { loadComposition } from '../../http/cli/composition.js';
import type { LoomApp } from '../../http/context.js';
import { Metrics } from '../../http/metrics.js';
import { OpenRequests } from '../../http/open-requests.js';
import type { Services } from '../../http/services.js';
import { systemPorts } from '../../runtime/base/ports.js';
import type { Answer } from '../ground.js';
import { answerOf } from '../http-ground.js';
import type { Recording } from './recording.js';
import { requestInit, type WireCall } from './replay-ground.js';
import { servicesOf, startOptionsOf } from './replay-options.js';
import type { ReplayServer } from './replay-server.js';
import { SimulatedOutgoing, type Head } from './simulated-outgoing.js';

const DRAIN_MS = 2_000;

export interface SimulatedOptions {
  readonly seed: number;
  readonly sessionDir: string | null;
}

export async function startSimulatedServer(
  recording: Recording,
  { seed, sessionDir }: SimulatedOptions,
): Promise<ReplayServer> {
  const metrics = new Metrics();
  const start = startOptionsOf(recording, { ports: systemPorts('main'), metrics, sessionDir });
  const { startSimulated, packageDigest } = await loadComposition();
  const server = await startSimulated({ ...start, seed });
  const { ports, serving, text, observing } = server;
  const services: Services = {
    ...servicesOf(recording, { ...start, ports }, metrics),
    serving,
    text,
    observing,
    open: new OpenRequests(),
  };
  const app = createApp(services);
  return {
    ground: {
      clock: ports.clock,
      timers: ports.timers,
      fetch: (call, signal) => fetched(app, call, signal),
      outside: (work) => server.outside(work),
    },
    serving,
    digest: (body) => server.outside(packageDigest(body, start)),
    run: (work) => server.run(work),
    records: async () => observing.trace('loom'),
    async close() {
      await server.run(serving.drain(DRAIN_MS));
      await server.close();
    },
  };
}

async function fetched(app: LoomApp, call: WireCall, signal: AbortSignal): Promise<Answer> {
  const outgoing = new SimulatedOutgoing();
  const left = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => {
      outgoing.destroy();
      reject(new Error('the client left'));
    });
  });
  // One that leaves when its answer is there already has nobody to tell.
  left.catch(() => undefined);
  const request = new Request(`http://localhost${call.path}`, requestInit(call));
  request.headers.set('host', 'localhost');
  const answered = Promise.resolve(app.fetch(request, { outgoing }));
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
