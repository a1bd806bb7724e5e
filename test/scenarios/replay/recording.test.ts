/**
 * Recordings that are cut off, damaged or hostile: read as far as they go, or refused by their
 * line.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../properties.js';
import { StatusError } from '../../../runtime/base/errors.js';
import { LINE_BYTES_MAX } from '../../../scenarios/replay/line-reader.js';
import { Recording } from '../../../scenarios/replay/recording.js';

const folder = mkdtempSync(join(tmpdir(), 'loom-recording-'));
const file = join(folder, 'recording');
test.after(() => rmSync(folder, { recursive: true }));

const header = { loomTrace: 1, startMs: 1000, wallTimeMs: 1_700_000_000_000, threads: [] };
const track = { length: 2, sha256: 'ab'.repeat(32), head: '{}' };
const arrived = (request: number, atMs: number): object => ({
  type: 'arrived',
  request,
  atMs,
  id: `req-${request}`,
  method: 'POST',
  path: '/v1/embeddings',
  headers: { 'content-type': 'application/json' },
});
const body = { type: 'body', request: 1, atMs: 1001, bytes: 2, text: '{}' };
const answered = {
  type: 'answered',
  request: 1,
  atMs: 1005,
  status: 200,
  bytes: 2,
  events: null,
  eventsDigest: null,
  isBroken: false,
  tracks: { body: track },
};
const whole = [
  header,
  { type: 'spawn', atMs: 1000, actor: 'main:/x', parent: 'main:/', incarnation: 0 },
  arrived(1, 1000),
  body,
  arrived(2, 1002),
  answered,
  { type: 'left', request: 2, atMs: 1009, events: 0 },
  { type: 'lost', atMs: 1010, count: 5, lines: 3 },
];
const textOf = (lines: readonly object[]): string =>
  lines.map((line) => `${JSON.stringify(line)}\n`).join('');

async function read(text: string | Uint8Array): Promise<Recording> {
  writeFileSync(file, text);
  const recording = await Recording.read(file);
  await recording.close();
  return recording;
}

async function refusal(text: string): Promise<string> {
  try {
    await read(text);
  } catch (error) {
    assert.instance(error, StatusError);
    return (error as StatusError).message;
  }
  throw new Error('it was read');
}

test('a whole one is read, bodies when they are due, and what was lost is said', async () => {
  writeFileSync(file, textOf(whole));
  const recording = await Recording.read(file);
  const [first, second] = recording.requests;
  assert.equal(new TextDecoder().decode((await recording.bodyOf(first!))!), '{}');
  assert.is((await recording.answerOf(first!))!.status, 200);
  assert.is(first!.endedMs, 1005);
  assert.equal(second!.left, { atMs: 1009, events: 0 });
  assert.is(await recording.bodyOf(second!), null);
  assert.equal(recording.warnings, ['3 lines of traffic were lost to a slow disk']);
  await recording.close();
});

test('cut off anywhere it is read as far as it goes, and that is said', async () => {
  const text = textOf(whole);
  const first = text.indexOf('\n');
  const cuts = fc.integer({ min: first, max: text.length - 1 });
  await fc.assert(
    fc.asyncProperty(cuts, async (length) => {
      const { requests, warnings } = await read(text.slice(0, length));
      const complete = text.slice(0, length).split('\n').slice(0, -1);
      const rest = text.slice(0, length).split('\n').at(-1)!;
      const isWhole = rest !== '' && rest.endsWith('}') && isJson(rest);
      const lines = isWhole ? [...complete, rest] : complete;
      assert.is(requests.length, lines.filter((line) => line.includes('"arrived"')).length);
      const isSaid = warnings.some((warning) => warning.includes('was cut off'));
      // Of what is no line of traffic its end is no matter.
      if (isSaid) assert.ok(!isWhole && rest !== '');
      else assert.ok(isWhole || rest === '' || /^\{"type":"spawn/.test(rest) || rest.endsWith('}'));
    }),
    { numRuns: 120 },
  );
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

test('what is wrong with it is told with its line', async () => {
  const changed = (at: number, change: object): string =>
    textOf(whole.map((line, index) => (index === at ? { ...line, ...change } : line)));
  const cases: readonly (readonly [text: string, says: RegExp])[] = [
    ['', /:1: no recording: it is empty/],
    ['{"hello": 1}\n', /:1: no recording: its first line must be/],
    [textOf(whole).replace('"type":"body"', '"type":"body",,'), /:4: not an object of JSON/],
    [changed(2, { method: 'no way' }), /:3: method must be one of HTTP/],
    [changed(2, { path: 'http://elsewhere/' }), /:3: path must be one of HTTP/],
    [changed(2, { path: '/a b' }), /:3: path must be one of HTTP/],
    [changed(2, { id: 'a\r\nb: c' }), /:3: id must be a plain token/],
    [changed(2, { headers: { 'a\n': 'b' } }), /:3: headers: "a\\n" is no name/],
    [changed(2, { headers: { a: 'b\r\nc: d' } }), /:3: headers\.a must be a plain text/],
    [changed(2, { atMs: null }), /:3: atMs must be a number/],
    [changed(4, { request: 1 }), /:5: request 1 arrives twice/],
    [changed(3, { request: 77 }), /:4: of no request/],
    [changed(5, { status: 9000 }), /:6: status must be one of HTTP/],
    [changed(5, { tracks: { body: { ...track, sha256: 'x' } } }), /:6: tracks\.body\.sha256/],
    [changed(5, { tracks: [] }), /:6: tracks must be an object/],
  ];
  for (const [text, says] of cases) assert.match(await refusal(text), says);
});

test('options are taken as far as they are ones, and cost no more than the machine has', async () => {
  const options = { threads: 1e9, modelThreads: 2, memoryBytes: -1, device: 7, queueMax: 5.5 };
  const server = { type: 'server', atMs: 1, version: '', options: { ...options, batchMax: 3 } };
  const { settings } = await read(textOf([header, server]));
  assert.is(settings.modelThreads, 2);
  assert.is(settings.batchMax, 3);
  assert.is(settings.threads, null);
  assert.is(settings.memoryBytes, null);
  assert.is(settings.device, 'local');
  assert.is(settings.queueMax, 4096);
  const far = await refusal(textOf([header, arrived(1, 0), arrived(2, 1e15)]));
  assert.match(far, /its requests come within 1000000000000000 ms, at most/);
});

test('no damage does anything but be told', async () => {
  const text = Buffer.from(textOf(whole));
  const damage = fc.array(fc.tuple(fc.nat(text.length - 1), fc.nat(255)), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(damage, async (changes) => {
      const damaged = Buffer.from(text);
      for (const [at, byte] of changes) damaged[at] = byte;
      try {
        assert.ok((await read(damaged)).requests.length <= 2);
      } catch (error) {
        assert.instance(error, StatusError);
      }
    }),
    { numRuns: 300 },
  );
});

test('a line longer than any that is written is not held', async () => {
  const message = await refusal(
    `${textOf([header])}{"type":"body${'x'.repeat(LINE_BYTES_MAX + 10)}`,
  );
  assert.match(message, /:2: a line has more than \d+ bytes; no recorder writes one/);
});

test('a file that is not there is named', async () => {
  const error = await Recording.read(join(folder, 'none')).catch((thrown: unknown) => thrown);
  assert.is((error as StatusError).code, 'notFound');
  assert.match((error as StatusError).message, /none cannot be read/);
});

test.run();
