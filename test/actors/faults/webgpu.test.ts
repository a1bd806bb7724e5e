/**
 * A WebGPU device that is taken away from a server, over threads: it opens again.
 */
import { test } from 'uvu';
import { SERVER } from '../../../actors/protocol.js';
import type { ServerSummary } from '../../../actors/system/server.js';
import type { StartOptions } from '../../../http/serving.js';
import { adapter, onAdapter } from '../../runtime/hal/webgpu/adapter.js';
import { withServer } from '../running-server.js';
import { atRest, deviceOf, Traffic, until } from './traffic.js';

const FIRST = 'first-output';
const WARM = 20;

const webgpu: Partial<StartOptions> = { device: `webgpu:${adapter?.name}` };

onAdapter(test, 'a device that is lost opens again, and its models serve', () =>
  withServer(
    [FIRST],
    async (server) => {
      const { executables } = await deviceOf(server);
      const generation = async () => (await server.serving.modelState(FIRST)).generation;
      const traffic = new Traffic(server, FIRST);
      for (let round = 1; round <= 2; round++) {
        await traffic.answers(WARM);
        const asked = { deadlineMs: server.now() + 10_000 };
        const { devices } = (await server.system.request(
          SERVER,
          'server.describe',
          {},
          asked,
        )) as ServerSummary;
        server.system.tell(devices[0]!.address, 'worker.kill', { worker: 0 });
        await until('a new generation', async () => (await generation()) > round);
        await traffic.answers(WARM);
      }
      await traffic.stop();
      await atRest(server, executables);
    },
    webgpu,
  ),
);

test.run();
