/**
 * Parameter banks on real threads: answers come from checkpoints, models that fit only one at a
 * time take turns, a checkpoint that becomes shorter fails the reads that touch what is gone, and
 * every byte comes back.
 */
import { readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rejection, sharedServer, type SharedServer, type TestServer } from '../running-server.js';
import { gauges } from '../serving/quiet.js';
import { BANK_BYTES, rowOf, writeWeighty, type WeightyPackage } from './weighty-package.js';

const MIB = 1024 * 1024;
/** Room for the bank of one model. */
const narrow = sharedServer({ memoryBytes: BANK_BYTES + 4 * MIB });
const wide = sharedServer({ memoryBytes: 64 * MIB });

interface WeightyTest {
  readonly on: SharedServer;
  readonly deployment?: object;
  readonly ids?: string;
}

async function withWeighty(
  { on, ids = 'a', deployment }: WeightyTest,
  body: (server: TestServer, packages: readonly WeightyPackage[]) => Promise<void>,
): Promise<void> {
  const packages = [...ids].map((id, index) => writeWeighty(id, { base: 100 * index, deployment }));
  try {
    await on.with([], (server) => body(server, packages));
  } finally {
    for (const each of packages) each.remove();
  }
}

test('models that fit only one at a time serve interleaved traffic', () =>
  withWeighty({ on: narrow, ids: 'ab' }, async (server, packages) => {
    for (const { folder } of packages) await server.serve(folder);
    const asks = Array.from({ length: 24 }, async (_, index) => {
      const model = index % 2;
      const { rows } = await server.embed('ab'[model]!, [String(index % 10)]);
      assert.equal(rows[0], rowOf(100 * model, index % 10));
    });
    await Promise.all(asks);
    const states = await server.serving.modelStates();
    const resident = states
      .flatMap(({ banks }) => banks)
      .filter((bank) => bank.state === 'resident');
    assert.is(resident.length, 1);
  }));

test('what can never fit is refused with limit, ask and knob', async () => {
  const tiny = sharedServer({ memoryBytes: 4 * MIB });
  await withWeighty({ on: tiny }, async (server, [only]) => {
    const error = await rejection(server.serve(only!.folder));
    assert.is(error.code, 'resourceExhausted');
    assert.match(
      error.message,
      /needs \d+ bytes of device memory; the limit is 4194304 \(--memory\)/,
    );
  });
  await tiny.close();
});

test('warm-up, deactivation, pins', async () => {
  await withWeighty({ on: narrow }, async (server, [only]) => {
    await server.serve(only!.folder);
    const stateOf = async (): Promise<string> =>
      (await server.serving.modelState('a')).banks[0]!.state;
    assert.is(await stateOf(), 'absent');
    const warm = await server.serving.warmUp('a');
    assert.is(warm.banks[0]!.state, 'resident');
    assert.is(warm.banks[0]!.loadedBytes, BANK_BYTES);
    await server.serving.deactivate('a');
    // It leaves when the device has let go of it; the file's time limit is the bound.
    while ((await stateOf()) !== 'absent') await new Promise((resolve) => setTimeout(resolve, 5));
    const { rows } = await server.embed('a', ['3']);
    assert.equal(rows[0], rowOf(0, 3));
  });
  const pinned = { pin: true };
  await withWeighty({ on: narrow, deployment: pinned }, async (server, [only]) => {
    await server.serve(only!.folder);
    const { banks } = await server.serving.modelState('a');
    assert.is(banks[0]!.state, 'resident', 'before any request');
  });
});

test('a checkpoint that becomes shorter fails the reads that touch what is gone, nothing else', () =>
  withWeighty({ on: wide, ids: 'ab' }, async (server, packages) => {
    for (const { folder } of packages) await server.serve(folder);
    const whole = readFileSync(packages[0]!.checkpoint);
    truncateSync(packages[0]!.checkpoint, 1_000_000);
    const error = await rejection(server.embed('a', ['1']));
    assert.is(error.code, 'dataLoss');
    assert.match(
      error.message,
      /tensor 'values': .*values\.safetensors: bytes \d+ to \d+ .* ends at 1000000/,
    );
    assert.equal((await server.embed('b', ['2'])).rows[0], rowOf(100, 2));
    writeFileSync(packages[0]!.checkpoint, whole);
    const changed = await rejection(server.embed('a', ['1']));
    assert.match(
      changed.message,
      /was written to after it was indexed; register the package again/,
    );
    await server.serve(packages[0]!.folder);
    assert.equal((await server.embed('a', ['1'])).rows[0], rowOf(0, 1));
  }));

test('a removal while it is activated, a replacement, a removal at rest: every byte comes back', () =>
  withWeighty({ on: wide }, async (server, [only]) => {
    await server.serve(only!.folder);
    const asked = server.embed('a', ['1']).catch((error: unknown) => error);
    await server.serving.unregister('a');
    await asked;
    await server.serve(only!.folder);
    assert.equal((await server.embed('a', ['4'])).rows[0], rowOf(0, 4));
    await server.serve(only!.folder);
    assert.equal((await server.embed('a', ['5'])).rows[0], rowOf(0, 5));
    await server.serving.unregister('a');
    assert.is((await gauges(server))['loom_device_bytes'], 0);
  }));

test.after(async () => {
  await narrow.close();
  await wide.close();
});

test.run();
