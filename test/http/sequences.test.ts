/** Known-token sequences over HTTP: forms of input, of output, sessions, refusals. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../runtime/base/errors.js';
import { errorOf, harness, type Harness } from './harness.js';

const path = '/v1/sequences';
const values = [1.5, -0.25, 0.10000000149011612];
const bytes = new Uint8Array(Float32Array.from(values).buffer);

interface Answer {
  readonly object: string;
  readonly model: string;
  readonly data: { object: string; index: number; tokens: number; output: number[] | string }[];
  readonly usage: Record<string, number>;
}

function encoder(): Harness {
  const made = harness();
  made.text.speeches = [{ tokens: [] }];
  made.text.captured = bytes;
  return made;
}

async function ask({ post }: Harness, more: object): Promise<Answer> {
  const response = await post(path, { model: 'm', ...more });
  assert.is(response.status, 200, await response.clone().text());
  return (await response.json()) as Answer;
}

test('each input is a turn that says nothing, and its output comes in its place', async () => {
  const made = encoder();
  const answer = await ask(made, { input: [[1, 2], [3]] });
  const entry = { object: 'sequence', tokens: 5, output: values };
  assert.equal(answer, {
    object: 'list',
    model: 'm',
    data: [
      { ...entry, index: 0 },
      { ...entry, index: 1 },
    ],
    usage: { prompt_tokens: 10, total_tokens: 10 },
  } as never);
  const bodies = made.text.calls.map(({ body }) => body);
  assert.equal(
    bodies.map(({ prompt }) => prompt),
    [
      { kind: 'tokens', ids: [1, 2] },
      { kind: 'tokens', ids: [3] },
    ],
  );
  for (const body of bodies) {
    assert.equal([body.maxTokens, body.session, body.profile], [0, null, 'sequence']);
  }
});

test('one list, one text, texts', async () => {
  const made = encoder();
  const prompts = async (input: unknown) => {
    made.text.calls.length = 0;
    await ask(made, { input });
    return made.text.calls.map(({ body }) => body.prompt);
  };
  assert.equal(await prompts([7, 8]), [{ kind: 'tokens', ids: [7, 8] }]);
  assert.equal(await prompts('ab'), [{ kind: 'text', text: 'ab' }]);
  assert.equal(await prompts(['a', 'b']), [
    { kind: 'text', text: 'a' },
    { kind: 'text', text: 'b' },
  ]);
});

test('base64 holds the bytes as they are, whatever they are', async () => {
  const made = encoder();
  made.text.captured = bytes.subarray(1, 8);
  const { data } = await ask(made, { input: [1], encoding_format: 'base64' });
  assert.equal(Buffer.from(data[0]!.output as string, 'base64'), Buffer.from(bytes.slice(1, 8)));
  const refused = await errorOf(await made.post(path, { model: 'm', input: [1] }));
  assert.equal([refused.param, refused.code], ['encoding_format', 'invalid_argument']);
  made.text.captured = new Uint8Array(Float32Array.of(1, NaN).buffer);
  const broken = await made.post(path, { model: 'm', input: [1] });
  assert.is(broken.status, 500);
  assert.match((await errorOf(broken)).message, /value 1 of a sequence is NaN/);
});

test('a session takes one input', async () => {
  const made = encoder();
  await ask(made, { input: [[4, 5]], session: 's1' });
  assert.is(made.text.calls[0]!.body.session, 's1');
  await ask(made, { input: [4], session: null });
  assert.is(made.text.calls[1]!.body.session, null);
  const refused = await errorOf(
    await made.post(path, { model: 'm', input: [[1], [2]], session: 's1' }),
  );
  assert.is(refused.param, 'input');
  assert.match(refused.message, /a session takes one at a time, not 2/);
});

test('what is wrong is named, before anything is asked', async () => {
  const made = encoder();
  const wrong: readonly (readonly [object, string])[] = [
    [{ input: [1] }, 'model'],
    [{ model: 'm' }, 'input'],
    [{ model: 'm', input: [] }, 'input'],
    [{ model: 'm', input: [1, -1] }, 'input[1]'],
    [{ model: 'm', input: [[1], [2.5]] }, 'input[1][0]'],
    [{ model: 'm', input: [[1], []] }, 'input[1]'],
    [{ model: 'm', input: [[1], 'a'] }, 'input[1]'],
    [{ model: 'm', input: '' }, 'input'],
    [{ model: 'm', input: [1], session: '' }, 'session'],
    [{ model: 'm', input: [1], session: 3 }, 'session'],
    [{ model: 'm', input: [1], encoding_format: 'f16' }, 'encoding_format'],
  ];
  for (const [body, param] of wrong) {
    const response = await made.post(path, body);
    assert.is(response.status, 400, JSON.stringify(body));
    assert.is((await errorOf(response)).param, param, JSON.stringify(body));
  }
  assert.is(made.text.calls.length, 0);
});

test('when one input fails the others are told to stop', async () => {
  const made = encoder();
  made.text.speeches = [
    { tokens: [], hangAt: 0 },
    { tokens: ['x'], failAt: 0, failure: new StatusError('outOfRange', 'too long') },
  ];
  const response = await made.post(path, { model: 'm', input: [[1], [2]] });
  assert.is(response.status, 400);
  assert.is((await errorOf(response)).message, 'too long');
  assert.is(made.text.aborted.length, 2);
});

test('a session of a sequence answers an append with its output', async () => {
  const made = encoder();
  await made.post('/v1/sessions', { model: 'm' });
  const append = async (more: object) => {
    const response = await made.post('/v1/sessions/s1/append', { prompt: [1, 2], ...more });
    return (await response.json()) as { id: string; output: unknown };
  };
  assert.equal((await append({})).output, values);
  const text = Buffer.from(bytes).toString('base64');
  assert.is((await append({ encoding_format: 'base64' })).output, text);
  made.text.captured = null;
  assert.not('output' in (await append({})));
});

test('a session is saved under a name, and opened with what was saved', async () => {
  const made = harness();
  await made.post('/v1/sessions', { model: 'm' });
  await made.post('/v1/sessions/s1/rewind', { tokens: 9 });
  const saved = await made.post('/v1/sessions/s1/save', { name: 'mine' });
  assert.is(saved.status, 200);
  assert.equal(await saved.json(), {
    ...{ id: 's1', object: 'session.saved' },
    ...{ name: 'mine', tokens: 9, bytes: 109 },
  });
  const open = (restore: unknown) => made.post('/v1/sessions', { model: 'm', restore });
  const opened = await open('mine');
  assert.is(opened.status, 201);
  assert.is(((await opened.json()) as { tokens: number }).tokens, 9);
  assert.is(((await (await open(null)).json()) as { tokens: number }).tokens, 0);
  assert.is((await open('yours')).status, 404);
  assert.is((await errorOf(await open(3))).param, 'restore');
  assert.is((await errorOf(await made.post('/v1/sessions/s1/save', {}))).param, 'name');
});

test('the routes and their forms are in openapi.json', async () => {
  const { get } = harness();
  const document = (await (await get('/openapi.json')).json()) as {
    paths: Record<string, { post?: { requestBody?: object } }>;
    components: { schemas: Record<string, { required?: string[] }> };
  };
  for (const one of [path, '/v1/sessions/{id}/save']) {
    assert.ok(document.paths[one]?.post?.requestBody, one);
  }
  const { schemas } = document.components;
  assert.equal(schemas['SequencesRequest']!.required, ['model', 'input']);
  assert.ok(schemas['SequencesAnswer'] && schemas['SessionSaved']);
});

test.run();
