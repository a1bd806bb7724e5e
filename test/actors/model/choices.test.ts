/**
 * Requests that choose their weights, on real threads: each choice has files and banks of its own
 * beside the cold ones, made once, kept within the bound, and gone with its last use.
 */
import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { SystemRecord } from '../../../runtime/system/recorder.js';
import { rejection, sharedServer, type TestServer } from '../running-server.js';
import { gauges } from '../serving/quiet.js';
import { openFiles } from './open-files.js';
import { firstOf, table, writeTuned } from './tuned-package.js';

const shared = sharedServer();

async function withTuned(
  cache: number,
  body: (server: TestServer, folder: string) => Promise<void>,
): Promise<void> {
  const { folder, remove } = writeTuned({ specialization_cache: cache });
  try {
    await shared.with([folder], async (server) => {
      await body(server, folder);
      await server.serving.unregister('tuned');
      await comes(server, async () => (await gauges(server))['loom_device_bytes'] === 0);
      assert.is((await gauges(server))['loom_device_executables'], 0);
      assert.equal(openFiles(folder), [], 'every file is closed');
    });
  } finally {
    remove();
  }
}

async function ask(server: TestServer, which: keyof typeof firstOf, at: number): Promise<void> {
  const { rows } = await server.embed('tuned', [`${which}${at}`]);
  assert.equal(rows[0], Float32Array.of(firstOf[which] + at));
}

/** Leaving follows the answer; it needs no more than some turns of other threads. */
async function comes(server: TestServer, isSo: () => Promise<boolean>): Promise<void> {
  for (let turn = 0; turn < 4_000; turn += 1) {
    if (await isSo()) return;
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.unreachable(JSON.stringify(await gauges(server)));
}

const started = async (server: TestServer): Promise<number> =>
  (await gauges(server))['loom_pool_tasks']!;

/** The cold stage, its loader; a choice has a stage and a loader, too. */
const EXECUTABLES = 2;

const holds = (server: TestServer, folder: string, names: readonly string[]): Promise<void> =>
  comes(server, async () => {
    const { banks } = await server.serving.modelState('tuned');
    const { loom_device_executables: executables } = await gauges(server);
    const files = openFiles(folder);
    return (
      banks.length === names.length &&
      executables === EXECUTABLES * names.length &&
      names.length === files.length &&
      names.every((name) => files.some((file) => file.endsWith(`/${name}.safetensors`)))
    );
  });

test("a warm-up fills the package's own banks and leaves those of choices to requests", () =>
  withTuned(8, async (server) => {
    await ask(server, 'a', 2);
    await server.serving.deactivate('tuned');
    await comes(server, async () => (await gauges(server))['loom_device_bytes'] === 0);
    const { banks } = await server.serving.warmUp('tuned');
    const states = banks.map(({ id, state }) => [id.includes('/choice/'), state]);
    assert.equal(states.sort(), [
      [false, 'resident'],
      [true, 'absent'],
    ]);
    await ask(server, 'a', 3);
  }));

test('each choice answers from its own files, in any company; warm ones start no task', () =>
  withTuned(8, async (server, folder) => {
    await ask(server, '0', 1);
    await ask(server, 'a', 2);
    await holds(server, folder, ['cold', 'a']);
    await ask(server, 'b', 3);
    await ask(server, 'g', 4);
    const before = await started(server);
    const choices = ['0', 'a', 'b', 'g'] as const;
    await Promise.all(
      Array.from({ length: 48 }, (_, index) => ask(server, choices[(index * 7) % 4]!, index % 10)),
    );
    assert.is(await started(server), before);
  }));

test('a choice that was evicted leaves with banks and files, and comes back when it is asked', () =>
  withTuned(1, async (server, folder) => {
    await ask(server, 'a', 1);
    await holds(server, folder, ['cold', 'a']);
    await ask(server, 'b', 1);
    await holds(server, folder, ['cold', 'b']);
    const before = await started(server);
    await ask(server, 'a', 3);
    assert.is(await started(server), before + EXECUTABLES);
    for (let round = 0; round < 4; round += 1) {
      const asks = (['a', 'b', '0', 'a'] as const).map((which, at) => ask(server, which, at));
      await Promise.all(asks);
    }
  }));

test('another choice changes nothing: files that were opened stay what they were', () =>
  withTuned(2, async (server, folder) => {
    await ask(server, 'a', 5);
    const path = join(folder, 'a.safetensors');
    writeFileSync(`${path}.new`, table(700));
    renameSync(`${path}.new`, path);
    await ask(server, 'b', 5);
    await ask(server, 'a', 6);
    await ask(server, 'g', 6);
    await ask(server, 'b', 6);
    // a's choice was the oldest of three: the next one opens what is there now.
    const { rows } = await server.embed('tuned', ['a7']);
    assert.equal(rows[0], Float32Array.of(707));
  }));

test('a choice that cannot be made fails its requests alone and leaves nothing', () =>
  withTuned(4, async (server, folder) => {
    for (const [which, expected] of [
      ['m', /source 1: no parameter file ".*missing\.safetensors"/],
      ['n', /stage tuned\.forward: .*'values'|stage tuned\.forward: .*"values"/],
      ['w', /stage tuned\.forward: .*workspace/],
    ] as const) {
      const company = (['0', 'a', '0'] as const).map((other, at) => ask(server, other, at));
      const asked = [1, 2].map((at) => rejection(server.embed('tuned', [`${which}${at}`])));
      for (const outcome of await Promise.all(asked)) assert.match(outcome.message, expected);
      await Promise.all(company);
    }
    await holds(server, folder, ['cold', 'a']);
  }));

test('leaving joins what was begun, and nothing of it stays', () =>
  withTuned(4, async (server, folder) => {
    await server.topology.record('model-0');
    let cut = false;
    for (let attempt = 0; attempt < 40 && !cut; attempt += 1) {
      const abort = new AbortController();
      const left = server
        .embed('tuned', ['a1'], { signal: abort.signal })
        .catch((error: { code: string }) => assert.is(error.code, 'cancelled'));
      // At every moment, on machines of every speed.
      const delayMs = (attempt % 9) * (1 + attempt / 9);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      abort.abort();
      await server.serving.unregister('tuned');
      await left;
      await comes(server, async () => {
        const { loom_device_executables: executables } = await gauges(server);
        return executables === 0 && openFiles(folder).length === 0;
      });
      const records = (await server.topology.records('model-0')) as SystemRecord[];
      const isAt = (state: string): boolean =>
        records.some(
          (record) =>
            record.type === 'transition' &&
            record.actor.includes('/specializations/') &&
            record.to === state,
        );
      cut = isAt('resolving');
      await server.serve(folder);
    }
    assert.ok(cut, 'some choice was begun when its request left');
  }));

test.after(() => shared.close());

test.run();
