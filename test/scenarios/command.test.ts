/**
 * `loom-serve scenario` against a server that answers everything wrongly: it fails, says what was
 * instead, and ends with 1. Then its list, and what it refuses.
 */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../../http/cli/program.js';
import { allScenarios } from '../../scenarios/all-scenarios.js';

async function run(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    isInteractive: false,
  };
  const load = () => Promise.reject(new Error('it starts nothing'));
  const code = await runCommand(['scenario', ...args], { terminal, load });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** Ready, at rest, and wrong. */
const wrong = createServer((request, response) => {
  const isList = request.method === 'GET' && request.url === '/admin/models';
  const body = isList ? { data: [] } : { ready: true, data: [{ embedding: [0] }] };
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
});
let url = '';

test.before(async () => {
  await new Promise<void>((done) => void wrong.listen(0, '127.0.0.1', done));
  url = `http://127.0.0.1:${(wrong.address() as AddressInfo).port}`;
});
test.after(() => {
  wrong.closeAllConnections();
  wrong.close();
});

test('a server that is wrong fails a scenario, with what it said instead', async () => {
  const { code, out } = await run('fails-then-succeeds', '--url', url);
  assert.is(code, 1);
  assert.match(out, /^FAILED {2}fails-then-succeeds$/m);
  assert.match(out, /FAILED: wrong: 400, saying no digit\n +200$/m);
  assert.match(out, /FAILED: right: its rows\n +\[\[0\]\] instead of \[\[9,/);
  assert.match(out, /holds: the server comes to rest/);
  assert.match(out, /^0 hold, 1 failed$/m);
});

test('of several only what failed is told at length, and what was skipped with its reason', async () => {
  const { code, out } = await run('queue-exact', 'device-lost', '--url', url);
  assert.is(code, 0);
  assert.match(out, /^skipped queue-exact: it acts at transitions/m);
  assert.match(out, /^skipped device-lost: it harms the server/m);
  assert.match(out, /^0 hold, 0 failed, 2 skipped$/m);
});

test('the list has every scenario with what it is about', async () => {
  const { code, out } = await run('--list');
  assert.is(code, 0);
  for (const { name, about } of allScenarios) assert.ok(out.includes(`${name}\n  ${about}`), name);
});

test('a name that is none, no name, and a server that is not there', async () => {
  assert.match((await run('nonsense')).err, /no scenario is called nonsense; --list names them/);
  assert.match((await run()).err, /name a scenario, or say --all/);
  const gone = await run('few-tokens', '--url', 'http://127.0.0.1:9');
  assert.is(gone.code, 1);
  assert.match(gone.err, /http:\/\/127\.0\.0\.1:9 cannot be reached/);
});

test.run();
