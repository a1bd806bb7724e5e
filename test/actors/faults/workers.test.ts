/** Threads without actors end in the middle of their work: compute workers, pool threads. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { packageFolder, withServer, type TestServer } from '../running-server.js';
import { atRest, deviceOf, pause, Traffic, until } from './traffic.js';

const FIRST = 'first-output';
const WARM = 20;

async function generationOf(server: TestServer): Promise<number> {
  return (await server.serving.modelState(FIRST)).generation;
}

test('a compute worker: its cohort fails, the model stays', () =>
  withServer([FIRST], async (server) => {
    const { executables } = await deviceOf(server);
    const traffic = new Traffic(server, FIRST);
    for (let round = 0; round < 3; round++) {
      await traffic.answers(WARM);
      server.system.tell('device:/device', 'worker.kill', { worker: round % 2 });
      await traffic.answers(WARM);
    }
    await traffic.stop();
    assert.is(await generationOf(server), 1);
    await atRest(server, executables);
  }));

test('so many compute workers that the device is lost: it opens again', () =>
  withServer([FIRST], async (server) => {
    const { executables } = await deviceOf(server);
    const kill = async (): Promise<void> => {
      server.system.tell('device:/device', 'worker.kill', { worker: 0 });
      await pause(60);
    };
    for (let death = 0; death < 400 && (await generationOf(server)) === 1; death++) await kill();
    await until('a new generation', async () => (await generationOf(server)) > 1);
    const traffic = new Traffic(server, FIRST);
    await traffic.answers(WARM);
    await traffic.stop();
    assert.equal(traffic.refused, []);
    await atRest(server, executables);
  }));

test('pool threads in the middle of compiles: the tasks run once more', () =>
  withServer([], async (server) => {
    const registered = server.serve(packageFolder(FIRST));
    for (let kill = 0; kill < 3; kill++) {
      await pause(20);
      await server.pool.kill();
    }
    // A task that was hit twice is taken for its own fault, and that is said.
    await registered.catch(async ({ message }: Error) => {
      assert.match(message, /ended the thread that ran it, twice/);
      await server.serve(packageFolder(FIRST));
    });
    const traffic = new Traffic(server, FIRST);
    await traffic.answers(WARM);
    await traffic.stop();
    await atRest(server, (await deviceOf(server)).executables);
  }));

test.run();
