/** Who reaches /admin over real sockets: web pages through a browser must not. time limit: 120 s */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Connection, postText, type RawAnswer } from './connection.js';
import { observedServer, type ObservedServer } from './observed-server.js';

let open: ObservedServer;
let guarded: ObservedServer;

test.before(async () => {
  [open, guarded] = await Promise.all([
    observedServer([]),
    observedServer(['--admin-token', 'the secret']),
  ]);
});
test.after(async () => {
  await Promise.all([open.stop('SIGINT'), guarded.stop('SIGINT')]);
});

async function ask(server: ObservedServer, text: string): Promise<RawAnswer> {
  const connection = await Connection.open(server.url);
  connection.send(text);
  const [answer] = await connection.receive(1);
  connection.leave();
  return answer!;
}

const list = (headers: string): string => `GET /admin/models HTTP/1.1\r\n${headers}\r\n`;

test('control: loopback names may, with any port', async () => {
  for (const host of ['127.0.0.1', 'localhost:8040', '[::1]:1', 'LOCALHOST']) {
    assert.is((await ask(open, list(`host: ${host}\r\n`))).status, 200, host);
  }
});

test('a rebound name is refused whatever else the request says', async () => {
  const hosts = [
    'evil.example',
    'localhost.evil.example',
    '127.0.0.1.evil.example',
    '10.0.0.1',
    '',
  ];
  for (const host of hosts) {
    const answer = await ask(open, list(`host: ${host}\r\n`));
    assert.ok([400, 403].includes(answer.status), `${host}: ${answer.status}`);
    const posted = postText('/admin/models', { package: '/x' }, { host });
    assert.ok([400, 403].includes((await ask(open, posted)).status), host);
  }
});

test('a request without a Host is refused', async () => {
  assert.is((await ask(open, list(''))).status, 400);
});

test('an Origin that is not loopback is refused, "null" too', async () => {
  for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example']) {
    const answer = await ask(open, list(`host: localhost\r\norigin: ${origin}\r\n`));
    assert.is(answer.status, 403, origin);
  }
  assert.is((await ask(open, list('host: a\r\norigin: http://localhost:3000\r\n'))).status, 403);
  const local = list('host: localhost\r\norigin: http://localhost:3000\r\n');
  assert.is((await ask(open, local)).status, 200);
});

test('bodies that a plain form can send are 415, and register nothing', async () => {
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=a',
  ];
  for (const type of [...types, '']) {
    const text = postText('/admin/models', { package: '/x' }, { 'content-type': type });
    assert.is((await ask(open, text)).status, 415, type);
  }
  const { body } = await ask(open, list('host: localhost\r\n'));
  assert.equal((JSON.parse(body) as { data: unknown[] }).data, []);
});

test('with a token, only the token opens; a loopback name alone does not', async () => {
  const withToken = (value: string): string =>
    list(`host: localhost\r\nauthorization: ${value}\r\n`);
  assert.is((await ask(guarded, list('host: localhost\r\n'))).status, 401);
  for (const value of ['Bearer wrong', 'Bearer', 'Basic the secret', 'the secret']) {
    assert.is((await ask(guarded, withToken(value))).status, 401, value);
  }
  assert.is((await ask(guarded, withToken('Bearer the secret'))).status, 200);
  const rebound = list('host: evil.example\r\nauthorization: Bearer the secret\r\n');
  assert.is((await ask(guarded, rebound)).status, 403);
});

test.run();
