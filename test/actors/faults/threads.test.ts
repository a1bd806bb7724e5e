/**
 * Threads of a real server end in the middle of traffic. Each request ends once, with its value or
 * with a reason to try again; what was lost serves again by itself, under a new generation; nothing
 * of it stays on the device; and models on other threads notice nothing.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { copyPackage, withId } from '../package-copy.js';
import { packageFolder, withServer, type TestServer } from '../running-server.js';
import { atRest, deviceOf, pause, Traffic, until } from './traffic.js';

const FIRST = 'first-output';
const WARM = 20;

async function generationOf(server: TestServer, id = FIRST): Promise<number> {
  return (await server.serving.modelState(id)).generation;
}

test('a model thread: its model comes back, the other model loses no request', () =>
  withServer(
    [FIRST],
    async (server) => {
      const other = copyPackage(withId('other'));
      await server.serve(other.folder);
      const executables = (await deviceOf(server)).executables;
      const [lost, kept] = [new Traffic(server, FIRST), new Traffic(server, 'other')];
      for (let round = 0; round < 2; round++) {
        await Promise.all([lost.answers(WARM), kept.answers(WARM)]);
        const before = await generationOf(server);
        await server.topology.kill('model-0');
        await until('a new generation', async () => (await generationOf(server)) > before);
        await lost.answers(WARM);
      }
      await Promise.all([lost.stop(), kept.stop()]);
      assert.is(await generationOf(server, 'other'), 1);
      assert.equal(kept.refused, []);
      assert.ok(lost.refused.length > 0, 'some requests met the gap');
      await atRest(server, executables);
      other.remove();
    },
    { modelThreads: 2 },
  ));

test('the device thread: it opens again, every model is prepared anew, readiness says why', () =>
  withServer([FIRST], async (server) => {
    const other = copyPackage(withId('other'));
    await server.serve(other.folder);
    const executables = (await deviceOf(server)).executables;
    const traffic = [new Traffic(server, FIRST), new Traffic(server, 'other')];
    for (let round = 0; round < 2; round++) {
      await Promise.all(traffic.map((one) => one.answers(WARM)));
      const before = await generationOf(server);
      const beforeOther = await generationOf(server, 'other');
      await server.topology.kill('device');
      const reasons: string[] = [];
      await until('new generations', async () => {
        reasons.push(...(await server.serving.readiness()).reasons);
        const isBack = (await generationOf(server)) > before;
        return isBack && (await generationOf(server, 'other')) > beforeOther;
      });
      assert.ok(
        reasons.some((reason) => /server is re(covering|opening): .*device/.test(reason)),
        reasons.join('; '),
      );
      await Promise.all(traffic.map((one) => one.answers(WARM)));
    }
    await Promise.all(traffic.map((one) => one.stop()));
    await atRest(server, executables);
    other.remove();
  }));

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
    for (let death = 0; death < 40 && (await generationOf(server)) === 1; death++) await kill();
    await until('a new generation', async () => (await generationOf(server)) > 1);
    const traffic = new Traffic(server, FIRST);
    await traffic.answers(WARM);
    await traffic.stop();
    assert.equal(traffic.refused, []);
    await atRest(server, executables);
  }));

test('a preparation thread: the generation stays and gets its preparer back', () =>
  withServer([FIRST], async (server) => {
    const { executables } = await deviceOf(server);
    const traffic = new Traffic(server, FIRST);
    for (let round = 0; round < 2; round++) {
      await traffic.answers(WARM);
      await server.topology.kill('preparation-0');
      await traffic.answers(WARM);
    }
    await traffic.stop();
    assert.is(await generationOf(server), 1);
    await atRest(server, executables);
  }));

test('a preparation thread in the middle of a registration: it is tried again', () =>
  withServer([FIRST], async (server) => {
    const other = copyPackage(withId('other'));
    const { executables } = await deviceOf(server);
    const traffic = new Traffic(server, FIRST);
    await traffic.answers(WARM);
    const registered = server.serve(other.folder);
    await pause(5);
    // The second model's.
    await server.topology.kill('preparation-1');
    await registered;
    await new Traffic(server, 'other').stop();
    await traffic.answers(WARM);
    await traffic.stop();
    assert.ok((await generationOf(server, 'other')) >= 2);
    await atRest(server, 2 * executables);
    other.remove();
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
