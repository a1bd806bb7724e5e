/**
 * Packages on a WebGPU device, over threads: what the local device answers, alone and in company;
 * and a device that is taken away, which opens again.
 *
 * time limit: 120 s (shaders are compiled on the first run, and found in the driver's cache later)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SERVER } from '../../../actors/protocol.js';
import type { ServerSummary } from '../../../actors/system/server.js';
import type { StartOptions } from '../../../http/serving.js';
import { adapter, onAdapter } from '../../runtime/hal/webgpu/adapter.js';
import { withServer, type TestServer } from '../running-server.js';
import { atRest, deviceOf, Traffic, until } from './traffic.js';

const FIRST = 'first-output';
const PACKAGES = [FIRST, 'embedding-weighted', 'lookup'];
const INPUTS = ['How old are you?', 'a b c', 'What is your age?', ''];
const WARM = 20;

const webgpu: Partial<StartOptions> = { device: `webgpu:${adapter?.name}` };

async function rowsOf(server: TestServer, model: string): Promise<readonly number[][]> {
  const together = await server.embed(model, INPUTS.slice(0, 3));
  for (const [index, input] of INPUTS.slice(0, 3).entries()) {
    const alone = await server.embed(model, [input]);
    assert.equal([...alone.rows[0]!], [...together.rows[index]!], `${model}: alone and together`);
  }
  return together.rows.map((row) => [...row]);
}

onAdapter(test, 'packages answer as on the local device, the same in any cohort', async () => {
  const answers = new Map<string, readonly number[][]>();
  await withServer(PACKAGES, async (server) => {
    for (const model of PACKAGES) answers.set(model, await rowsOf(server, model));
  });
  const compare = async (server: TestServer): Promise<void> => {
    assert.is((await deviceOf(server)).driver, 'webgpu');
    for (const model of PACKAGES) {
      const rows = await rowsOf(server, model);
      rows.forEach((row, at) => {
        row.forEach((value, i) => {
          const expected = answers.get(model)![at]![i]!;
          const bound = 1e-5 * Math.max(1e-3, Math.abs(expected));
          assert.ok(Math.abs(value - expected) <= bound, `${model} row ${at}: value ${i}`);
        });
      });
    }
  };
  await withServer(PACKAGES, compare, webgpu);
});

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
        const { device } = (await server.system.request(
          SERVER,
          'server.describe',
          {},
          asked,
        )) as ServerSummary;
        server.system.tell(device, 'worker.kill', { worker: 0 });
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
