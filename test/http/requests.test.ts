/** Requests that are ended by their id, whatever they are. */
import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorOf, harness, type Harness } from './harness.js';
import { postJson, until, withServer } from './listening.js';
import { checkLaw } from './sse-law.js';

const chat = '/v1/chat/completions';
const good = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const named = { headers: { 'x-request-id': 'mine' } };

const cancel = ({ app }: Harness, id: string): Promise<Response> =>
  Promise.resolve(app.request(`/v1/requests/${id}`, { method: 'DELETE' }));

test('a whole answer that is awaited becomes 499', async () => {
  const made = harness();
  made.text.speeches = [{ tokens: ['a'], hangAt: 0 }];
  const pending = made.post(chat, good, named.headers);
  await until(() => made.text.calls.length === 1);
  assert.is((await cancel(made, 'other')).status, 404);
  assert.is(made.services.open.requests, 1);
  assert.equal(await (await cancel(made, 'mine')).json(), {
    id: 'mine',
    object: 'request.cancelled',
    cancelled: true,
  });
  const response = await pending;
  assert.is(response.status, 499);
  assert.match((await errorOf(response)).message, /cancelled by its id/);
  assert.equal(made.text.aborted, ['mine']);
  const again = await cancel(made, 'mine');
  assert.is(again.status, 404);
  assert.is((await errorOf(again)).param, 'id');
});

test('a stream ends with an error event', () =>
  withServer(async (made, { url }) => {
    made.text.speeches = [{ tokens: ['a', 'b'], hangAt: 1 }];
    const response = await postJson(url + chat, { ...good, stream: true }, named);
    assert.is(response.headers.get('x-request-id'), 'mine');
    assert.is((await cancel(made, 'mine')).status, 200);
    const heard = checkLaw(await response.text(), { form: 'chat', ends: 'error' });
    assert.is(heard.error?.code, 'cancelled');
  }));

test('a body that comes when its request is over streams nothing', () =>
  withServer(async (made, { port }) => {
    const body = JSON.stringify({ ...good, stream: true });
    const socket = connect(port, '127.0.0.1');
    const heard: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => heard.push(bytes));
    const head = [
      `POST ${chat} HTTP/1.1`,
      'host: x',
      'content-type: application/json',
      'x-request-timeout: 0.05',
      `content-length: ${body.length}`,
    ];
    socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`);
    await until(() => Buffer.concat(heard).includes('504'));
    socket.write(body.slice(10));
    await until(() => made.services.open.requests === 0);
    assert.equal([made.text.calls.length, made.services.open.streams], [0, 0]);
    socket.destroy();
  }));

test('embeddings end as well, and all that share the id', async () => {
  const made = harness();
  made.serving.gate = new Promise(() => undefined);
  const body = { model: 'first-output', input: 'abc' };
  const pending = [1, 2].map(() => made.post('/v1/embeddings', body, named.headers));
  await until(() => made.serving.calls.length === 2);
  assert.is((await cancel(made, 'mine')).status, 200);
  for (const response of await Promise.all(pending)) assert.is(response.status, 499);
  assert.is(made.serving.aborted.length, 2);
});

test('a request that was answered is no more', async () => {
  const made = harness();
  await made.post(chat, good, named.headers);
  assert.is((await cancel(made, 'mine')).status, 404);
  assert.is(made.services.open.requests, 0);
});

test.run();
