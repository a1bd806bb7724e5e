/** One application twice, with and without the direct way: nobody can tell which one answers. */
import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { directCalls } from '../../http/app.js';
import { listen } from '../../http/listen.js';
import type { EndedRequest } from '../../http/request-spans.js';
import { StatusError } from '../../runtime/base/errors.js';
import { systemPorts } from '../../runtime/base/ports.js';
import fc from '../properties.js';
import { harness, type Harness, type HarnessOptions } from './harness.js';
import { until } from './listening.js';

interface Side {
  readonly made: Harness;
  readonly port: number;
  readonly spans: EndedRequest[];
}

interface Pair {
  readonly direct: Side;
  readonly chain: Side;
  /** By request: whether the direct way took it. */
  readonly taken: boolean[];
}

const limits = { bodyBytesMax: 4096, batchMax: 3 };
const ports = systemPorts('test');

async function withPair(work: (pair: Pair) => Promise<void>): Promise<void> {
  const taken: boolean[] = [];
  const closing: (() => Promise<void>)[] = [];
  const side = async (isDirect: boolean): Promise<Side> => {
    const spans: EndedRequest[] = [];
    const told = { ended: (one: EndedRequest) => void spans.push(one), close: async () => {} };
    const made = harness({ limits, spans: told } satisfies HarnessOptions);
    const direct = isDirect ? directCalls(made.services) : undefined;
    const take = direct?.take.bind(direct);
    if (direct !== undefined) {
      direct.take = (...exchange) => {
        taken.push(take!(...exchange));
        return taken.at(-1)!;
      };
    }
    const listener = await listen(made.app, { host: '127.0.0.1', port: 0, ports, direct });
    closing.push(() => listener.close(0));
    return { made, spans, port: listener.port };
  };
  try {
    await work({ direct: await side(true), chain: await side(false), taken });
  } finally {
    for (const close of closing) await close();
  }
}

/** What comes back until the connection ends; `parts` leave one after another. */
function exchange(port: number, parts: readonly (string | Buffer)[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.setNoDelay(true).setEncoding('utf8');
    socket.on('data', (chunk: string) => (text += chunk));
    socket.on('error', reject);
    socket.on('close', () => resolve(text.replace(/^date: .*\r\n/im, '')));
    const send = ([part, ...rest]: readonly (string | Buffer)[]): void => {
      if (part !== undefined) socket.write(part, () => setImmediate(() => send(rest)));
    };
    send(parts);
  });
}

/** The same head and body, whatever the order of the headers. */
function sorted(answer: string): { head: string[]; body: string } {
  const [head = '', body = ''] = answer.split('\r\n\r\n');
  return { head: head.toLowerCase().split('\r\n').sort(), body };
}

interface Sent {
  readonly line?: string;
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: string | Buffer;
}

function request({ line = 'POST /v1/embeddings HTTP/1.1', headers = {}, body = '' }: Sent) {
  const bytes = Buffer.from(body);
  const all: Record<string, string | null> = {
    host: 'localhost:8040',
    connection: 'close',
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    'x-request-id': 'told',
    ...headers,
  };
  const given = Object.entries(all).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}\r\n`],
  );
  return [`${line}\r\n${given.join('')}\r\n`, bytes] as const;
}

async function assertSame({ direct, chain }: Pair, sent: Sent): Promise<string> {
  const [head, body] = request(sent);
  const whole = [Buffer.concat([Buffer.from(head), body])];
  const theirs = await exchange(chain.port, whole);
  const ours = await exchange(direct.port, whole);
  assert.equal(sorted(ours), sorted(theirs));
  assert.equal(sorted(await exchange(direct.port, [head, body])), sorted(theirs));
  return ours;
}

const input = (value: unknown, more: object = {}): string =>
  JSON.stringify({ model: 'first-output', input: value, ...more });
const questions = { kind: 'choice', text: 'which?', labels: ['a', 'b'] };
const decision = JSON.stringify({ model: 'first-output', questions });

const cases: readonly (readonly [what: string, isDirect: boolean, status: number, sent: Sent])[] = [
  ['a text', true, 200, { body: input('hello ü') }],
  ['texts as base64', true, 200, { body: input(['a', 'b'], { encoding_format: 'base64' }) }],
  ['tokens', true, 200, { body: input([1, 2]) }],
  ['a question', true, 200, { line: 'POST /v1/decisions HTTP/1.1', body: decision }],
  ['a bound', true, 200, { body: input('a'), headers: { 'x-request-timeout': '9.5' } }],
  ['a bound that is none', true, 400, { body: input('a'), headers: { 'x-request-timeout': 'x' } }],
  ['too many inputs', true, 400, { body: input(['a', 'b', 'c', 'd']) }],
  ['dimensions that are not there', true, 400, { body: input('a', { dimensions: 3 }) }],
  ['a model that is not there', true, 404, { body: '{"model":"x","input":"a"}' }],
  ['no model', true, 400, { body: '{}' }],
  ['no body', true, 400, {}],
  ['no JSON', true, 400, { body: '{"model":' }],
  ['no UTF-8', true, 400, { body: Buffer.from([0x22, 0xff, 0x22]) }],
  ['a byte order mark', true, 200, { body: `\ufeff${input('a')}` }],
  ['a form', true, 415, { body: 'a=b', headers: { 'content-type': 'text/plain' } }],
  ['no type', true, 415, { body: '{}', headers: { 'content-type': null } }],
  ['a span of its own', true, 200, { body: input('a'), headers: { traceparent: '00-1-2-01' } }],
  ['a length beyond the limit', false, 413, { body: input('x'.repeat(5000)) }],
  ['an encoding', false, 415, { body: '{}', headers: { 'content-encoding': 'gzip' } }],
  ['a query', false, 200, { line: 'POST /v1/embeddings?a=b HTTP/1.1', body: input('a') }],
  ['another method', false, 405, { line: 'PUT /v1/embeddings HTTP/1.1', body: '{}' }],
  ['another route', false, 404, { line: 'POST /v1/embedding HTTP/1.1', body: '{}' }],
  ['no host', false, 400, { body: input('a'), headers: { host: null } }],
  ['a host that is none', false, 400, { body: input('a'), headers: { host: 'a b' } }],
];

test('status, headers, body, metrics, line and span are those of the chain', () =>
  withPair(async (pair) => {
    const { direct, chain, taken } = pair;
    for (const [what, isDirect, status, sent] of cases) {
      for (const { made } of [direct, chain]) {
        made.serving.distributions = [Float32Array.of(0.25, 0.75)];
      }
      taken.length = 0;
      const answer = await assertSame(pair, sent);
      assert.match(answer, new RegExp(`^HTTP/1.1 ${status} `), what);
      assert.equal(taken, [isDirect, isDirect], what);
      const [ours, theirs] = [direct, chain].map(({ made, spans }) => {
        const told = spans.at(-1);
        const span = told && { ...told, scope: { ...told.scope, arrivedMs: 0 }, elapsedMs: 0 };
        const line = made.lines.at(-1);
        return { span, line: line && { ...line, fields: { ...line.fields, elapsedMs: 0 } } };
      });
      assert.equal(JSON.stringify(ours), JSON.stringify(theirs), what);
      assert.is(direct.spans.length, 2 * chain.spans.length, what);
    }
  }));

test('failures of the server, and one that drains', () =>
  withPair(async (pair) => {
    const sides = [pair.direct, pair.chain].map(({ made }) => made);
    for (const failure of [
      new StatusError('resourceExhausted', 'full', { retryAfterS: 2.5 }),
      new StatusError('unavailable', 'lost'),
      new Error('a bug'),
    ]) {
      // Each is sent whole and in parts.
      for (const { serving } of sides) serving.failures.push(failure, failure);
      assert.match(await assertSame(pair, { body: input('a') }), failure.message);
      for (const { serving } of sides) serving.failures.length = 0;
    }
    for (const { serving } of sides) serving.distributions = [];
    const decided = { line: 'POST /v1/decisions HTTP/1.1', body: decision };
    assert.match(await assertSame(pair, decided), 'answered 0 rows for 1 inputs');
    for (const made of sides) made.draining = true;
    assert.match(await assertSame(pair, { body: input('a') }), /^HTTP\/1.1 503 /);
    assert.ok(pair.taken.every((isTaken) => isTaken));
  }));

const value: fc.Arbitrary<unknown> = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.array(fc.string({ unit: 'binary' }), { maxLength: 4 }),
  fc.string({ unit: 'binary' }),
);
const anyBody = fc.oneof(
  fc
    .record({ input: value, dimensions: fc.constantFrom(undefined, 8, 3) })
    .map(({ input: given, dimensions }) => input(given, { dimensions })),
  fc.jsonValue({ maxDepth: 3 }).map((json) => JSON.stringify(json)),
  fc.string({ unit: 'binary' }),
);

test('any body is answered as the chain answers it', () =>
  withPair((pair) =>
    fc.assert(
      fc.asyncProperty(anyBody, async (body) => void (await assertSame(pair, { body }))),
      { numRuns: 60 },
    ),
  ));

test('who leaves cancels, a slow body is told of the bound, and nothing stays open', () =>
  withPair(async ({ direct }) => {
    const { serving, services } = direct.made;
    serving.gate = new Promise(() => undefined);
    const socket = connect(direct.port, '127.0.0.1');
    for (const part of request({ body: input('a') })) socket.write(part);
    await until(() => serving.calls.length === 1);
    assert.is(services.open.requests, 1);
    socket.destroy();
    await until(() => serving.aborted.length === 1);
    const late = { headers: { 'x-request-timeout': '0.05', 'content-length': '99' } };
    assert.match(await exchange(direct.port, request(late)), /^HTTP\/1.1 504 /);
    serving.gate = null;
    assert.match(await exchange(direct.port, request({ body: input('b') })), /^HTTP\/1.1 200 /);
    assert.is(services.open.requests, 0);
    assert.equal(
      direct.spans.map(({ status }) => status),
      [499, 504, 200],
    );
  }));

test('requests that are sent at once on one connection are answered in their order', () =>
  withPair(async ({ direct, taken }) => {
    const texts = ['first', 'second', 'third'];
    const parts = texts.map((text, at) => {
      const connection = at === 2 ? 'close' : 'keep-alive';
      const headers = { connection, 'x-request-id': text };
      return Buffer.concat(
        request({ body: input(text), headers }).map((part) => Buffer.from(part)),
      );
    });
    const answers = await exchange(direct.port, [Buffer.concat(parts)]);
    assert.equal(
      [...answers.matchAll(/x-request-id: (\w+)/g)].map(([, id]) => id),
      texts,
    );
    assert.equal(taken, [true, true, true]);
  }));

test.run();
