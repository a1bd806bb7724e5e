/** Several threads end at once, and while registrations and the end of the server go on. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { copyPackage } from '../package-copy.js';
import { packageFolder, rejection, twoPreparationThreads, withServer } from '../running-server.js';
import { atRest, deviceOf, pause, Traffic } from './traffic.js';

const FIRST = 'first-output';
const WARM = 20;

test('all of them at once, and a registration meanwhile', () =>
  withServer(
    [FIRST],
    async (server) => {
      const { executables } = await deviceOf(server);
      const traffic = new Traffic(server, FIRST);
      await traffic.answers(WARM);
      const names = ['device', 'model-0', 'preparation-0'];
      const kills = names.map((name) => server.topology.kill(name));
      const registered = server.serve(packageFolder(FIRST)).catch((error: { code: string }) => {
        assert.is(error.code, 'unavailable');
      });
      await Promise.all([...kills, registered]);
      await traffic.answers(WARM);
      await traffic.stop();
      await atRest(server, executables);
    },
    twoPreparationThreads,
  ));

test('a server closes while its threads are being started anew', async () => {
  for (const name of ['device', 'model-0', 'preparation-0']) {
    await withServer([FIRST], async (server) => {
      const accepted = Array.from({ length: 20 }, (_, i) => server.embed(FIRST, [`t${i}`]));
      const ended = Promise.allSettled(accepted);
      await server.topology.kill(name);
      void server.serve(packageFolder(FIRST)).catch(() => {});
      await pause(name.length);
      await server.serving.drain(2_000);
      await server.close();
      for (const outcome of await ended) {
        if (outcome.status === 'fulfilled') continue;
        assert.is((outcome.reason as { code: string }).code, 'unavailable');
      }
      assert.is(
        (await rejection(server.embed(FIRST, ['late'], { withinMs: 500 }))).code !== '',
        true,
      );
    });
  }
});

/** The code that a call ended with. */
const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'done',
    (error: { code: string }) => error.code,
  );

test('a server closes while packages come and go', async () => {
  const copy = copyPackage();
  for (let waitMs = 0; waitMs <= 120; waitMs += 60) {
    await withServer([FIRST], async (server) => {
      const outcomes = [copy.folder, packageFolder(FIRST)].map((one) => codeOf(server.serve(one)));
      const removal = codeOf(server.serving.unregister(FIRST));
      await new Promise((resolve) => setTimeout(resolve, waitMs));
      await server.serving.drain(2_000);
      await server.close();
      const codes = [...(await Promise.all(outcomes)), await removal];
      for (const code of codes) {
        assert.ok(/^(done|cancelled|unavailable|failedPrecondition)$/.test(code), code);
      }
    });
  }
  copy.remove();
});

test.run();
