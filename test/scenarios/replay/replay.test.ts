/**
 * Traffic of every kind is recorded once; then it is played again, on real threads and in
 * simulation, as it was and after it, or a package, was tampered with. time limit: 120 s
 */
import {
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { runCommand } from '../../../http/cli/program.js';
import { Recording } from '../../../scenarios/replay/recording.js';
import { packageFolder } from '../../actors/running-server.js';
import { repositoryRoot } from '../../runtime/packages/repository-root.js';
import { MixedTraffic } from './mixed-traffic.js';
import { startRecorded } from './recorded-server.js';

const folder = mkdtempSync(join(tmpdir(), 'loom-replay-test-'));
const file = join(folder, 'traffic.loom-trace');
const sessionDir = join(folder, 'sessions');
const secret = 'not-for-any-file';
const models = {
  embeddings: 'first-output',
  decisions: 'decision',
  text: 'tiny-text',
  sequence: 'sequence',
  passing: { id: 'embedding', folder: packageFolder('embedding') },
};
let traffic: MixedTraffic;

test.before(async () => {
  const packages = ['first-output', 'decision', 'tiny-text', 'sequence'].map(packageFolder);
  const server = await startRecorded(packages, file, { sessionDir });
  traffic = new MixedTraffic(server.url, models);
  await traffic.round(1);
  await traffic.saved('kept');
  const headers = { authorization: `Bearer ${secret}`, cookie: secret, 'x-api-key': secret };
  const input = { model: 'first-output', input: 'with secrets' };
  await traffic.send('POST', `/v1/embeddings?api_key=${secret}&a=b`, input, { headers });
  // Alone, when no model comes or goes.
  const last = { model: 'tiny-text', prompt: 'Alone at the end', max_tokens: 8, seed: 3 };
  await traffic.send('POST', '/v1/completions', last);
  await server.close();
});
test.after(() => rmSync(folder, { recursive: true }));

async function replay(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const out: string[] = [];
  const err: string[] = [];
  const terminal = {
    out: (text: string) => void out.push(text),
    err: (text: string) => void err.push(text),
    isInteractive: false,
  };
  const load = () => import('../../../actors/start.js');
  const code = await runCommand(['replay', ...args], { terminal, load });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** Names and times of what is kept. */
const savedSessions = (): string[] =>
  readdirSync(sessionDir).map((name) => `${name} ${statSync(join(sessionDir, name)).mtimeMs}`);

/** Counts of a mode: requests, equal, different, not complete in both. */
function countsOf(out: string, mode: string): number[] {
  const line = new RegExp(
    `^${mode}: (\\d+) requests in \\S+ s: (\\d+) equal, (\\d+) different, (\\d+) not complete`,
    'm',
  ).exec(out);
  assert.ok(line, out);
  return line!.slice(1).map(Number);
}

test('the traffic was of every kind', () => {
  const { statuses, left } = traffic;
  for (const status of [200, 201, 400, 404, 410]) {
    assert.ok((statuses.get(status) ?? 0) > 0, `status ${status}: ${[...statuses].join(' ')}`);
  }
  assert.is(left, 2);
});

test('no secret is in the file, and everything else that a replay needs is', async () => {
  const text = readFileSync(file, 'utf8');
  assert.not.ok(text.includes(secret));
  assert.match(text, /"path":"\/v1\/embeddings\?a=b"/);
  const recording = await Recording.read(file);
  assert.is(recording.requests.length, traffic.count);
  assert.is(recording.settings.memoryBytes, 256 * 1024 * 1024);
  assert.equal(recording.packages.map(({ id, isOfStart }) => `${id} ${isOfStart}`).sort(), [
    'decision true',
    'embedding false',
    'first-output true',
    'sequence true',
    'tiny-text true',
  ]);
  await recording.close();
});

test('all that completed is answered with the same bytes, on threads and in simulation', async () => {
  const before = savedSessions();
  const { code, out, err } = await replay(file, '--speed', 'max');
  assert.is(code, 0, out + err);
  assert.equal(savedSessions(), before, 'what is saved now takes the place of nothing');
  assert.is(before.length, 1);
  assert.not.match(out, /not complete: now:/, 'what completed once completes');
  for (const mode of ['threads', 'simulated']) {
    const [all, equal, different, incomplete] = countsOf(out, mode);
    assert.is(all, traffic.count);
    assert.is(different, 0, out);
    // The turn of a session that was closed, at least; who left may have been told all before.
    assert.ok(incomplete! >= 1 && incomplete! <= 8, out);
    assert.ok(equal! > traffic.count * 0.7, out);
  }
});

test('a recording that was cut and tampered with is found out, with the way of its request', async () => {
  const tampered = join(folder, 'tampered');
  const lines = readFileSync(file, 'utf8').split('\n');
  const at = lines.findIndex((line) => line.includes('Alone at the end'));
  assert.ok(at > 0);
  lines[at] = lines[at]!.replace('Alone at the end', 'Alone at the bend');
  const request = (JSON.parse(lines[at]!) as { request: number }).request;
  writeFileSync(tampered, `${lines.join('\n')}{"type":"arri`);
  const { code, out } = await replay(tampered, '--simulated');
  assert.is(code, 1);
  assert.match(out, /^warning: the last line was cut off/m);
  assert.is(countsOf(out, 'simulated')[2], 1, out);
  const recording = await Recording.read(tampered);
  const { id } = recording.requests.find(({ number }) => number === request)!;
  await recording.close();
  assert.match(out, new RegExp(`^first difference: ${id} POST /v1/completions$`, 'm'));
  assert.match(out, /the body differs from character \d+ on: recorded …?".*"…?, now …?"/);
  assert.match(out, /its transitions, recorded:\n.*\(request\.submit\)/);
  assert.match(out, /its transitions, now:\n(.*\n)*.*\/turns\/.*running → closed \(turn\.ended\)/);
});

test('a package that was changed is told, and what it answers otherwise', async () => {
  const changed = join(folder, 'models');
  cpSync(join(repositoryRoot, 'models/first-output'), join(changed, 'first-output'), {
    recursive: true,
  });
  const kernel = join(changed, 'first-output/kernel.loom');
  const text = readFileSync(kernel, 'utf8');
  assert.ok(text.includes('/ 256.0'), text);
  writeFileSync(kernel, text.replaceAll('/ 256.0', '/ 128.0'));
  const instead = `first-output=${join(changed, 'first-output')}`;
  const { code, out } = await replay(file, '--simulated', '--package', instead);
  assert.is(code, 1, out);
  assert.match(out, /warning: package first-output is not the one that was recorded/);
  assert.match(out, /^first difference: \S+ POST \/v1\/embeddings/m);
});

test.run();
