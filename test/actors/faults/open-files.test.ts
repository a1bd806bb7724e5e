/** Threads that have checkpoint files die, on real threads: their files are closed all the same. */
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { twoPreparationThreads, withServer, type TestServer } from '../running-server.js';
import { openFiles } from '../model/open-files.js';
import { rowOf, writeWeighty } from '../model/weighty-package.js';

/** Asks until the model serves again; each answer is right. */
async function askAgain(server: TestServer): Promise<void> {
  for (let i = 0; ; i += 1) {
    try {
      const { rows } = await server.embed('a', ['7']);
      assert.equal(rows[0], rowOf(0, 7));
      return;
    } catch (error) {
      if (i === 1_500 || (error as { code?: string }).code !== 'unavailable') throw error;
      await sleep(20);
    }
  }
}

test('whichever thread dies, files stay open that are needed, and no others', async () => {
  const { folder, remove } = writeWeighty('a');
  const settles = async (count: number, when: string): Promise<void> => {
    for (let i = 0; i < 1_500 && openFiles(folder).length !== count; i += 1) await sleep(20);
    assert.is(openFiles(folder).length, count, when);
  };
  try {
    await withServer(
      [],
      async (server) => {
        await server.serve(folder);
        await askAgain(server);
        // Where the system does not tell, there is nothing to compare.
        const one = openFiles(folder).length;
        assert.ok(one <= 1);
        for (const thread of ['device', 'preparation-0', 'preparation-1', 'model-0', 'device']) {
          await server.topology.kill(thread);
          await askAgain(server);
          await settles(one, `after ${thread} died`);
        }
        await server.serving.unregister('a');
        await settles(0, 'after the model was removed');
      },
      twoPreparationThreads,
    );
  } finally {
    remove();
  }
});

test.run();
