/**
 * Trace files as they are found: whole, cut short, of something else, and written by a slow disk.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { TraceFile, type TraceHeader } from '../../../actors/edge/trace-file.js';
import { readTraceFile } from '../../../actors/edge/trace-reader.js';
import type { SystemRecord } from '../../../runtime/system/recorder.js';
import { rejection } from '../running-server.js';

const folder = mkdtempSync(join(tmpdir(), 'loom-trace-'));
test.after(() => rmSync(folder, { recursive: true }));

const header: TraceHeader = { loomTrace: 1, startMs: 1_000, wallTimeMs: 0, threads: ['main'] };
const recordOf = (atMs: number): SystemRecord => ({
  type: 'unexpected',
  atMs,
  actor: 'main:/a',
  state: 's',
  event: 'e'.repeat(1_000),
});

let files = 0;
function path(text?: string): string {
  files += 1;
  const made = join(folder, `trace-${files}`);
  if (text !== undefined) writeFileSync(made, text);
  return made;
}

test('what was written is read: records, other lines, how long it took', async () => {
  const file = path();
  const trace = new TraceFile(file, header);
  trace.write(1_500, { records: [recordOf(1_200), recordOf(1_400)], lost: 0 });
  trace.append({ type: 'arrival', atMs: 1_600 });
  trace.write(3_000, { records: [recordOf(3_000)], lost: 5 });
  await trace.close();
  assert.equal(await readTraceFile({ file, chromeFile: null }), {
    seconds: 2,
    lost: 5,
    counts: { unexpected: 3, arrival: 1, lost: 1 },
    threads: ['main'],
  });
});

test('what a slow disk has no room for is left out and counted', async () => {
  const file = path();
  const trace = new TraceFile(file, header, 10_000);
  const batch = Array.from({ length: 20 }, (_, at) => recordOf(2_000 + at));
  // No disk takes anything in between: all of it is one turn of the event loop.
  for (let index = 0; index < 5; index += 1) trace.write(2_000, { records: batch, lost: 0 });
  await new Promise((resolve) => setTimeout(resolve, 100));
  trace.write(2_000, { records: [], lost: 0 });
  await trace.close();
  const { counts, lost } = await readTraceFile({ file, chromeFile: null });
  assert.is(counts['unexpected']! + lost, 100);
  assert.ok(lost >= 60, `${lost} are left out`);
});

test('lines of traffic have the same bound, and are counted at the end at the latest', async () => {
  const file = path();
  const trace = new TraceFile(file, header, 10_000);
  const line = { type: 'body', text: 'x'.repeat(1_000) };
  const kept = Array.from({ length: 50 }, () => trace.append(line)).filter((isKept) => isKept);
  assert.ok(kept.length >= 9 && kept.length <= 12, `${kept.length} are kept`);
  await trace.close();
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(1);
  const lost = JSON.parse(lines.pop()!) as object;
  assert.equal(lost, { type: 'lost', atMs: header.startMs, count: 0, lines: 50 - kept.length });
  assert.is(lines.length, kept.length);
});

test('a last line that was cut short is lost; any other is an error that says where', async () => {
  const whole = `${JSON.stringify(header)}\n${JSON.stringify(recordOf(1_500))}\n`;
  const cut = path(`${whole}{"type":"mess`);
  assert.is((await readTraceFile({ file: cut, chromeFile: null })).lost, 1);
  const broken = path(`${whole}{"type":"mess\n${JSON.stringify(recordOf(2_000))}\n`);
  const { message } = await rejection(readTraceFile({ file: broken, chromeFile: null }));
  assert.match(message, /:3: not an object of JSON/);
});

test('a file of something else, an empty one, and none', async () => {
  for (const text of ['{"a":1}\n', '[]\n', '', 'text\nmore\n']) {
    const { code, message } = await rejection(
      readTraceFile({ file: path(text), chromeFile: null }),
    );
    assert.is(code, 'invalidArgument', text);
    assert.match(message, /loomTrace|not an object of JSON/);
  }
  const missing = await rejection(readTraceFile({ file: path(), chromeFile: null }));
  assert.is(missing.code, 'notFound');
});

test('a folder that is not there fails at the end of the recording, with its path', async () => {
  const trace = new TraceFile(join(folder, 'none', 'trace'), header);
  await new Promise((resolve) => setTimeout(resolve, 50));
  trace.write(1_000, { records: [recordOf(1)], lost: 0 });
  assert.match((await rejection(trace.close())).message, /none\/trace could not be written/);
});

test('a Chrome trace that cannot be written is an error with its path', async () => {
  const file = path(`${JSON.stringify(header)}\n`);
  const chromeFile = join(folder, 'none', 'trace.json');
  assert.match((await rejection(readTraceFile({ file, chromeFile }))).message, /none\/trace.json/);
  const fine = path();
  await readTraceFile({ file, chromeFile: fine });
  assert.equal(JSON.parse(readFileSync(fine, 'utf8')), { traceEvents: [] });
});

test.run();
