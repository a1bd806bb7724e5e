import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { errorAnswer, statusTable } from '../../http/errors.js';
import { StatusError, statusCodes } from '../../runtime/base/errors.js';
import { errorOf, harness } from './harness.js';

const good = { model: 'first-output', input: 'abc' };

// Written out once more by hand: the table is a promise to clients.
const promised: Record<string, [number, string]> = {
  invalidArgument: [400, 'invalid_request_error'],
  outOfRange: [400, 'invalid_request_error'],
  permissionDenied: [403, 'permission_error'],
  notFound: [404, 'invalid_request_error'],
  gone: [410, 'invalid_request_error'],
  alreadyExists: [409, 'invalid_request_error'],
  failedPrecondition: [409, 'invalid_request_error'],
  // 429 where waiting helps: see below.
  resourceExhausted: [500, 'server_error'],
  cancelled: [499, 'invalid_request_error'],
  internal: [500, 'server_error'],
  dataLoss: [500, 'server_error'],
  unimplemented: [501, 'server_error'],
  unavailable: [503, 'server_error'],
  deadlineExceeded: [504, 'timeout_error'],
};

test('every status code has the promised status and type, through the whole stack', async () => {
  assert.equal(Object.keys(statusTable).sort(), [...statusCodes].sort());
  for (const code of statusCodes) {
    const { post, serving } = harness();
    serving.failures.push(new StatusError(code, `because of ${code}`, { param: 'input' }));
    const response = await post('/v1/embeddings', good);
    const { message, type, param } = await errorOf(response);
    assert.equal([response.status, type], promised[code], code);
    assert.is(message, `because of ${code}`);
    assert.is(param, 'input');
    const after = response.headers.get('retry-after');
    const wants = response.status === 429 || response.status === 503;
    assert.is(after !== null, wants, `${code} Retry-After`);
    assert.is((await post('/v1/embeddings', good)).status, 200, `after ${code}`);
  }
});

test('only what a later try may get is a matter of pace', () => {
  const full = errorAnswer(new StatusError('resourceExhausted', 'queue full', { retryAfterS: 1 }));
  assert.equal([full.status, full.body.error.type], [429, 'rate_limit_error']);
  const spent = errorAnswer(new StatusError('resourceExhausted', 'out of fuel'));
  assert.equal([spent.status, spent.headers], [500, {}]);
});

test('a reason that clients know is the code', async () => {
  const error = new StatusError('outOfRange', 'too long', { param: 'prompt', reason: 'too_long' });
  const { status, body } = errorAnswer(error);
  assert.equal(
    [status, body.error.code, body.error.type],
    [400, 'too_long', 'invalid_request_error'],
  );
});

test('Retry-After is what the server asks for, in whole seconds', () => {
  const answer = errorAnswer(new StatusError('resourceExhausted', 'full', { retryAfterS: 2.2 }));
  assert.is(answer.headers['retry-after'], '3');
  const soon = errorAnswer(new StatusError('unavailable', 'busy', { retryAfterS: 0.01 }));
  assert.is(soon.headers['retry-after'], '1');
});

test('a program error carries its place once, and its diagnostics', () => {
  const placed = new StatusError('internal', 'divided by zero', { where: 'control.loom:7:3' });
  assert.is(errorAnswer(placed).body.error.message, 'divided by zero (control.loom:7:3)');
  const twice = new StatusError('invalidArgument', 'a.loom:1:2: unexpected }', {
    where: 'a.loom:1:2',
    details: ['a.loom:1:2: unexpected }', 'a.loom:4:1: unknown name'],
  });
  const { error } = errorAnswer(twice).body;
  assert.is(error.message, 'a.loom:1:2: unexpected }');
  assert.is(error.details?.length, 2);
});

test('a bug is 500 and keeps its message but not its stack', async () => {
  const { post, serving, lines } = harness();
  serving.failures.push(new TypeError('x is not a function'));
  const response = await post('/v1/embeddings', good);
  assert.is(response.status, 500);
  const text = await response.text();
  assert.match(text, 'x is not a function');
  assert.not.match(text, /\.js:\d+/);
  assert.ok(lines.some((line) => line.level === 'error' && 'stack' in line.fields));
});

test('an unknown route is 404 and points to the list', async () => {
  const { get } = harness();
  const response = await get('/v2/nothing');
  assert.is(response.status, 404);
  assert.match((await errorOf(response)).message, 'GET /v2/nothing; see /openapi.json');
});

test('a wrong method is 405 with Allow', async () => {
  const { get, app } = harness();
  const response = await get('/v1/embeddings');
  assert.is(response.status, 405);
  assert.is(response.headers.get('allow'), 'POST');
  const deleted = await app.request('/v1/models/x', { method: 'DELETE' });
  assert.is(deleted.headers.get('allow'), 'GET');
});

test('every answer carries a request id: the given one when it is plain', async () => {
  const { post, get } = harness();
  const headers = { 'x-request-id': 'abc-123' };
  const own = await post('/v1/embeddings', good, headers);
  assert.is(own.headers.get('x-request-id'), 'abc-123');
  const odd = await get('/nowhere', { 'x-request-id': 'a b{}' });
  assert.match(odd.headers.get('x-request-id') ?? '', /^req-/);
  const first = (await get('/livez')).headers.get('x-request-id');
  const second = (await get('/livez')).headers.get('x-request-id');
  assert.ok(first !== null && first !== second);
});

test.run();
