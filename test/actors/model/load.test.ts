/** Replacements while clients ask without pause. The 200 that matter are in test/bench. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { atRest, deviceOf, Traffic, until } from '../faults/traffic.js';
import { packageFolder, withServer, type TestServer } from '../running-server.js';

const FIRST = 'first-output';

test('40 replacements under load: no request fails, nothing stays behind', () =>
  withServer([FIRST], async (server) => {
    const actors = async (): Promise<number> => JSON.stringify(await shape(server)).length;
    const before = await actors();
    const traffic = new Traffic(server, FIRST);
    for (let generation = 2; generation <= 41; generation++) {
      await server.serve(packageFolder(FIRST));
      if (generation % 10 === 0) await traffic.answers(10);
    }
    await traffic.stop();
    assert.equal(traffic.refused, []);
    assert.is((await server.serving.modelState(FIRST)).generation, 41);
    await atRest(server, 1);
    assert.is(
      (await deviceOf(server)).byOwner.reduce((sum, { bytes }) => sum + bytes, 0),
      0,
    );
    await until('as many actors as before', async () => (await actors()) === before);
  }));

/** The actors of all threads, without what numbers them. */
async function shape(server: TestServer): Promise<unknown> {
  const strip = ({ address, children }: Node): unknown => [
    address.replace(/\d+/g, '#'),
    children.map(strip),
  ];
  return strip((await server.serving.describe()) as Node);
}
interface Node {
  readonly address: string;
  readonly children: readonly Node[];
}

test.run();
