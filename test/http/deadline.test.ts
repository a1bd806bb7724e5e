import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorOf, harness } from './harness.js';
import { manualPorts } from './manual-ports.js';

const path = '/v1/embeddings';
const good = { model: 'first-output', input: 'abc' };

/** Lets the request reach the server before time moves. */
async function until(condition: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !condition(); turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok(condition(), 'the awaited condition never came');
}

test('a request past --request-timeout is 504 and its work is told to stop', async () => {
  const ports = manualPorts();
  const { post, serving } = harness({ ports, limits: { requestTimeoutMs: 5000 } });
  serving.gate = new Promise(() => undefined);
  const pending = post(path, good);
  await until(() => serving.calls.length === 1);
  ports.advance(4999);
  assert.equal(serving.aborted, []);
  ports.advance(1);
  const response = await pending;
  assert.is(response.status, 504);
  const error = await errorOf(response);
  assert.match(error.message, /within 5 s.*--request-timeout/);
  assert.is(error.type, 'timeout_error');
  assert.is(serving.aborted.length, 1);
});

test('x-request-timeout shortens the bound and cannot lengthen it', async () => {
  for (const [header, boundMs] of [
    ['0.25', 250],
    ['3600', 5000],
  ] as const) {
    const ports = manualPorts();
    const { post, serving } = harness({ ports, limits: { requestTimeoutMs: 5000 } });
    serving.gate = new Promise(() => undefined);
    const pending = post(path, good, { 'x-request-timeout': header });
    await until(() => serving.calls.length === 1);
    ports.advance(boundMs - 1);
    assert.is(serving.aborted.length, 0, header);
    ports.advance(1);
    assert.is((await pending).status, 504, header);
  }
});

for (const header of ['soon', '-1', '0', ' ', 'NaN', 'Infinity']) {
  test(`x-request-timeout "${header}" is 400`, async () => {
    const { post } = harness();
    const response = await post(path, good, { 'x-request-timeout': header });
    assert.is(response.status, 400);
    assert.is((await errorOf(response)).param, 'x-request-timeout');
  });
}

test('a body that never ends is 504 as well', async () => {
  const ports = manualPorts();
  const { app } = harness({ ports, limits: { requestTimeoutMs: 5000 } });
  const body = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from('{')) });
  const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
  const pending = app.request(path, { ...init, duplex: 'half' } as RequestInit);
  await until(() => ports.pending() === 1);
  ports.advance(5000);
  assert.is((await pending).status, 504);
});

test('a client that leaves aborts the work', async () => {
  const ports = manualPorts();
  const { app, serving } = harness({ ports });
  serving.gate = new Promise(() => undefined);
  const client = new AbortController();
  const pending = app.request(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(good),
    signal: client.signal,
  });
  await until(() => serving.calls.length === 1);
  client.abort();
  assert.is((await pending).status, 499);
  assert.is(serving.aborted.length, 1);
});

test('an answered request leaves no timer and is not aborted later', async () => {
  const ports = manualPorts();
  const { post, serving } = harness({ ports });
  assert.is((await post(path, good)).status, 200);
  assert.is(ports.pending(), 0);
  ports.advance(1e9);
  assert.equal(serving.aborted, []);
});

test.run();
