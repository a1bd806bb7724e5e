/** What a recording has of requests over a real socket, and what it never has. */
import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createApp, directCalls } from '../../../http/app.js';
import { listen } from '../../../http/listen.js';
import { systemPorts } from '../../../runtime/base/ports.js';
import { isSecret, keptHeaders, keptPath } from '../../../http/traffic/secret-headers.js';
import { TrafficRecorder } from '../../../http/traffic/traffic-recorder.js';
import { harness } from '../harness.js';
import { postJson, until } from '../listening.js';

type Line = Record<string, unknown> & { readonly type: string; readonly request: number };

const ports = systemPorts('test');

async function recorded(
  work: (url: string, port: number, seen: readonly Line[]) => Promise<void>,
  hasRoom: (line: Line) => boolean = () => true,
): Promise<Line[]> {
  const lines: Line[] = [];
  const sink = {
    append(line: object): boolean {
      if (!hasRoom(line as Line)) return false;
      lines.push(JSON.parse(JSON.stringify(line)) as Line);
      return true;
    },
  };
  const made = harness();
  const services = { ...made.services, traffic: new TrafficRecorder(sink, ports.clock) };
  const direct = directCalls(services);
  const where = { host: '127.0.0.1', port: 0 };
  const listener = await listen(createApp(services), { ...where, ports, direct });
  try {
    await work(listener.url, listener.port, lines);
  } finally {
    await listener.close(0);
  }
  return lines;
}

test('a request is its head, its body and what left, in that order, under one number', async () => {
  const body = { model: 'nobody', input: ['a', 'ü'] };
  const lines = await recorded(async (url) => {
    await (await postJson(`${url}/v1/embeddings`, body)).text();
    await (await fetch(`${url}/v1/models`)).text();
  });
  assert.equal(
    lines.map(({ type, request }) => `${type} ${request}`),
    ['arrived 1', 'body 1', 'answered 1', 'arrived 2', 'answered 2'],
  );
  assert.equal(JSON.parse(lines[1]!['text'] as string), body);
  assert.is(lines[2]!['status'], 404);
  const times = lines.map(({ atMs }) => atMs as number);
  assert.equal(
    times,
    [...times].sort((left, right) => left - right),
  );
});

test('bodies come back as they were, whatever their bytes', async () => {
  const bodies = [
    Buffer.from([0xff, 0xfe, 0]),
    Buffer.from('{"a":"\u0001"}'),
    Buffer.from('\ufeff{}'),
  ];
  const headers = { 'content-type': 'application/json' };
  const lines = await recorded(async (url) => {
    for (const body of bodies) {
      await (await fetch(`${url}/v1/embeddings`, { method: 'POST', headers, body })).text();
    }
  });
  const kept = lines.filter(({ type }) => type === 'body');
  assert.equal(
    kept.map(({ text, base64 }) =>
      text === undefined ? Buffer.from(base64 as string, 'base64') : Buffer.from(text as string),
    ),
    bodies,
  );
});

test('looks at the server are no traffic', async () => {
  const lines = await recorded(async (url) => {
    for (const path of ['/livez', '/metrics', '/console/tree', '/openapi.json', '/admin/models']) {
      await (await fetch(`${url}${path}`)).text();
    }
  });
  assert.equal(lines, []);
});

test('a client that leaves is told, and no answer that nobody gets', async () => {
  const lines = await recorded(async (_url, port, seen) => {
    const socket = connect(port, '127.0.0.1');
    const head = 'POST /v1/embeddings HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\n';
    socket.write(`${head}content-length: 100\r\n\r\n{`);
    await until(() => seen.length > 0, 'its arrival');
    socket.destroy();
    await until(() => seen.length > 1, 'its end');
  });
  assert.equal(
    lines.map(({ type }) => type),
    ['arrived', 'left'],
  );
  assert.is(lines[1]!['events'], 0);
});

test('of a request whose beginning finds no room nothing is told', async () => {
  const hasRoom = ({ type, request }: Line): boolean => type !== 'arrived' || request !== 1;
  const lines = await recorded(async (url) => {
    for (let at = 0; at < 2; at += 1) {
      await (await postJson(`${url}/v1/embeddings`, { model: 'nobody', input: 'a' })).text();
    }
  }, hasRoom);
  assert.equal([...new Set(lines.map(({ request }) => request))], [2]);
});

test('secrets are left out by their names, wherever they stand', () => {
  const secrets = [
    'authorization',
    'proxy-authorization',
    'cookie',
    'x-api-key',
    'api-key',
    'x-goog-api-key',
    'x-auth-token',
    'x-amz-security-token',
    'x-csrf-token',
    'x-forwarded-for',
    'x-real-ip',
    'forwarded',
  ];
  const open = [
    'content-type',
    'accept',
    'x-request-id',
    'x-request-timeout',
    'x-keyboard',
    'monkey',
  ];
  assert.equal(
    secrets.filter((name) => !isSecret(name)),
    [],
  );
  assert.equal(open.filter(isSecret), []);
  const headers = Object.fromEntries([...secrets, ...open].map((name) => [name, 'v']));
  assert.equal(Object.keys(keptHeaders(headers)), open);
  assert.is(keptPath('/a?x=1&api_key=s&y=2&access%5Ftoken=t'), '/a?x=1&y=2');
  assert.is(keptPath('/a?token=t'), '/a');
  assert.is(keptPath('http://u:p@host/a?token=t&b=1'), '/a?b=1');
  assert.is(keptPath('*'), '/');
});

test.run();
