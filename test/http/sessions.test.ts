/** Sessions over HTTP: each change reaches the server, each refusal has its status. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { EventEmitter } from 'node:events';
import { StatusError } from '../../runtime/base/errors.js';
import { errorOf, harness, type Harness } from './harness.js';
import { postJson, until, withServer } from './listening.js';
import { checkLaw } from './sse-law.js';

const path = '/v1/sessions';

interface Session {
  readonly id: string;
  readonly object: string;
  readonly state: string;
  readonly tokens: number;
  readonly checkpoints: { id: string; tokens: number }[];
}

async function open({ post }: Harness): Promise<Session> {
  const response = await post(path, { model: 'm' });
  assert.is(response.status, 201);
  return (await response.json()) as Session;
}

test('a session is opened, shown and ended', async () => {
  const made = harness();
  const session = await open(made);
  const shown = {
    id: 's1',
    object: 'session',
    model: 'm',
    state: 'idle',
    tokens: 0,
    context: 64,
    checkpoints: [],
  };
  assert.equal(session, shown as never);
  assert.equal(await (await made.get(`${path}/s1`)).json(), shown);
  const headers = { host: 'localhost' };
  const ended = await made.app.request(`${path}/s1`, { method: 'DELETE', headers });
  assert.equal(await ended.json(), { id: 's1', object: 'session.deleted', deleted: true });
  assert.is((await made.get(`${path}/s1`)).status, 404);
});

test('open sessions are listed, of all models that may have some or of one', async () => {
  const made = harness();
  const profiles: Readonly<Record<string, string>> = { m: 'text', s: 'sequence', e: 'embeddings' };
  const summary = (id: string) => ({ id, profile: profiles[id]!, generation: 1, createdS: 1 });
  made.serving.models = async () => Object.keys(profiles).map(summary) as never;
  made.serving.model = async (id) => {
    if (id in profiles) return summary(id) as never;
    throw new StatusError('notFound', 'no such model', { param: 'model' });
  };
  const ids = async (query = ''): Promise<string[]> => {
    const response = await made.get(path + query);
    assert.is(response.status, 200);
    const list = (await response.json()) as { object: string; data: Session[] };
    assert.is(list.object, 'list');
    assert.ok(list.data.every(({ object }) => object === 'session'));
    return list.data.map(({ id }) => id);
  };
  assert.equal(await ids(), []);
  for (const model of ['m', 's', 'm']) await made.post(path, { model });
  assert.equal(await ids(), ['s1', 's3', 's2']);
  assert.equal(await ids('?model=s'), ['s2']);
  assert.equal(await ids('?model=e'), []);
  assert.is((await made.get(`${path}?model=x`)).status, 404);
  made.text.failures.push(new StatusError('resourceExhausted', 'all taken', { retryAfterS: 1 }));
  assert.is((await made.post(path, { model: 'm' })).status, 429);
  assert.equal(await ids(), ['s1', 's3', 's2']);
});

test('changes reach the server, and the answer is the session, or the new one', async () => {
  const made = harness();
  await open(made);
  const change = async (name: string, body: unknown = {}, status = 200): Promise<Session> => {
    const response = await made.post(`${path}/s1/${name}`, body);
    assert.is(response.status, status, await response.clone().text());
    return (await response.json()) as Session;
  };
  await change('append', { prompt: 'abc' });
  await change('append', { prompt: [1, 2] });
  await change('append', { messages: [{ role: 'user', content: 'Hi' }] });
  assert.is((await change('rewind', { tokens: 3 })).tokens, 3);
  assert.equal((await change('checkpoint')).checkpoints.at(-1), { id: 'c1', tokens: 3 });
  await change('restore', { checkpoint: 'c1' });
  assert.is((await change('fork', {}, 201)).id, 's2');
  assert.equal(
    made.text.changes.map((one) => one.change),
    [
      { op: 'append', prompt: { kind: 'text', text: 'abc' } },
      { op: 'append', prompt: { kind: 'tokens', ids: [1, 2] } },
      {
        op: 'append',
        prompt: {
          kind: 'chat',
          json: '{"messages":[{"role":"user","content":"Hi"}],"add_generation_prompt":false}',
        },
      },
      { op: 'rewind', tokens: 3 },
      { op: 'checkpoint' },
      { op: 'restore', checkpoint: 'c1' },
      { op: 'fork' },
    ],
  );
});

test('a turn answers messages as a chat, and all else as a completion', () =>
  withServer(async (made, { url }) => {
    await open(made);
    const turn = `${path}/s1/generate`;
    const messages = [{ role: 'user', content: 'Hi' }];
    const chat = await (await made.post(turn, { messages, temperature: 0 })).json();
    assert.is((chat as { object: string }).object, 'chat.completion');
    const plain = await (await made.post(turn, { prompt: 'a', max_tokens: 1 })).json();
    assert.is((plain as { object: string }).object, 'text_completion');
    await made.post(turn, {});
    const asked = made.text.calls.map(({ model, body }) => ({ model, session: body.session }));
    assert.equal(
      asked,
      Array.from({ length: 3 }, () => ({ model: 'm', session: 's1' })),
    );
    assert.equal(made.text.calls[1]!.body.maxTokens, 1);
    assert.equal(made.text.calls[2]!.body.prompt, { kind: 'tokens', ids: [] });
    for (const [form, body] of [
      ['chat', { messages }],
      ['completion', { prompt: 'a' }],
    ] as const) {
      const response = await postJson(url + turn, { ...body, stream: true });
      assert.equal(checkLaw(await response.text(), { form }).texts, ['Hello']);
    }
  }));

test('a client that leaves stops its turn, and the session stays', () =>
  withServer(async (made, { url }) => {
    await open(made);
    made.text.speeches = [{ tokens: ['a', 'b'], hangAt: 1 }];
    const client = new AbortController();
    const body = { prompt: 'a', stream: true };
    await postJson(`${url}${path}/s1/generate`, body, { signal: client.signal });
    client.abort();
    await until(() => made.text.aborted.length === 1);
    assert.is((await made.get(`${path}/s1`)).status, 200);
  }));

test('a session that is opened when its client has left is ended', () =>
  withServer(async ({ text, lines, services }, { url }) => {
    let go = (): void => undefined;
    text.opening = new Promise((resolve) => (go = resolve));
    const client = new AbortController();
    const asked = postJson(url + path, { model: 'm' }, { signal: client.signal });
    asked.catch(() => undefined);
    await until(() => services.open.requests === 1);
    client.abort();
    await until(() => lines.some(({ message }) => message === 'POST /v1/sessions 499'));
    assert.equal(text.dropped, []);
    go();
    await until(() => text.dropped.length === 1);
    assert.equal(text.dropped, ['s1']);
    await postJson(url + path, { model: 'm' });
    assert.equal(text.dropped, ['s1']);
  }));

/** The part of a response that is looked at: it closes when a test says so. */
class Outgoing extends EventEmitter {
  writableFinished = false;
  destroyed = false;
}

for (const [name, place] of [
  ['opened', path],
  ['forked', `${path}/s1/fork`],
] as const) {
  test(`a session that was ${name} is ended unless its answer was written`, async () => {
    const made = harness();
    await open(made);
    const ask = async (): Promise<Outgoing> => {
      const outgoing = new Outgoing();
      const headers = { host: 'localhost', 'content-type': 'application/json' };
      const init = { method: 'POST', headers, body: '{"model":"m"}' };
      assert.is((await made.app.request(place, init, { outgoing })).status, 201);
      return outgoing;
    };
    const written = await ask();
    written.writableFinished = true;
    written.emit('close');
    assert.equal(made.text.dropped, []);
    (await ask()).emit('close');
    assert.equal(made.text.dropped, ['s3']);
  });
}

test('a change of a session that is known ends nothing when its answer is lost', async () => {
  const made = harness();
  await open(made);
  const outgoing = new Outgoing();
  const headers = { host: 'localhost', 'content-type': 'application/json' };
  const init = { method: 'POST', headers };
  await made.app.request(`${path}/s1/checkpoint`, init, { outgoing });
  outgoing.emit('close');
  assert.equal(made.text.dropped, []);
});

for (const [code, status, options] of [
  ['failedPrecondition', 409, {}],
  ['gone', 410, {}],
  ['notFound', 404, { param: 'session' }],
  ['resourceExhausted', 429, { retryAfterS: 2 }],
] as const) {
  test(`${code} of the server is ${status}`, async () => {
    const made = harness();
    await open(made);
    const failure = (): void =>
      void made.text.failures.push(new StatusError(code, 'because', options));
    failure();
    assert.is((await made.post(`${path}/s1/fork`, {})).status, status);
    failure();
    const turn = await made.post(`${path}/s1/generate`, { prompt: 'a', stream: true });
    assert.is(turn.status, status);
    assert.is((await errorOf(turn)).message, 'because');
    failure();
    const another = await made.post(path, { model: 'm' });
    assert.is(another.status, status);
    assert.is(another.headers.get('retry-after'), status === 429 ? '2' : null);
  });
}

const wrongBodies: [string, string, object, string, RegExp][] = [
  ['no model', '', {}, 'model', /not missing/],
  ['nothing to append', '/s1/append', {}, 'prompt', /must be given/],
  ['two prompts', '/s1/append', { prompt: 'a', messages: [] }, 'prompt', /together/],
  ['two prompts of a turn', '/s1/generate', { prompt: 'a', messages: [] }, 'prompt', /together/],
  ['two answers', '/s1/generate', { prompt: 'a', n: 2 }, 'n', /fork the session/],
  ['a prompt that is none', '/s1/generate', { prompt: {} }, 'prompt', /not an object/],
  ['no length to keep', '/s1/rewind', {}, 'tokens', /whole number/],
  ['a negative one', '/s1/rewind', { tokens: -1 }, 'tokens', /at least 0/],
  ['no checkpoint', '/s1/restore', {}, 'checkpoint', /id of a checkpoint/],
];

for (const [name, route, body, param, message] of wrongBodies) {
  test(`${name} is 400 and names the field`, async () => {
    const made = harness();
    await open(made);
    const response = await made.post(path + route, body);
    assert.is(response.status, 400);
    const error = await errorOf(response);
    assert.is(error.param, param);
    assert.match(error.message, message);
    assert.equal(made.text.changes, []);
  });
}

test('what a plain form can send changes nothing', async () => {
  const made = harness();
  await open(made);
  for (const change of ['fork', 'checkpoint', 'append']) {
    const headers = { 'content-type': 'text/plain' };
    assert.is((await made.post(`${path}/s1/${change}`, {}, headers)).status, 415);
  }
  assert.equal(made.text.changes, []);
});

test('a draining server takes no change', async () => {
  const made = harness();
  await open(made);
  made.draining = true;
  assert.is((await made.post(`${path}/s1/fork`, {})).status, 503);
  assert.is((await made.post(path, { model: 'm' })).status, 503);
  assert.is((await made.get(`${path}/s1`)).status, 200);
});

test.run();
