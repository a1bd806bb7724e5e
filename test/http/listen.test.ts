import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listen } from '../../http/listen.js';
import { systemPorts } from '../../runtime/base/ports.js';
import { embeddingsConformance } from '../conformance/openai.js';
import { firstOutput } from './first-output-rule.js';
import { harness } from './harness.js';
import { until, withServer } from './listening.js';

const ports = systemPorts('test');

const request = (url: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${url}/v1/embeddings`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"model":"first-output","input":"abc"}',
    ...init,
  });

/** What the server says to these bytes until it closes. */
function exchange(port: number, bytes: string): Promise<string> {
  return new Promise<string>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
}

test('the openai client finds what it expects', () =>
  withServer((made, { url }) =>
    embeddingsConformance({
      baseURL: `${url}/v1`,
      model: 'first-output',
      oracle: (text) => [...firstOutput(new TextEncoder().encode(text))],
      tolerance: 0,
      hold() {
        made.serving.gate = new Promise(() => undefined);
        return () => (made.serving.gate = null);
      },
    }),
  ));

/** Answers at last: a busy machine may be slower than the short times of the test. */
async function servesOn(url: string): Promise<void> {
  for (let tries = 0; tries < 100; tries += 1) {
    const status = await request(url).then(
      (response) => response.status,
      () => null,
    );
    if (status === 200) return;
    assert.ok(status === null || status === 408, `${status}`);
  }
  assert.unreachable('it should have answered');
}

test('a client that closes its connection aborts the work', () =>
  withServer(async ({ serving }, { url }) => {
    serving.gate = new Promise(() => undefined);
    const client = new AbortController();
    const pending = request(url, { signal: client.signal }).catch(() => 'aborted');
    await until(() => serving.calls.length === 1);
    assert.equal(serving.aborted, []);
    client.abort();
    assert.is(await pending, 'aborted');
    await until(() => serving.aborted.length === 1);
    serving.gate = null;
    assert.is((await request(url)).status, 200);
  }));

test('a body over the limit is 413 on a socket, with and without a length', () =>
  withServer(
    async (_, { url }) => {
      const big = `{"model":"first-output","input":"${'x'.repeat(100_000)}"}`;
      const declared = await request(url, { body: big });
      assert.is(declared.status, 413);
      await declared.text();
      const stream = new Blob([big]).stream();
      const chunked = await request(url, { body: stream, duplex: 'half' } as RequestInit);
      assert.is(chunked.status, 413);
      await chunked.text();
      assert.is((await request(url)).status, 200);
    },
    { limits: { bodyBytesMax: 1000 } },
  ));

test('a connection on which nothing moves for its time is cut, and its work told to stop', () =>
  withServer(
    async ({ serving }, { url }) => {
      serving.gate = new Promise(() => undefined);
      assert.is(await request(url).catch(() => 'cut'), 'cut');
      await until(() => serving.aborted.length === 1);
      serving.gate = null;
      await servesOn(url);
    },
    { times: { stalledMs: 60 } },
  ));

for (const [what, sent] of [
  ['headers', 'POST /admin/models HTTP/1.1\r\nhost: localhost\r\nx: '],
  [
    'a body, where the route sets no deadline',
    'POST /admin/models HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n' +
      'content-length: 100\r\n\r\n{',
  ],
] as const) {
  test(`${what} that do not arrive in time: 408 with the options, and the end`, () =>
    withServer(
      async (_, { url, port }) => {
        const answer = await exchange(port, sent);
        assert.match(answer, /^HTTP\/1\.1 408 /);
        assert.match(answer, /0\.1 s \(--header-timeout\), its body 0\.1 s \(--request-timeout\)/);
        await servesOn(url);
      },
      { times: { headersMs: 100, bodyMs: 100, bodyGraceMs: 0 } },
    ));
}

test('many requests on a few connections each get their own answer', () =>
  withServer(async (_, { url }) => {
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (__, index) => {
        const body = JSON.stringify({ model: 'first-output', input: `text ${index}` });
        const answer = (await (await request(url, { body })).json()) as {
          data: { embedding: number[] }[];
        };
        return answer.data[0]?.embedding;
      }),
    );
    for (const [index, answer] of answers.entries()) {
      assert.equal(answer, [...firstOutput(new TextEncoder().encode(`text ${index}`))]);
    }
  }));

test('what is no HTTP is answered or cut, and the server serves on', () =>
  withServer(async (_, { url, port }) => {
    const answer = await exchange(port, 'nonsense\r\n\r\n');
    assert.match(answer, /^HTTP\/1\.1 400 /);
    assert.match(answer, '"code":"malformed_request"');
    assert.is((await request(url)).status, 200);
  }));

test('close lets a request in progress finish, refuses new ones, and cuts at the bound', async () => {
  const made = harness();
  const listener = await listen(made.app, { host: '127.0.0.1', port: 0, ports });
  let open: () => void = () => undefined;
  made.serving.gate = new Promise((resolve) => (open = resolve));
  const pending = request(listener.url);
  await until(() => made.serving.calls.length === 1);
  const closed = listener.close(60_000);
  assert.is(await request(listener.url).catch(() => 'refused'), 'refused');
  open();
  assert.is((await pending).status, 200);
  await closed;

  const second = await listen(made.app, { host: '127.0.0.1', port: 0, ports });
  made.serving.gate = new Promise(() => undefined);
  const stuck = request(second.url).catch(() => 'cut');
  await until(() => made.serving.calls.length === 2);
  await second.close(30);
  assert.is(await stuck, 'cut');
});

test('a port in use says so and names the option', () =>
  withServer(async (made, { port }) => {
    try {
      await listen(made.app, { host: '127.0.0.1', port, ports });
      assert.unreachable();
    } catch (error) {
      assert.match((error as Error).message, new RegExp(`port ${port} is in use.*--port`));
    }
  }));

test('an IPv6 address is written with brackets', async () => {
  const { app } = harness();
  const listener = await listen(app, { host: '::1', port: 0, ports }).catch(() => null);
  if (listener === null) return; // A machine without IPv6.
  assert.match(listener.url, /^http:\/\/\[::1\]:\d+$/);
  assert.is((await fetch(`${listener.url}/livez`)).status, 200);
  await listener.close(0);
});

test.run();
