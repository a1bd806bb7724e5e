/** /console and /admin/explain over fakes: what they answer, to whom, and streams that end. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../runtime/base/errors.js';
import { errorOf, harness, type HarnessOptions } from './harness.js';
import { postJson, until, withServer } from './listening.js';

const data = ['charts', 'tree', 'requests', 'recording', 'trace', 'events'].map(
  (name) => `/console/${name}`,
);

test('charts, actors and requests are given as they are seen', async () => {
  const { get, observing } = harness();
  observing.chartList = [
    {
      id: 'door',
      path: 'door.machine.ts',
      description: '',
      initial: '',
      states: [],
      transitions: [],
    },
  ];
  observing.list = { nowMs: 7, threads: [{ name: 'main', answers: true }], actors: [] };
  observing.requestList = [
    { id: 'r', address: 'a:/b', kind: 'session', state: 'waiting', ageMs: 1, waitingFor: 'a row' },
  ];
  const read = async (path: string): Promise<unknown> => (await get(path)).json();
  assert.equal(await read('/console/charts'), { charts: observing.chartList });
  assert.equal(await read('/console/tree'), observing.list);
  assert.equal(await read('/console/requests'), { requests: observing.requestList });
});

test('recording is turned on and off, and only by a body that says so', async () => {
  const { get, post } = harness();
  const read = async (answer: Promise<Response>): Promise<unknown> => (await answer).json();
  const path = '/console/recording';
  assert.equal(await read(get(path)), { recording: false });
  assert.equal(await read(post(path, { recording: true })), { recording: true });
  assert.equal(await read(get(path)), { recording: true });
  for (const body of [{}, { recording: 'yes' }, { recording: true, more: 1 }]) {
    assert.is((await post(path, body)).status, 400);
  }
  assert.is((await errorOf(await post(path, { recording: 1 }))).param, 'recording');
  assert.equal(await read(post(path, { recording: false })), { recording: false });
});

test('an explanation is found by an id with slashes; one that nobody has is 404', async () => {
  const { get, observing } = harness();
  const explanation = {
    request: 'team/a=1',
    model: 'm',
    address: null,
    thread: null,
    kind: null,
    state: null,
    ageMs: 3,
    waiting: [],
  };
  observing.explanations = [explanation];
  for (const id of ['team/a=1', encodeURIComponent('team/a=1')]) {
    const answer = await get(`/admin/explain/${id}`);
    assert.is(answer.status, 200, id);
    assert.equal(await answer.json(), { explanations: [explanation] });
  }
  const missing = await get('/admin/explain/nobody');
  assert.is(missing.status, 404);
  assert.match((await errorOf(missing)).message, /no request with the id nobody/);
});

const open: HarnessOptions = { admin: { loopback: false, token: 'secret' } };

test('who may not use /admin may not look', async () => {
  const { get } = harness(open);
  for (const path of [...data, '/admin/explain/r']) {
    assert.is((await get(path)).status, 401, path);
    assert.is((await get(path, { authorization: 'Bearer other' })).status, 401, path);
  }
  const answer = await get('/console/tree', { authorization: 'Bearer secret' });
  assert.is(answer.status, 200);
  const closed = harness({ admin: { loopback: false, token: null } });
  for (const path of [...data, '/console']) assert.is((await closed.get(path)).status, 403, path);
  const rebound = harness();
  for (const path of [...data, '/console', '/console/assets/style.css']) {
    const stranger = await rebound.get(path, { host: 'evil.example' });
    assert.is(stranger.status, 403, path);
    const page = await rebound.get(path, { origin: 'http://evil.example' });
    assert.is(page.status, 403, path);
  }
});

test('a browser gets the page before it is told the token, and nothing of other hosts', async () => {
  const { get } = harness(open);
  const page = await get('/console');
  assert.is(page.status, 200);
  assert.match(page.headers.get('content-type')!, 'text/html');
  assert.match(page.headers.get('content-security-policy')!, "default-src 'self'");
  assert.is(
    (await get('/console/assets/style.css')).headers.get('content-type'),
    'text/css; charset=utf-8',
  );
  assert.is((await get('/console/assets/elk.bundled.js')).status, 200);
});

test('no file but those of the console is given', async () => {
  const { get } = harness();
  for (const name of [
    'nothing.js',
    '../app.js',
    '..%2fapp.js',
    '%2e%2e/app.js',
    'main.ts',
    'index',
    '/etc/hosts',
    '.css',
  ]) {
    const answer = await get(`/console/assets/${name}`);
    assert.is(answer.status, 404, name);
  }
});

test('a trace is a download in either form', async () => {
  const { get, observing } = harness();
  observing.lines = ['one\n', 'two\n'];
  const loom = await get('/console/trace');
  assert.is(await loom.text(), 'loom one\nloom two\n');
  assert.match(loom.headers.get('content-disposition')!, /filename="server.loom-trace"/);
  const chrome = await get('/console/trace?format=chrome');
  assert.is(await chrome.text(), 'chrome one\nchrome two\n');
  assert.is((await errorOf(await get('/console/trace?format=pdf'))).param, 'format');
});

test('records come as named events with ids, from where the reader was', () =>
  withServer(async ({ observing }, { url }) => {
    observing.events = [
      { id: 12, text: '{"nowMs":1,"lost":0,"records":[]}' },
      { id: 15, text: '{"nowMs":2,"lost":3,"records":[]}' },
    ];
    const answer = await fetch(`${url}/console/events?from=7`);
    assert.is(answer.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    const events = (await answer.text()).split('\n\n').filter((text) => !text.startsWith(':'));
    assert.equal(events, [
      'event: records\nid: 12\ndata: {"nowMs":1,"lost":0,"records":[]}',
      'event: records\nid: 15\ndata: {"nowMs":2,"lost":3,"records":[]}',
      '',
    ]);
    const again = await fetch(`${url}/console/events`, { headers: { 'last-event-id': '15' } });
    await again.text();
    assert.equal(observing.froms, [7, 15]);
    assert.is((await fetch(`${url}/console/events?from=x`)).status, 400);
  }));

test('a reader that leaves is no reader any more', () =>
  withServer(async ({ observing }, { url }) => {
    let wake = (): void => {};
    observing.records = () => ({
      next: () => new Promise((resolve) => (wake = () => resolve(null))),
      close: () => {
        observing.closed += 1;
        wake();
      },
    });
    const leave = new AbortController();
    const answer = await fetch(`${url}/console/events`, { signal: leave.signal });
    assert.is(answer.status, 200, 'the answer begins before there is a record');
    leave.abort();
    await until(() => observing.closed === 1, 'the end of its reader');
  }));

test('a reader that takes nothing holds a bounded number of bytes, and is told of the rest', () =>
  withServer(
    async ({ observing, services }, { url }) => {
      let made = 0;
      observing.records = () => ({
        next: async () => {
          made += 1;
          return made > 2_000
            ? null
            : { id: made, text: JSON.stringify({ pad: 'x'.repeat(50_000) }) };
        },
        close: () => {},
      });
      const answer = await fetch(`${url}/console/events`);
      await until(() => services.open.heldBytes >= 100_000, 'a stream that is held up');
      for (let before = -1; before !== made;) {
        before = made;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.ok(made <= 2_000, 'nothing is asked for that cannot be written');
      assert.ok(services.open.heldBytes < 300_000);
      await answer.body?.cancel();
    },
    { limits: { streamBufferBytes: 100_000 } },
  ));

test('what cannot be seen is an error like any other', async () => {
  const { get, observing } = harness();
  observing.tree = async () => {
    throw new StatusError('unavailable', 'not now');
  };
  assert.is((await get('/console/tree')).status, 503);
});

test('a post without JSON is refused', () =>
  withServer(async (_made, { url }) => {
    const path = `${url}/console/recording`;
    const answer = await postJson(path, {}, { headers: { 'content-type': 'text/plain' } });
    assert.is(answer.status, 415);
  }));

test.run();
