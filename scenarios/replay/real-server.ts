/** A server of a replay's own on real threads: the options of the recording, a free port. */
import { systemPorts } from '../../runtime/base/ports.js';
import { createApp, directCalls } from '../../http/app.js';
import { loadComposition } from '../../http/cli/composition.js';
import { listen } from '../../http/listen.js';
import { Metrics } from '../../http/metrics.js';
import { OpenRequests } from '../../http/open-requests.js';
import type { StartOptions } from '../../http/serving.js';
import type { Services } from '../../http/services.js';
import { answerOf } from '../http-ground.js';
import { servicesOf, startOptionsOf } from './replay-options.js';
import type { Recording } from './recording.js';
import { requestInit, waitMs, type WireCall } from './replay-ground.js';
import type { ReplayServer } from './replay-server.js';

const DRAIN_MS = 2_000;
/** Threads hand on what they record ten times a second. */
const COLLECTED_MS = 300;

export async function startRealServer(
  recording: Recording,
  sessionDir: string | null,
): Promise<ReplayServer> {
  const ports = systemPorts('main');
  const metrics = new Metrics();
  const start: StartOptions = startOptionsOf(recording, { ports, metrics, sessionDir });
  const { startServer, packageDigest } = await loadComposition();
  const server = await startServer(start);
  await server.observing.setRecording(true);
  const services: Services = {
    ...servicesOf(recording, start, metrics),
    serving: server.serving,
    text: server.text,
    observing: server.observing,
    open: new OpenRequests(),
  };
  const direct = directCalls(services);
  const where = { host: '127.0.0.1', port: 0 };
  const listener = await listen(createApp(services), { ...where, ports, direct });
  const ground = {
    clock: ports.clock,
    timers: ports.timers,
    fetch: async (call: WireCall, signal: AbortSignal) =>
      answerOf(await fetch(`${listener.url}${call.path}`, { signal, ...requestInit(call) })),
    outside: <Result>(work: Promise<Result>): Promise<Result> => work,
  };
  return {
    ground,
    serving: server.serving,
    digest: (body) => packageDigest(body, start),
    // Timers do not keep a process alive; the socket that listens does.
    run: (work) => work,
    async records() {
      await waitMs(ground, COLLECTED_MS);
      return server.observing.trace('loom');
    },
    async close() {
      server.observing.close();
      const closed = listener.close(DRAIN_MS);
      await server.serving.drain(DRAIN_MS);
      await closed;
      await server.close();
    },
  };
}
