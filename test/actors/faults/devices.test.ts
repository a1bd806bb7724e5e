/**
 * A server with two devices, over threads: each package runs on the one that it names, and what
 * becomes of one device is nothing to the other.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SERVER } from '../../../actors/protocol.js';
import type { ServerSummary } from '../../../actors/system/server.js';
import type { StartOptions } from '../../../http/serving.js';
import { adapter, onAdapter } from '../../runtime/hal/webgpu/adapter.js';
import { copyPackage, withId, type PackageCopy } from '../package-copy.js';
import { rejection, withServer, type TestServer } from '../running-server.js';
import { Traffic, until } from './traffic.js';

const WARM = 20;
const MEMORY_BYTES = 64 * 1024 * 1024;
const TEXTS = ['abc', 'hello'];

function packageOn(id: string, device: string): PackageCopy {
  const copy = copyPackage(withId(id));
  if (device !== 'auto') {
    copy.change({ file: 'model.json', from: '"auto"', to: `"${device}"` });
  }
  return copy;
}

const both: Partial<StartOptions> = {
  device: 'local',
  otherDevices: [{ name: `webgpu:${adapter?.name}`, memoryBytes: MEMORY_BYTES }],
};

async function devicesOf(server: TestServer): Promise<ServerSummary['devices']> {
  const asked = { deadlineMs: server.now() + 10_000 };
  const summary = await server.system.request(SERVER, 'server.describe', {}, asked);
  return (summary as ServerSummary).devices;
}

/** A thread with Dawn at work must not die: the driver itself goes. */
async function lose(server: TestServer, name: string): Promise<void> {
  if (name === 'local') return server.topology.kill('device');
  const { address } = (await devicesOf(server)).find((device) => device.name === name)!;
  server.system.tell(address, 'worker.kill', { worker: 0 });
}

const stateOf = (server: TestServer, id: string) => server.serving.modelState(id);

async function gauges(server: TestServer, name: string): Promise<Record<string, number>> {
  const values: Record<string, number> = {};
  const set = (metric: string, labels: Readonly<Record<string, string>>, value: number): void => {
    if (metric === name) values[labels['device']!] = value;
  };
  await server.serving.collect({ add() {}, observe() {}, set });
  return values;
}

onAdapter(test, 'each package runs on the device that it names, in its own memory', () =>
  withServer(
    [],
    async (server) => {
      const names = ['any', 'near', 'far', 'named'];
      const asked = ['auto', 'local', 'webgpu', `webgpu:${adapter!.name}`];
      const packages = names.map((id, index) => packageOn(id, asked[index]!));
      for (const { folder } of packages) await server.serve(folder);
      const found = await Promise.all(names.map(async (id) => (await stateOf(server, id)).device));
      assert.equal(found, ['local', 'local', 'webgpu', 'webgpu']);
      const rows = await Promise.all(
        names.map(async (id) => (await server.embed(id, TEXTS)).rows.map((row) => [...row])),
      );
      assert.equal(rows[1], rows[0]);
      assert.equal(rows[3], rows[2]);
      rows[2]!.flat().forEach((value, index) => {
        const expected = rows[0]!.flat()[index]!;
        assert.ok(Math.abs(value - expected) <= 1e-5 * Math.max(1, Math.abs(expected)));
      });
      assert.equal(await gauges(server, 'loom_device_open'), { local: 1, webgpu: 1 });
      const budgets = { local: 256 * 1024 * 1024, webgpu: MEMORY_BYTES };
      assert.equal(await gauges(server, 'loom_device_budget_bytes'), budgets);
      const loaded = await gauges(server, 'loom_device_executables');
      assert.ok(loaded['local']! > 0 && loaded['webgpu'] === loaded['local'], 'code of its own');
      const far = packageOn('any', 'webgpu');
      const { code, message } = await rejection(server.serve(far.folder));
      assert.is(code, 'failedPrecondition');
      assert.match(message, /any is on the device 'local' and the package asks for 'webgpu'/);
      await server.serving.unregister('any');
      await server.serve(far.folder);
      assert.is((await stateOf(server, 'any')).device, 'webgpu');
      [...packages, far].forEach((one) => one.remove());
    },
    both,
  ),
);

onAdapter(test, 'one device is lost and opens again, the other one notices nothing', () =>
  withServer(
    [],
    async (server) => {
      const ids = ['near', 'far'] as const;
      const places = { near: 'local', far: 'webgpu' };
      const packages = ids.map((id) => packageOn(id, places[id]));
      for (const { folder } of packages) await server.serve(folder);
      const generation = async (id: string) => (await stateOf(server, id)).generation;
      for (const [lost, kept] of [ids, [...ids].reverse()] as (typeof ids)[]) {
        const traffic = { lost: new Traffic(server, lost), kept: new Traffic(server, kept) };
        await Promise.all([traffic.lost.answers(WARM), traffic.kept.answers(WARM)]);
        const [before, stays] = [await generation(lost), await generation(kept)];
        await lose(server, places[lost]);
        await until(`a new generation of ${lost}`, async () => (await generation(lost)) > before);
        await Promise.all([traffic.lost.answers(WARM), traffic.kept.answers(WARM)]);
        await Promise.all([traffic.lost.stop(), traffic.kept.stop()]);
        assert.equal(traffic.kept.refused, [], 'no request of the other met the gap');
        assert.is(await generation(kept), stays);
      }
      const { ready, reasons } = await server.serving.readiness();
      assert.ok(ready, reasons.join('; '));
      packages.forEach((one) => one.remove());
    },
    both,
  ),
);

test('a device that is not open is refused at registration, with those that are', () =>
  withServer(['first-output'], async (server) => {
    const far = packageOn('far', 'webgpu');
    const { code, message } = await rejection(server.serve(far.folder));
    assert.is(code, 'failedPrecondition');
    assert.match(
      message,
      /asks for the device 'webgpu' \(deployment\.device\).* 'local' \(--device/,
    );
    const ids = (await server.serving.modelStates()).map(({ id }) => id);
    assert.equal(ids, ['first-output'], 'the id is free');
    far.remove();
  }));

test.run();
