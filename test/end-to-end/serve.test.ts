/** `loom-serve` as a user meets it: the real process over a socket. time limit: 120 s */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { copyFileSync, cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddingsConformance } from '../conformance/openai.js';
import { firstOutputOracle } from '../oracles/first-output.js';
import { repositoryRoot } from '../runtime/packages/repository-root.js';
import { runCommandLine, serveCommand, type ServedCommand } from './command.js';

const models = (name: string): string => join(repositoryRoot, 'models', name);
let served: ServedCommand;

const post = (path: string, body: unknown): Promise<Response> =>
  fetch(served.url + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

const embed = async (input: unknown): Promise<number[][]> => {
  const response = await post('/v1/embeddings', { model: 'first-output', input });
  assert.is(response.status, 200);
  const { data } = (await response.json()) as { data: { embedding: number[] }[] };
  return data.map((row) => row.embedding);
};

test.before(async () => {
  const packages = ['first-output', 'embedding', 'decision'].map(models);
  served = await serveCommand(packages, tmpdir());
});

test('the curl line of the README answers, and the start says what it serves', async () => {
  assert.equal(await embed(['abc', 'hello']), [
    [...firstOutputOracle('abc')],
    [...firstOutputOracle('hello')],
  ]);
  assert.match(served.output(), /first-output \(embeddings\)/);
  assert.match(served.output(), /embedding \(embeddings\)/);
  assert.match(served.output(), /curl -s http/);
});

test('the openai client finds what it expects', () =>
  embeddingsConformance({
    baseURL: `${served.url}/v1`,
    model: 'first-output',
    oracle: (text) => [...firstOutputOracle(text)],
    tolerance: 0,
  }));

test('200 concurrent requests over sockets equal the oracle', async () => {
  const texts = Array.from({ length: 200 }, (_, i) => `request ${i} ${'é'.repeat(i % 40)}`);
  const answers = await Promise.all(texts.map((text) => embed(text)));
  answers.forEach(([row], i) => assert.equal(row, [...firstOutputOracle(texts[i]!)]));
});

test('decisions over sockets have the same bits alone and among others', async () => {
  const decide = async (...questions: object[]): Promise<unknown[]> => {
    const response = await post('/v1/decisions', { model: 'decision', questions });
    assert.is(response.status, 200);
    const { data } = (await response.json()) as { data: { answers: unknown }[] };
    return data.map(({ answers }) => answers);
  };
  const questions = Array.from({ length: 40 }, (_, at) => {
    const text = `question ${at} ${'é'.repeat(at % 9)}`;
    return at % 2 === 0 ? { kind: 'yes_no', text } : { kind: 'score', text, min: 0, max: at };
  });
  const alone: unknown[] = [];
  for (const question of questions) alone.push(...(await decide(question)));
  const among = await Promise.all(questions.map((question) => decide(question)));
  assert.equal(among.flat(), alone);
  assert.equal(await decide(...questions), alone);
});

test('bad input is told by field, limit and knob, and the next request succeeds', async () => {
  const cases: [unknown, number, RegExp][] = [
    ['{"model": "first-output", "input": ', 400, /JSON/],
    [{ model: 'first-output', input: 7 }, 400, /"param":"input"/],
    [{ model: 'first-output', input: [] }, 400, /"param":"input"/],
    [{ model: 'first-output', input: '' }, 400, /"param":"input"/],
    [{ model: 'first-output', input: 'x'.repeat(5000) }, 400, /5000.*4096/],
    [{ model: 'first-output', input: 'a', dimensions: 4 }, 400, /dimensions/],
    [{ model: 'nobody', input: 'a' }, 404, /nobody/],
    [{ input: 'a' }, 400, /"param":"model"/],
    [`{"model":"first-output","input":${'['.repeat(5000)}${']'.repeat(5000)}}`, 400, /error/],
    [{ model: 'first-output', input: '\ud800' }, 400, /"param":"input"/],
  ];
  for (const [body, status, pattern] of cases) {
    const response = await post('/v1/embeddings', body);
    const text = await response.text();
    assert.is(response.status, status, text);
    assert.match(text, pattern);
    assert.equal(await embed('abc'), [[...firstOutputOracle('abc')]]);
  }
});

test('a package is registered, watched, replaced and removed over admin', async () => {
  const base = mkdtempSync(join(tmpdir(), 'loom-admin-'));
  cpSync(models('first-output'), join(base, 'copy'), { recursive: true });
  const model = JSON.parse(
    (await import('node:fs')).readFileSync(join(base, 'copy', 'model.json'), 'utf8'),
  ) as object;
  const document = { ...model, id: 'second' };
  const accepted = await post('/admin/models', {
    id: 'second',
    base: join(base, 'copy'),
    model: document,
  });
  assert.is(accepted.status, 202);
  const state = async (): Promise<{ state: string; generation: number }> =>
    (await (await fetch(`${served.url}/admin/models/second`)).json()) as never;
  while ((await state()).state !== 'serving') await new Promise((next) => setTimeout(next, 20));
  const answer = await post('/v1/embeddings', { model: 'second', input: 'abc' });
  assert.is(answer.status, 200);
  const again = await post('/admin/models?wait', {
    id: 'second',
    base: join(base, 'copy'),
    model: document,
  });
  assert.ok(again.ok, await again.text());
  assert.is((await state()).generation, 2);
  writeFileSync(join(base, 'copy', 'kernel.loom'), 'library first_output\nkernel.def broken(');
  const broken = await post('/admin/models?wait', {
    id: 'second',
    base: join(base, 'copy'),
    model: document,
  });
  assert.is(broken.status, 422);
  assert.match(await broken.text(), /kernel\.loom:2:\d+/);
  assert.is((await post('/v1/embeddings', { model: 'second', input: 'abc' })).status, 200);
  const removed = await fetch(`${served.url}/admin/models/second`, { method: 'DELETE' });
  assert.ok(removed.ok);
  assert.is((await post('/v1/embeddings', { model: 'second', input: 'abc' })).status, 404);
  rmSync(base, { recursive: true });
});

test('health, metrics and the description of the routes are there', async () => {
  const get = async (path: string): Promise<string> => {
    const response = await fetch(served.url + path);
    assert.is(response.status, 200, path);
    return response.text();
  };
  await get('/livez');
  await get('/readyz');
  const metrics = await get('/metrics');
  for (const name of ['loom_requests_total', 'loom_cohort_members', 'loom_thread_messages']) {
    assert.match(metrics, new RegExp(`^${name}`, 'm'));
  }
  const routes = JSON.parse(await get('/openapi.json')) as { paths: object };
  assert.ok('/v1/embeddings' in routes.paths);
  assert.match(await get('/docs'), /<html/i);
});

test('an interrupt drains and exits 0', async () => {
  const pending = Array.from({ length: 20 }, (_, i) => embed(`last ${i}`));
  const settled = Promise.allSettled(pending);
  await new Promise((next) => setTimeout(next, 30));
  assert.is(await served.stop('SIGINT'), 0);
  for (const outcome of await settled) {
    if (outcome.status === 'fulfilled') assert.is(outcome.value[0]!.length, 8);
  }
});

test('text and bytecode are the same program in every role', async () => {
  const base = mkdtempSync(join(tmpdir(), 'loom-bytecode-'));
  const folder = join(base, 'copy');
  cpSync(models('first-output'), folder, { recursive: true });
  const text = (await import('node:fs')).readFileSync(join(folder, 'model.json'), 'utf8');
  for (const name of ['prepare', 'control', 'config', 'kernel', 'oracle']) {
    const from = join(folder, `${name}.loom`);
    const out = join(folder, `${name}.loombc`);
    const compiled = await runCommandLine(['compile', from, '-o', out], tmpdir());
    assert.is(compiled.code, 0, compiled.output);
    copyFileSync(out, from);
  }
  writeFileSync(
    join(folder, 'model.json'),
    text.replace(/(prepare|control|config|kernel)\.loom"/g, '$1.loombc"'),
  );
  const printed = await runCommandLine(['print', join(folder, 'kernel.loombc')], tmpdir());
  assert.match(printed.output, /kernel\.def/);
  const checked = await runCommandLine(['check', folder], tmpdir());
  assert.is(checked.code, 0, checked.output);
  rmSync(base, { recursive: true });
});

test('a package that does not start ends the command with its diagnostics', async () => {
  const base = mkdtempSync(join(tmpdir(), 'loom-broken-'));
  cpSync(models('first-output'), join(base, 'copy'), { recursive: true });
  writeFileSync(join(base, 'copy', 'control.loom'), 'func.def x( {\n');
  const { code, output } = await runCommandLine(['serve', 'copy', '--port', '0'], base);
  assert.is(code, 1);
  assert.match(output, /control\.loom:1:\d+/);
  rmSync(base, { recursive: true });
});

test.run();
