/** Why requests wait for the device, in situations that are real: memory, banks, limits, fences. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { writeTuned } from '../model/tuned-package.js';
import { BANK_BYTES, writeWeighty } from '../model/weighty-package.js';
import { runServer, withServer } from '../running-server.js';
import { faultyTexts, good, writePackage, type Texts } from '../serving/faulty-package.js';
import { holdWorks, reasonsOf, send, waitsFor } from './explained.js';

const server = await runServer([], { threads: 1, memoryBytes: 64 * 1024 * 1024 });
const weighty = writeWeighty('weighty');
const tuned = writeTuned();
for (const { folder } of [weighty, tuned]) await server.serve(folder);

// Also where a test has failed: the next finds nothing held.
test.after.each(() => holdWorks(server, null));

test.after(async () => {
  await server.serving.drain(2_000);
  await server.close();
  for (const { remove } of [weighty, tuned]) remove();
});

test('the activation of banks, by the bytes that are read', async () => {
  await holdWorks(server, '');
  const end = send(server, 'cold', { model: 'weighty', texts: ['1'] });
  const { wait, explanation } = await waitsFor(server, 'cold', 'bank');
  assert.equal(reasonsOf(explanation), ['bank']);
  assert.is(wait.details['bytes'], BANK_BYTES);
  assert.match(wait.text, /activation of 8\.0 MB \(.*: .* of 8\.0 MB read\)/);
  await holdWorks(server, null);
  assert.not.instance(await end, Error);
});

test('the budget, with who holds it by owner, and whose end gives it back', async () => {
  const rows = 800;
  // One bank of the two fits, and the staging of its activation.
  const weights = ['one', 'two'].map((id) => writeWeighty(id, { rows }));
  await withServer(
    [],
    async (server) => {
      for (const { folder } of weights) await server.serve(folder);
      await holdWorks(server, '');
      const ends = [send(server, 'holds', { model: 'one', texts: ['1'] })];
      await waitsFor(server, 'holds', 'bank');
      ends.push(send(server, 'lacks', { model: 'two', texts: ['1'] }));
      const { wait } = await waitsFor(server, 'lacks', 'budget');
      assert.match(wait.text, /held: .* by bank of one/);
      assert.match(wait.text, /its banks two@1\S* included/);
      assert.match(wait.unblockedBy, /the end of model-0:\/models\/one@1\/cohorts\/1/);
      const owners = wait.details['byOwner'] as { kind: string; deployment: string }[];
      assert.ok(owners.some(({ kind, deployment }) => kind === 'bank' && deployment === 'one'));
      ends.push(send(server, 'behind', { model: 'two', texts: ['1'] }));
      const { wait: behind } = await waitsFor(server, 'behind', 'budget');
      assert.match(behind.text, /two@1\/cohorts\/1 asked before it/);
      await holdWorks(server, null);
      for (const end of await Promise.all(ends)) assert.not.instance(end, Error);
    },
    { threads: 1, memoryBytes: 12 * 1024 * 1024 },
  );
  for (const { remove } of weights) remove();
});

/** Its stage works in 256 bytes, and may have no more. */
const limited: Texts = {
  ...faultyTexts,
  'prepare.loom': faultyTexts['prepare.loom']!.replace(
    '  let traps',
    '  workspace_limit(right, 256)\n  let traps',
  ).replace(
    'record.def',
    'func.decl import("prepare") workspace_limit(stage: i64, bytes: i64)\nrecord.def',
  ),
  'kernel.loom': faultyTexts['kernel.loom']!.replace(
    'input: root, output: root) {',
    'input: root, output: root) {\n  workspace w : f32[64]',
  )
    .replace('decide(input, output)', 'decide(input, w)')
    .replace('grid(1)', 'grid(1)\n  dispatch copied(w, output) grid(1)')
    .replace(
      'command.def',
      'kernel.def copied(x: in view<f32>, y: out view<f32>) workgroup(16) { parallel i in 0..16 { y[i] = x[i] } }\ncommand.def',
    ),
};

test('the workspace limit of a stage', async () => {
  const { folder, remove } = writePackage(limited, { id: 'limited' });
  await server.serve(folder);
  await holdWorks(server, '');
  const one = (id: string) => send(server, id, { model: 'limited', texts: [good(7)] });
  const ends = [one('uses')];
  await waitsFor(server, 'uses', 'work');
  ends.push(one('parked'));
  const { wait } = await waitsFor(server, 'parked', 'stageLimit');
  assert.match(wait.text, /256 of 256 bytes are in use, it needs 256/);
  await holdWorks(server, null);
  for (const end of await Promise.all(ends)) assert.not.instance(end, Error);
  remove();
});

test('a fence and who produces it', async () => {
  // 'g' has its value read from a file when its cohort runs.
  await holdWorks(server, 'a gather');
  const end = send(server, 'reads', { model: 'tuned', texts: ['g1'] });
  const { wait } = await waitsFor(server, 'reads', 'fence');
  assert.match(wait.text, /waits for a fence whose producer is a gather from 'values' of .*gather/);
  assert.match(wait.unblockedBy, /the retirement of a gather from 'values'/);
  await holdWorks(server, null);
  assert.not.instance(await end, Error);
});

test('works before it on the same bytes of the device', async () => {
  await holdWorks(server, 'tuned.forward');
  const end = send(server, 'runs', { model: 'tuned', texts: ['01'] });
  const { wait } = await waitsFor(server, 'runs', 'work');
  assert.match(wait.text, /tuned.forward of .*cohorts\/\d+ was accepted and has not started/);
  await holdWorks(server, null);
  assert.not.instance(await end, Error);
});

test.run();
