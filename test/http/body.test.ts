import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorOf, harness } from './harness.js';

const path = '/v1/embeddings';
const good = { model: 'first-output', input: 'abc' };

test('a body over the limit is 413 with limit, size and knob, and the next one succeeds', async () => {
  const { post } = harness({ limits: { bodyBytesMax: 100 } });
  const response = await post(path, { ...good, input: 'x'.repeat(200) });
  assert.is(response.status, 413);
  const error = await errorOf(response);
  assert.match(error.message, /limit is 100.*--max-body/);
  assert.is(error.code, 'body_too_large');
  assert.is((await post(path, good)).status, 200);
});

test('a declared length over the limit is refused before the body is read', async () => {
  const { app } = harness({ limits: { bodyBytesMax: 100 } });
  let pulled = 0;
  const body = new ReadableStream({
    pull(controller) {
      pulled += 1;
      controller.enqueue(new Uint8Array(10));
    },
  });
  const response = await app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': '5000000' },
    body,
    duplex: 'half',
  } as RequestInit);
  assert.is(response.status, 413);
  assert.ok(pulled <= 1, `read ${pulled} chunks`);
});

test('an endless body without a length is given up at the limit', async () => {
  const { app } = harness({ limits: { bodyBytesMax: 1000 } });
  let sent = 0;
  const body = new ReadableStream({
    pull(controller) {
      sent += 100;
      controller.enqueue(new Uint8Array(100).fill(32));
    },
  });
  const response = await app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    duplex: 'half',
  } as RequestInit);
  assert.is(response.status, 413);
  assert.ok(sent < 5000, `took ${sent} bytes`);
});

test('a chunked body within the limit is read', async () => {
  const { app } = harness();
  const text = new TextEncoder().encode(JSON.stringify(good));
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(text.slice(0, 7));
      controller.enqueue(text.slice(7));
      controller.close();
    },
  });
  const response = await app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
    duplex: 'half',
  } as RequestInit);
  assert.is(response.status, 200);
});

test('broken JSON says where', async () => {
  const { post } = harness();
  const response = await post(path, '{"model": "first-output", "input": }');
  assert.is(response.status, 400);
  assert.match((await errorOf(response)).message, /not valid JSON.*position|Unexpected/);
});

test('an empty body is 400', async () => {
  const { post } = harness();
  assert.is((await post(path, '')).status, 400);
});

test('bytes that are no UTF-8 are 400', async () => {
  const { app } = harness();
  const head = new TextEncoder().encode('{"model":"first-output","input":"');
  const body = Buffer.concat([head, Buffer.from([0xc3, 0x28]), Buffer.from('"}')]);
  const response = await app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body,
  });
  assert.is(response.status, 400);
  assert.match((await errorOf(response)).message, /UTF-8/);
});

test('nesting of any depth is an answer, not a crash', async () => {
  const { post } = harness();
  for (const depth of [65, 100_000]) {
    const nested = '['.repeat(depth) + ']'.repeat(depth);
    const response = await post(path, `{"model":"first-output","input":${nested}}`);
    assert.is(response.status, 400, `depth ${depth}`);
    assert.match((await errorOf(response)).message, /deeper than 64/);
  }
});

test('of a key given twice the last one counts', async () => {
  const { post, serving } = harness();
  const response = await post(path, '{"model":"x","model":"first-output","input":"a","input":"b"}');
  assert.is(response.status, 200);
  assert.equal(serving.embedding(0).inputs, [{ kind: 'text', text: 'b' }]);
});

test('keys that name prototypes are plain keys', async () => {
  const { post } = harness();
  const body = '{"__proto__":{"model":"x"},"constructor":1,"model":"first-output","input":"a"}';
  assert.is((await post(path, body)).status, 200);
  assert.is(({} as { model?: string }).model, undefined);
});

test('a body that is not JSON by its type is 415', async () => {
  const { post } = harness();
  const response = await post(path, 'model=first-output', { 'content-type': 'text/plain' });
  assert.is(response.status, 415);
  assert.match((await errorOf(response)).message, /text\/plain/);
});

test('a content type with parameters is JSON too', async () => {
  const { post } = harness();
  const headers = { 'content-type': 'Application/JSON; charset=utf-8' };
  assert.is((await post(path, good, headers)).status, 200);
});

test.run();
