import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { docsPage } from '../../http/docs-page.js';
import { metricTable } from '../../http/metrics.js';
import { errorOf, harness } from './harness.js';

const good = { model: 'first-output', input: 'abc' };

test('models are listed as OpenAI lists them', async () => {
  const { get } = harness();
  const model = {
    id: 'first-output',
    object: 'model',
    created: 1_700_000_000,
    owned_by: 'loom-serve',
    profile: 'embeddings',
    generation: 1,
  };
  assert.equal(await (await get('/v1/models')).json(), { object: 'list', data: [model] });
  assert.equal(await (await get('/v1/models/first-output')).json(), model);
  const none = await get('/v1/models/none');
  assert.is(none.status, 404);
  assert.is((await errorOf(none)).code, 'model_not_found');
});

test('livez answers whatever the models do', async () => {
  const made = harness();
  made.draining = true;
  made.serving.ready = { ready: false, reasons: ['x'] };
  assert.is((await made.get('/livez')).status, 200);
});

test('readyz waits for the packages that the server was started with', async () => {
  const made = harness();
  made.starting = true;
  const response = await made.get('/readyz');
  assert.is(response.status, 503);
  assert.match(await response.text(), /still being prepared/);
  made.starting = false;
  assert.is((await made.get('/readyz')).status, 200);
});

test('readyz says why not, and is never ready while draining', async () => {
  const made = harness();
  assert.is((await made.get('/readyz')).status, 200);
  made.serving.ready = { ready: false, reasons: ['first-output: case 0 failed'] };
  const response = await made.get('/readyz');
  assert.is(response.status, 503);
  assert.ok(response.headers.get('retry-after'));
  assert.equal(await response.json(), made.serving.ready);
  made.serving.ready = { ready: true, reasons: [] };
  made.draining = true;
  assert.is((await made.get('/readyz')).status, 503);
});

test('a draining server refuses requests with Retry-After', async () => {
  const made = harness();
  made.draining = true;
  const response = await made.post('/v1/embeddings', good);
  assert.is(response.status, 503);
  assert.is(response.headers.get('retry-after'), '5');
  assert.is(made.serving.calls.length, 0);
});

test('metrics count requests by outcome, and show what the server sets', async () => {
  const { post, get } = harness();
  await post('/v1/embeddings', good);
  await post('/v1/embeddings', good);
  await post('/v1/embeddings', { model: 'made-up-by-a-client', input: 'a' });
  const response = await get('/metrics');
  assert.match(response.headers.get('content-type') ?? '', 'text/plain');
  const text = await response.text();
  const requests = (labels: string) => `loom_requests_total{${labels}}`;
  const route = 'route="/v1/embeddings"';
  assert.match(text, `${requests(`${route},model="first-output",outcome="ok"`)} 2`);
  assert.match(text, `${requests(`${route},model="",outcome="model_not_found"`)} 1`);
  assert.not.match(text, 'made-up-by-a-client');
  assert.match(text, 'loom_queue_depth{model="first-output"} 3');
  assert.match(text, 'loom_execute_seconds_count{model="first-output"} 2');
  assert.match(text, 'loom_process_bytes{kind="rss"}');
  for (const name of Object.keys(metricTable)) assert.match(text, `# HELP ${name} `);
});

test('gauges of a deployment that left do not linger', async () => {
  const { get, serving } = harness();
  assert.match(await (await get('/metrics')).text(), 'loom_queue_depth{model="first-output"}');
  serving.ids.clear();
  assert.not.match(await (await get('/metrics')).text(), 'model="first-output"} 3');
});

test('a metric that the table does not have is a bug', () => {
  const { metrics } = harness().services;
  assert.throws(() => metrics.add('loom_unknown', {}, 1), /metricTable/);
  assert.throws(() => metrics.set('loom_requests_total', {}, 1), /gauge/);
  assert.throws(() => metrics.observe('loom_queue_depth', {}, 1), /histogram/);
});

test('each request leaves one line, louder the worse it went', async () => {
  const { post, lines, serving } = harness();
  await post('/v1/embeddings', good);
  await post('/v1/embeddings', { model: 'x' });
  serving.failures.push(new Error('broken'));
  await post('/v1/embeddings', good);
  assert.equal(
    lines.map((line) => line.level),
    ['debug', 'info', 'error'],
  );
  assert.is((lines[0]?.fields as { units?: number }).units, 3);
});

interface Api {
  readonly openapi: string;
  readonly info: { version: string };
  readonly paths: Record<string, Record<string, { responses: Record<string, unknown> }>>;
  readonly components: { schemas: Record<string, { required?: string[] }> };
}

test('openapi.json describes every route that answers', async () => {
  const { get, app } = harness();
  const api = (await (await get('/openapi.json')).json()) as Api;
  assert.is(api.openapi, '3.1.0');
  assert.is(api.info.version, '1.2.3');
  const described = new Set(
    Object.entries(api.paths).flatMap(([path, verbs]) =>
      Object.keys(verbs).map((verb) => `${verb.toUpperCase()} ${path}`),
    ),
  );
  const pages = new Set([
    'GET /openapi.json',
    'GET /',
    'GET /docs',
    'GET /console',
    'GET /console/assets/*',
  ]);
  for (const route of app.routes) {
    if (route.method === 'ALL') continue;
    const path = route.path.replace(/:(\w+)(\{[^}]*\})?/g, '{$1}');
    const name = `${route.method} ${path}`;
    assert.ok(described.delete(name) || pages.has(name), name);
  }
  assert.equal([...described], []);
});

test('openapi.json describes the headers that set a deadline and an id', async () => {
  const { get } = harness();
  const { paths } = (await (await get('/openapi.json')).json()) as {
    paths: Record<string, { post: { parameters: Record<string, unknown>[] } }>;
  };
  const { parameters } = paths['/v1/embeddings']!.post;
  assert.equal(
    parameters.map((parameter) => [parameter['in'], parameter['name'], parameter['required']]),
    [
      ['header', 'x-request-timeout', false],
      ['header', 'x-request-id', false],
    ],
  );
  assert.match(JSON.stringify(parameters), /Seconds within which.*--request-timeout/);
});

test('every reference in openapi.json leads somewhere', async () => {
  const { get } = harness();
  const text = await (await get('/openapi.json')).text();
  const { components } = JSON.parse(text) as Api;
  const references = [...text.matchAll(/"#\/components\/schemas\/(\w+)"/g)].map(
    (match) => match[1],
  );
  assert.ok(references.length > 5);
  assert.equal(components.schemas.EmbeddingsRequest?.required, ['model', 'input']);
  for (const name of references) assert.ok(name !== undefined && name in components.schemas, name);
});

test('the page for it needs no other host', async () => {
  const { get } = harness();
  for (const path of ['/', '/docs']) {
    const response = await get(path);
    assert.match(response.headers.get('content-type') ?? '', 'text/html');
    assert.is(await response.text(), docsPage);
  }
  assert.not.match(docsPage, /https?:|src=|@import|url\(/);
  const script = /<script type="module">(.*)<\/script>/s.exec(docsPage)?.[1] ?? '';
  // It must at least be a program: a typo in a string is seen by no compiler.
  assert.not.throws(() => new Function(`return async () => {${script}}`));
});

test.run();
