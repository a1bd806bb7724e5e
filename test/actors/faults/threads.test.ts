/**
 * Threads of a real server end in the middle of traffic. Each request ends once, with its value or
 * with a reason to try again; what was lost serves again by itself, under a new generation; nothing
 * of it stays on the device; and models on other threads notice nothing.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { copyPackage, withId } from '../package-copy.js';
import { twoPreparationThreads, withServer, type TestServer } from '../running-server.js';
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
        reasons.some((reason) =>
          /the device local was lost and is being opened again: .*device/.test(reason),
        ),
        reasons.join('; '),
      );
      await Promise.all(traffic.map((one) => one.answers(WARM)));
    }
    await Promise.all(traffic.map((one) => one.stop()));
    await atRest(server, executables);
    other.remove();
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
  withServer(
    [FIRST],
    async (server) => {
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
    },
    twoPreparationThreads,
  ));

test.run();
