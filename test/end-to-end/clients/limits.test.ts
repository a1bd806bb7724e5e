/** Limits that clients meet: time, queue, sizes, shapes. Real sockets. time limit: 120 s */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { WrittenPackage } from '../../actors/serving/faulty-package.js';
import { Connection, embedText, postText, type RawAnswer } from './connection.js';
import { observedServer, until, type ObservedServer } from './observed-server.js';
import { lasting, slowPackage, slowText } from './slow-package.js';

const bodyBytesMax = 100_000;
const queueMax = 40;
let written: WrittenPackage;
let server: ObservedServer;
/** One that gives requests little time: only what must run out of it is asked there. */
let hasty: ObservedServer;

test.before(async () => {
  written = slowPackage();
  const limits = ['--max-body', String(bodyBytesMax), '--max-queue', String(queueMax)];
  const times = ['--request-timeout', '0.5', '--header-timeout', '0.5'];
  [server, hasty] = await Promise.all([
    observedServer([written.folder, ...limits, '--max-batch', '500']),
    observedServer([written.folder, ...times]),
  ]);
});

test.after(async () => {
  await Promise.all([server.stop('SIGINT'), hasty.stop('SIGINT')]);
  written.remove();
});

const open = (at = server): Promise<Connection> => Connection.open(at.url);
const quick = slowText('quick', 5);
const errorOf = ({ body }: RawAnswer): { message: string; code: string; param: string | null } =>
  (JSON.parse(body) as { error: { message: string; code: string; param: string | null } }).error;

async function ask(text: string, at = server): Promise<RawAnswer> {
  const connection = await open(at);
  connection.send(text);
  const [answer] = await connection.receive(1);
  connection.leave();
  assert.ok(answer, 'an answer before the socket closed');
  return answer;
}

const isFull = async (): Promise<boolean> => (await server.model('slow')).waiting >= queueMax;

/** A client whose work the device has, or has done already. */
async function holdsDevice(inputs: readonly string[]): Promise<Connection> {
  const holder = await open();
  holder.send(embedText('slow', inputs));
  const isAtWork = async (): Promise<boolean> => (await server.metric('loom_device_bytes')) > 0;
  await until(async () => holder.answers.length > 0 || (await isAtWork()));
  return holder;
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
  const holder = await holdsDevice(lasting('kernel', queueMax - 4));
  const answer = await ask(embedText('slow', quick, { 'x-request-timeout': '0.02' }));
  assert.is(answer.status, 504);
  assert.is(holder.answers.length, 0);
  holder.leave();
  await server.becomesQuiet('slow');
  await servesOn();
});

test('--request-timeout bounds what the header cannot: 504 names it', async () => {
  const text = embedText('slow', lasting('kernel'), { 'x-request-timeout': '3600' });
  const answer = await ask(text, hasty);
  assert.is(answer.status, 504);
  assert.match(errorOf(answer).message, /within 0.5 s.*--request-timeout/);
  await hasty.becomesQuiet('slow');
});

test('a full queue is 429 with Retry-After, limit and knob; those in it are answered', async () => {
  const inputs = Array.from({ length: queueMax }, (_, index) => slowText('quick', index + 1));
  let answer: RawAnswer;
  let waiting: Promise<number[][]>;
  // Room comes with every cohort that is done: on a machine that is busy the queue may not be full
  // any more when it is asked.
  do {
    const busy = await holdsDevice([1, 2].map((value) => slowText('kernel', value)));
    waiting = server.embed('slow', inputs);
    await until(async () => busy.answers.length > 0 || (await isFull()));
    answer = await ask(embedText('slow', quick));
    await Promise.all([waiting, busy.receive(1)]);
    busy.leave();
  } while (answer.status === 200);
  assert.is(answer.status, 429);
  assert.ok(Number(answer.headers['retry-after']) >= 1);
  assert.match(errorOf(answer).message, /40 inputs wait, at most 40 may \(--max-queue\)/);
  assert.equal(
    (await waiting).flat(),
    Array.from({ length: queueMax }, (_, index) => index + 1),
  );
  await servesOn();
});

test('slow headers and slow bodies are cut in time, and say by which limit', async () => {
  const headers = await open(hasty);
  headers.send('POST /v1/embeddings HTTP/1.1\r\nhost: a\r\nx-slow: ');
  const body = await open(hasty);
  body.send(embedText('slow', quick).slice(0, -4));
  const chunked = await open(hasty);
  chunked.send(
    'POST /v1/embeddings HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n' +
      'transfer-encoding: chunked\r\n\r\n5\r\n{"mod',
  );
  const admin = await open(hasty);
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
  await headers.closed;
  admin.leave();
  assert.is((await fetch(`${hasty.url}/livez`)).status, 200);
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
