/** Readiness tells of a device or a scheduler that makes no progress, though its thread answers. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withServer, type TestServer } from '../running-server.js';
import { addressOf, green, redReasons, waitingRequest } from './wedged.js';

test('a device that starts nothing, and a scheduler that forms nothing', async () => {
  const run = (wedge: (server: TestServer) => Promise<void>) =>
    withServer(['first-output'], wedge, { threads: 1 });
  await Promise.all([run(wedgeDevice), run(wedgeScheduler)]);
});

async function wedgeDevice(server: TestServer): Promise<void> {
  await green(server);
  const device = await addressOf(server, 'deviceQueue');
  server.system.tell(device, 'work.hold', { label: '' });
  const request = waitingRequest(server);
  const reasons = await redReasons(server);
  assert.match(reasons, /the device has made no progress for .* s: \d+ invocations wait/);
  assert.not.match(reasons, /scheduler|thread/, 'only what is to blame is named');
  server.system.tell(device, 'work.hold', { label: null });
  await green(server);
  assert.not.instance(await request, Error);
}

async function wedgeScheduler(server: TestServer): Promise<void> {
  await green(server);
  server.system.tell(await addressOf(server, 'generation'), 'offers.lose', {});
  const leave = new AbortController();
  const request = waitingRequest(server, leave.signal);
  const reasons = await redReasons(server);
  assert.match(reasons, /the scheduler of model first-output has made no progress/);
  assert.not.match(reasons, /device|thread/);
  leave.abort();
  await request;
  // Nobody waits for it now: it is still broken, and its canary says so.
  await server.serving.unregister('first-output');
}

test.run();
