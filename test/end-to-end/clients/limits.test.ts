/** Limits that clients meet: time, queue, sizes, shapes. Real sockets. time limit: 120 s */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { WrittenPackage } from '../../actors/serving/faulty-package.js';
import { Connection, embedText, postText, type RawAnswer } from './connection.js';
import { observedServer, until, type ObservedServer } from './observed-server.js';
import { slowPackage, slowText } from './slow-package.js';

const bodyBytesMax = 100_000;
const queueMax = 40;
let written: WrittenPackage;
let server: ObservedServer;

test.before(async () => {
  written = slowPackage();
  const limits = ['--max-body', String(bodyBytesMax), '--max-queue', String(queueMax)];
  const times = ['--request-timeout', '1.5', '--header-timeout', '0.5', '--max-batch', '500'];
  server = await observedServer([written.folder, ...limits, ...times]);
});

test.after(async () => {
  await server.stop('SIGINT');
  written.remove();
});

const open = (): Promise<Connection> => Connection.open(server.url);
const quick = slowText('quick', 5);
const errorOf = ({ body }: RawAnswer): { message: string; code: string; param: string | null } =>
  (JSON.parse(body) as { error: { message: string; code: string; param: string | null } }).error;

async function ask(text: string): Promise<RawAnswer> {
  const connection = await open();
  connection.send(text);
  const [answer] = await connection.receive(1);
  connection.leave();
  assert.ok(answer, 'an answer before the socket closed');
  return answer;
}

/** After every mistake: the next request is answered. */
async function servesOn(): Promise<void> {
  assert.equal(await server.embed('slow', quick), [[5]]);
}

test('x-request-timeout: 504 in time, the work ends and nothing stays', async () => {
  const slow = slowText('kernel', 1);
  const answer = await ask(embedText('slow', slow, { 'x-request-timeout': '0.05' }));
  assert.is(answer.status, 504);
  assert.match(errorOf(answer).message, /within 0.05 s.*--request-timeout.*x-request-timeout/);
  await server.becomesQuiet('slow');
  await servesOn();
});

test('x-request-timeout passes while it waits for its turn, too', async () => {
  const busy = [slowText('kernel', 1), slowText('kernel', 2)].map((text) =>
    server.embed('slow', text),
  );
  await until(async () => (await server.metric('loom_device_bytes')) > 0);
  const answer = await ask(embedText('slow', quick, { 'x-request-timeout': '0.02' }));
  assert.is(answer.status, 504);
  assert.equal((await Promise.all(busy)).flat(2), [1, 2]);
  await server.becomesQuiet('slow');
});

test('--request-timeout bounds what the header cannot: 504 names it', async () => {
  const texts = Array.from({ length: queueMax }, (_, index) => slowText('kernel', index + 1));
  const answer = await ask(embedText('slow', texts, { 'x-request-timeout': '3600' }));
  assert.is(answer.status, 504);
  assert.match(errorOf(answer).message, /within 1.5 s.*--request-timeout/);
  await server.becomesQuiet('slow');
  await servesOn();
});

test('a full queue is 429 with Retry-After, limit and knob; those in it are answered', async () => {
  const busy = [1, 2].map((value) => server.embed('slow', slowText('kernel', value)));
  await until(async () => (await server.metric('loom_device_bytes')) > 0);
  const inputs = Array.from({ length: queueMax }, (_, index) => slowText('quick', index + 1));
  const waiting = server.embed('slow', inputs);
  await until(async () => (await server.model('slow')).waiting >= queueMax);
  const answer = await ask(embedText('slow', quick));
  assert.is(answer.status, 429);
  assert.ok(Number(answer.headers['retry-after']) >= 1);
  assert.match(errorOf(answer).message, /40 inputs wait, at most 40 may \(--max-queue\)/);
  await Promise.all(busy);
  assert.equal(
    (await waiting).flat(),
    Array.from({ length: queueMax }, (_, index) => index + 1),
  );
  await servesOn();
});

test('slow headers and slow bodies are cut in time, and say by which limit', async () => {
  const headers = await open();
  headers.send('POST /v1/embeddings HTTP/1.1\r\nhost: a\r\nx-slow: ');
  const body = await open();
  body.send(embedText('slow', quick).slice(0, -4));
  const chunked = await open();
  chunked.send(
    'POST /v1/embeddings HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n' +
      'transfer-encoding: chunked\r\n\r\n5\r\n{"mod',
  );
  const admin = await open();
  admin.send(postText('/admin/models', { package: '/x' }).slice(0, -4));
  const [late] = await headers.receive(1);
  assert.is(late!.status, 408);
  assert.match(errorOf(late!).message, /0.5 s \(--header-timeout\)/);
  for (const connection of [body, chunked]) {
    const [answer] = await connection.receive(1);
    assert.is(answer!.status, 504);
    assert.match(errorOf(answer!).message, '--request-timeout');
    await connection.closed;
  }
  await Promise.all([headers.closed, servesOn()]);
  admin.leave();
});

test('oversized bodies are 413 with limit, size and knob, declared or chunked', async () => {
  const big = 'x'.repeat(bodyBytesMax);
  const declared = await ask(embedText('slow', big));
  assert.is(declared.status, 413);
  assert.match(errorOf(declared).message, /has 1000\d\d bytes, the limit is 100000.*--max-body/);
  const chunk = `${big.length.toString(16)}\r\n${big}\r\n`;
  const chunked = await ask(
    'POST /v1/embeddings HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n' +
      `transfer-encoding: chunked\r\n\r\n${chunk}${chunk}`,
  );
  assert.is(chunked.status, 413);
  assert.match(errorOf(chunked).message, /more than 100000 bytes.*--max-body/);
  await servesOn();
});

test('headers without end are 431', async () => {
  const answer = await ask(embedText('slow', quick, { 'x-large': 'y'.repeat(100_000) }));
  assert.is(answer.status, 431);
  await servesOn();
});

const bodies: [name: string, body: string, pattern: RegExp][] = [
  ['arrays 40,000 deep', `${'['.repeat(40_000)}${']'.repeat(40_000)}`, /deeper than 64/],
  ['objects 9,000 deep', `${'{"a":'.repeat(9_000)}1${'}'.repeat(9_000)}`, /deeper than 64/],
  ['a cut string', '{"model":"slow","input":"a', /not valid JSON/],
  ['an unpaired surrogate', '{"model":"slow","input":"\\ud800"}', /input/],
  ['a surrogate the wrong way', '{"model":"slow","input":["a","\\udc00\\ud800"]}', /input/],
  ['a byte order in the middle', '{"model":\ufeff"slow"}', /not valid JSON/],
  ['a number too large', '{"model":"slow","input":[1e999]}', /input/],
  ['no object', '"slow"', /object/],
  ['null', 'null', /object/],
];
for (const [name, body, pattern] of bodies) {
  test(`${name} is 400`, async () => {
    const answer = await ask(postText('/v1/embeddings', body));
    assert.is(answer.status, 400, answer.body);
    assert.match(answer.body, pattern);
    await servesOn();
  });
}

test('of a key given twice the last one counts, also when it is escaped differently', async () => {
  const body = `{"model":"nobody","mod\\u0065l":"slow","input":"zz","input":${JSON.stringify(quick)}}`;
  const answer = await ask(postText('/v1/embeddings', body));
  assert.is(answer.status, 200, answer.body);
  assert.match(answer.body, '"embedding":[5]');
});

test('more inputs than --max-batch are 400 with limit, count and knob', async () => {
  const answer = await ask(
    embedText(
      'slow',
      Array.from({ length: 501 }, () => quick),
    ),
  );
  assert.is(answer.status, 400);
  assert.match(errorOf(answer).message, /input: .*more than 500 elements.*limit.*--max-batch/);
});

test('a connection is good for the next request after any error, pipelined or not', async () => {
  const connection = await open();
  const requests = [
    embedText('slow', slowText('quick', 11)),
    embedText('nobody', 'a'),
    postText('/v1/embeddings', '{"model":'),
    embedText('slow', slowText('quick', 12)),
    postText('/v1/embeddings', 'model=slow', { 'content-type': 'text/plain' }),
    'GET /nowhere HTTP/1.1\r\nhost: a\r\n\r\n',
    'DELETE /v1/embeddings HTTP/1.1\r\nhost: a\r\n\r\n',
    embedText('slow', slowText('prepareRequest', 13)),
    embedText('slow', slowText('quick', 14)),
  ];
  const wanted = [200, 404, 400, 200, 415, 404, 405, 200, 200];
  connection.send(requests.join(''));
  const answers = await connection.receive(requests.length);
  assert.equal(
    answers.map((answer) => answer.status),
    wanted,
  );
  for (const [index, value] of [
    [0, 11],
    [3, 12],
    [7, 13],
    [8, 14],
  ] as const) {
    assert.match(answers[index]!.body, `"embedding":[${value}]`);
  }
  for (const request of requests.slice(0, 7)) connection.send(request);
  const all = await connection.receive(requests.length + 7);
  assert.equal(
    all.slice(requests.length).map((answer) => answer.status),
    wanted.slice(0, 7),
  );
  connection.leave();
});

test('what is no HTTP is 400 as JSON and ends the connection', async () => {
  const connection = await open();
  connection.send('nonsense\r\n\r\n');
  const [answer] = await connection.receive(1);
  await connection.closed;
  assert.is(answer!.status, 400);
  assert.is(errorOf(answer!).code, 'malformed_request');
  await servesOn();
});

test.run();
