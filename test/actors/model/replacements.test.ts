/**
 * Registrations, replacements and removals that come at once or in the middle of each other, on
 * real threads: the last package wins, everyone is answered for what they asked, and nothing stays.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { holdWorks } from '../edge/explained.js';
import { atRest, until } from '../faults/traffic.js';
import { firstOutputOracle } from '../../oracles/first-output.js';
import { copyPackage } from '../package-copy.js';
import { packageFolder, rejection, runServer, twoPreparationThreads } from '../running-server.js';

const FIRST = 'first-output';
/** One for all tests: each ends with nothing but what it serves on the device. */
const server = await runServer([], twoPreparationThreads);
const serveFirst = (): Promise<void> => server.serve(packageFolder(FIRST));

test.after(() => server.close());

const times = (factor: number) =>
  copyPackage({ file: 'kernel.loom', from: /sum \/ 256\.0/g, to: `sum / ${256 / factor}.0` });
const broken = () => copyPackage({ file: 'kernel.loom', from: 'sum / 256.0', to: 'sum / nothing' });

async function factor(): Promise<number> {
  const { rows } = await server.embed(FIRST, ['abc']);
  return rows[0]![0]! / firstOutputOracle('abc')[0]!;
}

/** The code that a registration ended with. */
const codeOf = (registered: Promise<void>): Promise<string> =>
  registered.then(
    () => 'served',
    (error: { code: string }) => error.code,
  );

test('several registrations at once: the last one wins, each is told what became of it', async () => {
  const packages = [times(2), broken(), times(4)];
  for (let round = 0; round < 2; round++) {
    const codes = await Promise.all(packages.map(({ folder }) => codeOf(server.serve(folder))));
    assert.equal(codes, ['failedPrecondition', 'failedPrecondition', 'served']);
    assert.is(await factor(), 4);
    // Now the last of them is the broken one: what serves goes on.
    const [a, b] = [packages[0]!, packages[1]!];
    assert.equal(
      await Promise.all([codeOf(server.serve(a.folder)), codeOf(server.serve(b.folder))]),
      ['failedPrecondition', 'invalidArgument'],
    );
    assert.is(await factor(), 4);
  }
  await atRest(server, 1);
  for (const one of packages) one.remove();
});

test('A, B, C as fast as each is seen to load: the last one serves', async () => {
  await serveFirst();
  const packages = [times(2), times(4), times(8)];
  let registered = 0;
  const codes = packages.map(async ({ folder }, at) => {
    const before = (await server.serving.modelState(FIRST)).generation;
    if (at > 0) {
      await until('something newer', async () => {
        const { generation } = await server.serving.modelState(FIRST);
        return generation > before || (await factor()) === 2 ** at;
      });
    }
    // Both may see the same news; the order of registrations is theirs.
    await until('its predecessor', async () => registered === at);
    const code = codeOf(server.serve(folder));
    registered += 1;
    return code;
  });
  assert.is((await Promise.all(codes)).at(-1), 'served');
  assert.is(await factor(), 8);
  await atRest(server, 1);
  for (const one of packages) one.remove();
});

test('a failed replacement keeps the old package, also when its thread ends afterwards', async () => {
  await serveFirst();
  const bad = broken();
  assert.is(await codeOf(server.serve(bad.folder)), 'invalidArgument');
  const failed = (await server.serving.modelState(FIRST)).generation + 1;
  await server.topology.kill('model-0');
  await until('a new generation', async () => {
    const { state, generation } = await server.serving.modelState(FIRST);
    return state === 'serving' && generation > failed;
  });
  assert.is(await factor(), 1);
  await atRest(server, 1);
  bad.remove();
});

test('removed while it is prepared, at every moment: both are answered, the id is free', async () => {
  await serveFirst();
  const before = (await server.serving.modelState(FIRST)).generation;
  await server.serving.unregister(FIRST);
  for (let waitMs = 0; waitMs < 150; waitMs += 30) {
    const registered = codeOf(server.serve(packageFolder(FIRST)));
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const { state } = await server.serving.unregister(FIRST);
    assert.is(state, 'removed');
    assert.ok(['cancelled', 'served'].includes(await registered), await registered);
    assert.is((await rejection(server.embed(FIRST, ['x']))).code, 'notFound');
  }
  await server.serve(packageFolder(FIRST));
  const { generation } = await server.serving.modelState(FIRST);
  assert.is(generation, before + 6, 'numbers of an id never repeat');
  await atRest(server, 1);
});

test('registered again while it drains: refused until it is gone, then it serves', async () => {
  await serveFirst();
  const before = (await server.serving.modelState(FIRST)).generation;
  await holdWorks(server, '');
  const accepted = Array.from({ length: 30 }, (_, i) => server.embed(FIRST, [`t${i}`]));
  const ended = Promise.allSettled(accepted);
  const removal = server.serving.unregister(FIRST);
  assert.is(await codeOf(server.serve(packageFolder(FIRST))), 'failedPrecondition');
  await holdWorks(server, null);
  assert.is((await removal).state, 'removed');
  for (const [i, outcome] of (await ended).entries()) {
    assert.is(outcome.status, 'fulfilled', 'it was accepted before the removal');
    if (outcome.status === 'fulfilled') {
      assert.equal(outcome.value.rows[0], firstOutputOracle(`t${i}`));
    }
  }
  await server.serve(packageFolder(FIRST));
  assert.is((await server.serving.modelState(FIRST)).generation, before + 1);
  await atRest(server, 1);
});

test.run();
