/** `check`, `report` and the probe of packages with retained rows, on a server of their own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkPackage, reportPackage } from '../../../actors/start.js';
import {
  smallSequenceControl,
  smallTextControl,
  smallTextKernel,
  smallTextPrepare,
} from '../../runtime/packages/small-text.js';
import { rejection, serverOptions, withServer } from '../running-server.js';

/** A package in a folder for as long as `use` takes. */
async function inFolder(
  document: object,
  texts: Readonly<Record<string, string>>,
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'loom-tools-'));
  try {
    const definition = {
      prepare: 'prepare.loom',
      control: 'control.loom',
      sources: ['kernel.loom'],
    };
    const model = { loom: 1, id: 'small', definition, ...document };
    const files = {
      'model.json': JSON.stringify(model),
      'prepare.loom': smallTextPrepare,
      'kernel.loom': smallTextKernel,
      ...texts,
    };
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(join(folder, name, '..'), { recursive: true });
      writeFileSync(join(folder, name), text);
    }
    await use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const tool = (folder: string) => ({ ...serverOptions(), package: folder, onProgress() {} });

/** What a turn of the small package says, by its rule in words; 1 would end it. */
function said(prompt: readonly number[], count: number): number[] {
  const ids = [...prompt];
  while (ids.length < prompt.length + count) {
    ids.push(((2 * ids.reduce((sum, id) => sum + id, 0) + 7) % 60) + 2);
  }
  return ids.slice(prompt.length);
}

const turn = (prompt: readonly number[], count: number) => ({ prompt, max_tokens: count });

test('a package is checked on the device that it names', () => {
  const document = { profile: 'text', deployment: { device: 'webgpu:no such adapter' } };
  return inFolder(document, { 'control.loom': smallTextControl }, async (folder) => {
    const { code, message } = await rejection(checkPackage(tool(folder)));
    assert.is(code, 'failedPrecondition');
    assert.match(message, /this machine has no WebGPU adapter|npm package webgpu/);
  });
});

test('cases and scenarios of a text package pass through the server', () => {
  const prompt = [5, 9, 33, 2, 8, 61, 7, 40, 3, 3];
  const right = {
    request: turn(prompt, 6),
    expect: { ids: said(prompt, 6), finish: 'length' },
  };
  const wrong = { request: turn(prompt, 1), expect: { ids: [said(prompt, 1)[0]! + 1] } };
  const refused = {
    request: { ...turn(prompt, 1), top_k: 51 },
    expect: { error: { code: 'invalidArgument', message: 'top_k is above 50' } },
  };
  const traffic = {
    steps: [
      { send: 'a', request: turn(prompt, 20) },
      { send: 'b', request: turn([9, 9, 2], 12) },
      { send: 'c', request: turn([44], 25) },
    ],
    expect: Object.fromEntries(
      ['a', 'b', 'c'].map((name) => [name, { outcome: 'answer', same_as_alone: true }]),
    ),
  };
  const texts = {
    'control.loom': smallTextControl,
    'cases/right.json': JSON.stringify(right),
    'cases/refused.json': JSON.stringify(refused),
    'cases/wrong.json': JSON.stringify(wrong),
    'scenarios/traffic.json': JSON.stringify(traffic),
  };
  return inFolder({ profile: 'text' }, texts, async (folder) => {
    const { items } = await checkPackage(tool(folder));
    const failed = items.filter(({ outcome }) => outcome !== 'passed');
    assert.equal(
      failed.map(({ name }) => name),
      ['wrong'],
    );
    assert.is(items.length, 4);
  });
});

test('the first case of a text package is the probe of readiness', async () => {
  const ready = async (request: object): Promise<readonly string[]> => {
    const reasons: string[] = [];
    const first = { request, expect: { finish: 'length' } };
    const texts = { 'control.loom': smallTextControl, 'cases/a.json': JSON.stringify(first) };
    await inFolder({ profile: 'text' }, texts, (folder) =>
      withServer([], async (server) => {
        await server.serve(folder);
        reasons.push(...(await server.serving.readiness()).reasons);
      }),
    );
    return reasons;
  };
  assert.equal(await ready(turn([5, 6], 9)), []);
  const [reason] = await ready({ ...turn([5, 6], 9), top_k: 51 });
  assert.match(reason!, /model small does not answer its first case: .*top_k is above 50/);
});

test('a report shows the sizes of rows, epochs and packets', () =>
  inFolder({ profile: 'sequence' }, { 'control.loom': smallSequenceControl }, async (folder) => {
    const { profile, sections, stages } = await reportPackage(tool(folder));
    assert.is(profile, 'sequence');
    assert.is(stages.length, 2);
    const { rows } = sections[0]!;
    const valueOf = (name: string) => rows.find((row) => row.name === name)?.value;
    assert.is(valueOf('tokens of an epoch'), 8);
    assert.is(valueOf('bytes of all pages'), 24 * 16);
    assert.is(valueOf('bytes of all states'), 6 * 8);
  }));

test.run();
