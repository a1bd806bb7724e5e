/** Heads of requests at a socket: whatever is wrong with one, the answer says what, with a body. */
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { listen } from '../../http/listen.js';
import { systemPorts } from '../../runtime/base/ports.js';
import { errorOf, harness } from './harness.js';

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Sends each text on a connection of its own; all must close with the answer. */
async function answersTo(texts: readonly string[]): Promise<readonly Answer[]> {
  const { app } = harness();
  const listener = await listen(app, { host: '127.0.0.1', port: 0, ports: systemPorts('test') });
  try {
    return await Promise.all(texts.map((text) => exchange(listener.port, text)));
  } finally {
    await listener.close(0);
  }
}

function exchange(port: number, text: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', (chunk) => (answer += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      const split = answer.indexOf('\r\n\r\n');
      resolve({ status: Number(answer.slice(9, 12)), body: answer.slice(split + 4) });
    });
  });
}

const get = (target: string, headers = 'host: localhost\r\n', version = '1.1'): string =>
  `GET ${target} HTTP/${version}\r\n${headers}connection: close\r\n\r\n`;

const post = (headers: string, version: string): string =>
  `POST /v1/embeddings HTTP/${version}\r\n${headers}content-length: 2\r\nconnection: close\r\n\r\n{}`;

const rows: readonly (readonly [text: string, status: number, message: RegExp])[] = [
  [get('/admin/models/%ff'), 400, /the path \/admin\/models\/%ff is not percent-encoded UTF-8/],
  [get('/v1/models/a%'), 400, /not percent-encoded/],
  [get('/v1/models/%E2%82'), 400, /not percent-encoded/],
  [get('/v1/models/%E2%82%AC'), 404, /€/],
  [get('/v1/models/%25'), 404, /"%\\" is|\\"%\\"/],
  [get('/v1/models/a?b=%ff'), 404, /no model/],
  [get('http://other/admin/models'), 403, /the request target says \\"other\\"/],
  [get('http://other:8040/admin/models'), 403, /the request target says \\"other:8040\\"/],
  [get('http://localhost/admin/models', 'host: other\r\n'), 403, /the Host header says/],
  [get('http://localhost:1/admin/models'), 200, /"object":"list"/],
  [get('http://other/v1/models'), 200, /"object":"list"/],
  [get('/v1/models', ''), 400, /no Host header/],
  [get('/v1/models', 'host: a b\r\n'), 400, /cannot be read/],
  [get('*'), 400, /cannot be read/],
  [get('/nowhere', '', '1.0'), 404, /no route GET \/nowhere/],
  [get('/livez', '', '1.0'), 200, /ok/],
  [get('/admin/models', '', '1.0'), 403, /the Host header says nothing/],
  [post('content-type: application/json\r\n', '1.0'), 400, /model: must be a string/],
  [post('content-type: text/plain\r\n', '1.0'), 415, /text\/plain/],
  ['GET / HTTP/1.0\r\nno colon\r\n\r\n', 400, /no HTTP request/],
];

test('every head that is wrong gets its status and a body, in either version of HTTP', async () => {
  const answers = await answersTo(rows.map(([text]) => text));
  answers.forEach(({ status, body }, index) => {
    const [text, expected, message] = rows[index]!;
    assert.is(status, expected, text);
    assert.match(body, message, text);
    if (expected >= 400) assert.ok('error' in (JSON.parse(body) as object), text);
  });
});

test('a packed body is 415 and says so; one that says it is plain is read', async () => {
  const { app, serving } = harness();
  const text = '{"model":"first-output","input":"abc"}';
  const send = (path: string, encoding: string, body: Uint8Array | string): Promise<Response> =>
    Promise.resolve(
      app.request(path, {
        method: 'POST',
        headers: {
          host: 'localhost',
          'content-type': 'application/json',
          'content-encoding': encoding,
        },
        body,
      }),
    );
  for (const path of ['/v1/embeddings', '/v1/decisions', '/admin/models']) {
    for (const encoding of ['gzip', 'br', 'deflate', 'gzip, identity']) {
      const refused = await send(path, encoding, gzipSync(text));
      assert.is(refused.status, 415, `${path} ${encoding}`);
      const { message, code } = await errorOf(refused);
      assert.match(message, /content-encoding header says .* plain JSON/);
      assert.is(code, 'unsupported_encoding');
    }
  }
  assert.is(serving.calls.length, 0);
  assert.is((await send('/v1/embeddings', 'identity', text)).status, 200);
});

test.run();
