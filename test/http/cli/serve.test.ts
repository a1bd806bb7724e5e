import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

const child = join(import.meta.dirname, 'serve-child.js');

interface Started {
  readonly text: () => string;
  /** Resolves when the output holds the pattern. */
  sees(pattern: RegExp): Promise<RegExpExecArray>;
  signal(name: NodeJS.Signals): void;
  readonly ended: Promise<number | null>;
}

function start(...args: string[]): Started {
  const run = spawn(process.execPath, [child, 'serve', '--port', '0', ...args], {
    // Nothing may depend on where it is started from.
    cwd: tmpdir(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const waiting = new Set<() => void>();
  for (const stream of [run.stdout, run.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      for (const look of waiting) look();
    });
  }
  return {
    text: () => text,
    sees: (pattern) =>
      new Promise((resolve) => {
        const look = (): void => {
          const match = pattern.exec(text);
          if (match === null) return;
          waiting.delete(look);
          resolve(match);
        };
        waiting.add(look);
        look();
      }),
    signal: (name) => void run.kill(name),
    ended: new Promise((resolve) => run.on('close', resolve)),
  };
}

const embed = (url: string, model: string): Promise<Response> =>
  fetch(`${url}/v1/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, input: 'abc' }),
  });

test('serve says what it serves and how to ask, and its own curl line works', async () => {
  const server = start('packages/first-output', 'packages/second');
  const [, url = ''] = await server.sees(/is ready on (\S+)/);
  await server.sees(/routes: /);
  assert.match(server.text(), 'first-output (embeddings)');
  assert.match(server.text(), 'second (embeddings)');
  const [, address = '', body = ''] = await server.sees(/curl -s (\S+embeddings) .*-d '(.*)'/);
  const answer = await fetch(address, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  assert.is(answer.status, 200);
  assert.is((await fetch(`${url}/readyz`)).status, 200);
  server.signal('SIGINT');
  assert.is(await server.ended, 0);
  assert.match(server.text(), /stopping.*\n.*drained\nclosed/);
});

test('--record hears of the options, and of what arrives and leaves, and of no secret', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'loom-serve-record-'));
  const file = join(folder, 'traffic');
  try {
    const token = 'only-for-operators';
    const options = ['--record', file, '--max-batch', '7', '--admin-token', token];
    const server = start('packages/first-output', ...options);
    const [, url = ''] = await server.sees(/is ready on (\S+)/);
    assert.is((await embed(url, 'first-output')).status, 200);
    server.signal('SIGTERM');
    assert.is(await server.ended, 0);
    const text = readFileSync(file, 'utf8');
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string; options?: { batchMax: number } });
    assert.equal(
      lines.map(({ type }) => type),
      ['server', 'arrived', 'body', 'answered'],
    );
    assert.is(lines[0]!.options!.batchMax, 7);
    assert.not.ok(text.includes(token));
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test('SIGTERM ends it with 0 as well, with keep-alive connections open', async () => {
  const server = start('packages/first-output');
  const [, url = ''] = await server.sees(/is ready on (\S+)/);
  assert.is((await embed(url, 'first-output')).status, 200);
  server.signal('SIGTERM');
  assert.is(await server.ended, 0);
});

test('a second signal ends it at once, whatever is still running', async () => {
  const server = start('packages/stuck', '--drain-timeout', '600');
  const [, url = ''] = await server.sees(/is ready on (\S+)/);
  const pending = embed(url, 'stuck').catch(() => 'cut');
  await server.sees(/has it/);
  server.signal('SIGINT');
  await server.sees(/stopping/);
  server.signal('SIGINT');
  assert.is(await server.ended, 130);
  assert.is(await pending, 'cut');
});

test('accepted work that never ends is cut at --drain-timeout, with 0', async () => {
  const server = start('packages/stuck', '--drain-timeout', '0.2');
  const [, url = ''] = await server.sees(/is ready on (\S+)/);
  const pending = embed(url, 'stuck').catch(() => 'cut');
  await server.sees(/has it/);
  server.signal('SIGINT');
  assert.is(await server.ended, 0);
  assert.is(await pending, 'cut');
});

test('a package that does not come up ends the start with its diagnostics and 1', async () => {
  const server = start('packages/first-output', 'packages/broken');
  assert.is(await server.ended, 1);
  assert.match(server.text(), 'cannot serve packages/broken');
  assert.match(server.text(), 'a.loom:1:1: broken');
  assert.match(server.text(), 'a.loom:2:1: broken too');
  assert.match(server.text(), 'closed');
});

test('two folders with one id are refused before anything starts, both named', async () => {
  const root = mkdtempSync(join(tmpdir(), 'loom-folders-'));
  const folders = ['left', 'right', 'other'].map((name) => join(root, name));
  for (const folder of folders) {
    mkdirSync(folder);
    const id = folder.endsWith('other') ? 'other' : 'same';
    writeFileSync(join(folder, 'model.json'), JSON.stringify({ id }));
  }
  const [left, right, other] = folders as [string, string, string];
  for (const pair of [
    [left, right],
    [other, left, left],
  ]) {
    const server = start(...pair);
    assert.is(await server.ended, 1);
    const named = pair.slice(-2).join(' and ');
    assert.match(server.text(), `${named} are both the package 'same'`);
    assert.not.match(server.text(), /closed/);
  }
  const server = start(left, other);
  await server.sees(/is ready on/);
  server.signal('SIGINT');
  assert.is(await server.ended, 0);
  rmSync(root, { recursive: true });
});

test('--id is for one checkpoint that has no id of its own', async () => {
  const root = mkdtempSync(join(tmpdir(), 'loom-id-'));
  writeFileSync(join(root, 'model.json'), '{"id":"own"}');
  const rows: [folders: string[], why: string][] = [
    [[root], `the package ${root} has its id in there`],
    [['one.gguf', root], `the package ${root} has its id in there`],
    [['one.gguf', 'two.gguf'], '2 are given'],
    [[], '0 are given'],
  ];
  for (const [folders, why] of rows) {
    const server = start('--id', 'mine', ...folders);
    assert.is(await server.ended, 1);
    const rule = '--id mine is for one checkpoint without a model.json';
    assert.match(server.text(), `${rule}, and ${why}`);
  }
  const same = start('left/tiny', 'right/tiny.gguf');
  assert.is(await same.ended, 1);
  assert.match(same.text(), "left/tiny and right/tiny.gguf are both the package 'tiny'");
  rmSync(root, { recursive: true });
});

test('on every address the ready line prints one that answers', async () => {
  const server = start('packages/first-output', '--host', '0.0.0.0');
  const [, url = ''] = await server.sees(/is ready on (\S+), and on every other address/);
  assert.match(url, /^http:\/\/127\.0\.0\.1:\d+$/);
  assert.is((await embed(url, 'first-output')).status, 200);
  server.signal('SIGINT');
  assert.is(await server.ended, 0);
});

test('without packages it serves and says how to register one', async () => {
  const server = start();
  await server.sees(/no models yet: POST \/admin\/models/);
  server.signal('SIGINT');
  assert.is(await server.ended, 0);
});

test.run();
