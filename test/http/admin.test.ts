import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isLoopbackHost } from '../../http/middleware/admin-access.js';
import { StatusError } from '../../runtime/base/errors.js';
import { errorOf, harness } from './harness.js';

const path = '/admin/models';
const folder = { package: '/packages/mine' };

test('a registration is 202 with a place to watch, or 200 when waited for', async () => {
  const { post, get, serving } = harness();
  const accepted = await post(path, folder);
  assert.is(accepted.status, 202);
  assert.is(accepted.headers.get('location'), '/admin/models/mine');
  assert.is(((await accepted.json()) as { state: string }).state, 'registering');
  assert.equal(serving.registrations[0], { kind: 'package', package: '/packages/mine' });
  const shown = (await (await get('/admin/models/mine')).json()) as Record<string, unknown>;
  assert.is(shown.state, 'serving');
  assert.is(shown.unitsMax, 4096);
  for (const flag of ['wait', 'wait=1', 'wait=true']) {
    assert.is((await post(`${path}?${flag}`, folder)).status, 200, flag);
  }
  assert.is((await post(`${path}?wait=0`, folder)).status, 202);
  assert.is((await errorOf(await post(`${path}?wait=maybe`, folder))).param, 'wait');
});

test('a document is registered with its id and base', async () => {
  const { post, serving } = harness();
  const body = { id: 'mine', base: '/packages/x', model: { loom: 1, deep: { a: [1] } } };
  assert.is((await post(path, body)).status, 202);
  assert.equal(serving.registrations[0], { kind: 'document', ...body });
});

const wrong: [unknown, string | null][] = [
  [{}, 'package'],
  [{ package: '' }, 'package'],
  [{ package: 7 }, 'package'],
  [{ package: 'relative/folder' }, 'package'],
  [{ package: '/a', id: 'x' }, 'id'],
  [{ package: '/a', model: {} }, 'model'],
  [{ model: {}, base: '/a' }, 'id'],
  [{ model: {}, id: 'a' }, 'base'],
  [{ model: {}, id: 'a', base: 'b' }, 'base'],
  [{ model: 'text', id: 'a', base: '/b' }, 'model'],
  [{ id: 'a', base: '/b' }, 'package'],
  [[], null],
];
test('a body of the wrong shape is 400 and names the field', async () => {
  for (const [body, param] of wrong) {
    const { post, serving } = harness();
    const response = await post(path, body);
    assert.is(response.status, 400, JSON.stringify(body));
    assert.is((await errorOf(response)).param, param, JSON.stringify(body));
    assert.is(serving.registrations.length, 0);
  }
});

test('a package that is not valid is 422 with every diagnostic', async () => {
  const { post, serving } = harness();
  const details = ['a.loom:1:2: unexpected }', 'b.loom:9:1: unknown name'];
  for (const code of ['invalidArgument', 'failedPrecondition', 'outOfRange'] as const) {
    serving.failures.push(new StatusError(code, 'two problems', { details, param: 'model.loom' }));
    const response = await post(`${path}?wait`, folder);
    assert.is(response.status, 422, code);
    const error = await errorOf(response);
    assert.equal(error.details, details);
    assert.is(error.param, 'model.loom');
  }
  serving.failures.push(new StatusError('permissionDenied', 'outside every --package-root'));
  assert.is((await post(path, folder)).status, 403);
  serving.failures.push(new TypeError('bug'));
  assert.is((await post(path, folder)).status, 500);
});

test('a removal answers the last state, and 404 the second time', async () => {
  const { app, get } = harness();
  const remove = () =>
    app.request('/admin/models/first-output', {
      method: 'DELETE',
      headers: { host: 'localhost' },
    });
  assert.is(((await (await remove()).json()) as { state: string }).state, 'removed');
  assert.is((await remove()).status, 404);
  assert.is((await get('/admin/models/first-output')).status, 404);
});

test('deployments and actors are listed', async () => {
  const { get } = harness();
  const list = (await (await get(path)).json()) as { data: { id: string }[] };
  assert.equal(
    list.data.map((state) => state.id),
    ['first-output'],
  );
  assert.is(((await (await get('/admin/actors')).json()) as { address: string }).address, '/');
});

test('beyond loopback, admin is closed without a token and open with the right one', async () => {
  const closed = harness({ admin: { loopback: false, token: null } });
  const response = await closed.get(path);
  assert.is(response.status, 403);
  assert.match((await errorOf(response)).message, '--admin-token');

  const open = harness({ admin: { loopback: false, token: 'secret' } });
  const host = { host: 'models.example:8040' };
  assert.is((await open.get(path, host)).status, 401);
  assert.is((await open.get(path, { ...host, authorization: 'Bearer secre' })).status, 401);
  assert.is((await open.get(path, { ...host, authorization: 'Basic secret' })).status, 401);
  assert.is((await open.get(path, { ...host, authorization: 'Bearer secret' })).status, 200);
  assert.is((await open.get('/v1/models', host)).status, 200, 'inference needs no token');
  assert.is((await open.get('/livez', host)).status, 200);
});

test('a token that was set is needed on loopback too', async () => {
  const { get } = harness({ admin: { loopback: true, token: 'secret' } });
  assert.is((await get(path)).status, 401);
  assert.is((await get(path, { authorization: 'bearer secret' })).status, 200);
});

test('on loopback a rebound name, a foreign page and a plain form are refused', async () => {
  const { get, post, serving } = harness();
  assert.is((await get(path, { host: 'evil.example' })).status, 403);
  assert.is((await get(path, { origin: 'http://evil.example' })).status, 403);
  assert.is((await get(path, { origin: 'null' })).status, 403);
  assert.is((await get(path, { origin: 'http://localhost:8040' })).status, 200);
  const form = { 'content-type': 'text/plain' };
  assert.is((await post(path, folder, form)).status, 415);
  assert.is(serving.registrations.length, 0);
});

test('loopback names', () => {
  for (const host of [
    'localhost',
    'LOCALHOST:80',
    '127.0.0.1:8040',
    '127.9.8.7',
    '[::1]:1',
    '::1',
  ]) {
    assert.ok(isLoopbackHost(host), host);
  }
  for (const host of ['localhost.evil', '127.0.0.1.evil', '10.0.0.1', '[::2]', '', '127.0.0.256']) {
    assert.not(isLoopbackHost(host), host);
  }
});

test('a draining server refuses registrations', async () => {
  const made = harness();
  made.draining = true;
  const response = await made.post(path, folder);
  assert.is(response.status, 503);
  assert.is(response.headers.get('retry-after'), '5');
});

test.run();
