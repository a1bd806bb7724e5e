/** Readiness tells of a thread that is stuck while work waits, and which one it is. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { withServer, type TestServer } from '../running-server.js';
import { blockThread, green, redReasons, waitingRequest } from './wedged.js';

async function wedge(server: TestServer, thread: string): Promise<void> {
  await green(server);
  const release = await blockThread(server, thread);
  const request = waitingRequest(server);
  assert.match(await redReasons(server), new RegExp(`thread ${thread} has not answered`));
  release();
  await green(server);
  assert.not.instance(await request, Error, 'what waited is answered when the thread goes on');
}

test('a model thread and the thread of the device, each alone', async () => {
  const run = (thread: string) =>
    withServer(['first-output'], (server) => wedge(server, thread), { threads: 1 });
  await Promise.all([run('model-0'), run('device')]);
});

test.run();
