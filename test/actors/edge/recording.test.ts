/**
 * A recording of a real server: every thread, works and books, causes across threads, its forms.
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readTraceFile } from '../../../actors/start.js';
import { threadOf } from '../../../runtime/system/address.js';
import { chromeTrace } from '../../../runtime/system/chrome-trace.js';
import type { SystemRecord } from '../../../runtime/system/recorder.js';
import { runServer, twoPreparationThreads, withServer } from '../running-server.js';
import { blockThread } from './wedged.js';

type Of<Type extends SystemRecord['type']> = Extract<SystemRecord, { type: Type }>;
const only = <Type extends SystemRecord['type']>(records: readonly SystemRecord[], type: Type) =>
  records.filter((record): record is Of<Type> => record.type === type);

const folder = mkdtempSync(join(tmpdir(), 'loom-trace-'));
const file = join(folder, 'server.loom-trace');
const server = await runServer(['first-output'], {
  threads: 1,
  recordFile: file,
  ...twoPreparationThreads,
});
for (let index = 0; index < 20; index += 1) await server.embed('first-output', [`text ${index}`]);
await server.serving.drain(5_000);
await server.close();
const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
const [header, ...all] = lines.map((line) => JSON.parse(line) as SystemRecord) as [
  unknown,
  ...SystemRecord[],
];
/** The file says which package was registered, too: of traffic, and no record of actors. */
const records = all.filter(({ type }) => (type as string) !== 'package');

test.after(() => rmSync(folder, { recursive: true }));

test('the file begins with what it is, and has every thread that did anything', () => {
  const { loomTrace, threads } = header as { loomTrace: number; threads: string[] };
  assert.is(loomTrace, 1);
  assert.equal([...threads].sort(), [
    'device',
    'main',
    'model-0',
    'preparation-0',
    'preparation-1',
  ]);
  const seen = new Set(only(records, 'message').map(({ to }) => threadOf(to)));
  for (const thread of ['main', 'model-0', 'device', 'preparation-0']) assert.ok(seen.has(thread));
});

test('nothing happens before its cause, in whatever thread that was', () => {
  const turns = new Map(only(records, 'message').map((turn) => [`${turn.id} ${turn.to}`, turn]));
  let crossed = 0;
  for (const turn of turns.values()) {
    const cause = turns.get(`${turn.cause} ${turn.from}`);
    if (cause === undefined) continue;
    assert.ok(turn.startMs >= cause.startMs, `${turn.kind} after ${cause.kind}`);
    if (threadOf(cause.to) !== threadOf(turn.to)) crossed += 1;
  }
  assert.ok(crossed > 20, 'causes lead across threads');
});

test('transitions lie in the turn of the message that caused them', () => {
  const turns = new Map(only(records, 'message').map((turn) => [`${turn.id} ${turn.to}`, turn]));
  const transitions = only(records, 'transition');
  assert.ok(transitions.length > 50);
  for (const { actor, cause, atMs, event } of transitions) {
    const turn = turns.get(`${cause} ${actor}`);
    assert.ok(turn, `the turn of ${event} of ${actor}`);
    assert.ok(turn.startMs <= atMs && atMs <= turn.endMs, `${event} in its turn`);
  }
});

test('each work is told of at its acceptance and once at its end, in order', () => {
  const works = only(records, 'work');
  const accepted = works.filter(({ retiredMs }) => retiredMs === null);
  const retired = works.filter(({ retiredMs }) => retiredMs !== null);
  assert.is(accepted.length, retired.length);
  assert.is(new Set(retired.map(({ invocation }) => invocation)).size, retired.length);
  const cohorts = only(records, 'spawn').filter(({ actor }) => actor.includes('/cohorts/'));
  assert.equal(
    retired.map(({ invocation }) => invocation).sort(),
    cohorts.map(({ actor }) => actor).sort(),
    'one a cohort',
  );
  for (const work of retired) {
    assert.ok(work.acceptedMs <= work.startedMs! && work.startedMs! <= work.retiredMs!);
    assert.ok(work.uploadBytes > 0 && work.readbackBytes > 0 && work.commands > 0);
    assert.not.ok(work.failed);
  }
});

test('the books never exceed the budget, add up, and are empty at the end', () => {
  const books = only(records, 'memory');
  assert.ok(books.length > 5);
  for (const { budget, resident, reserved, byOwner } of books) {
    assert.is(
      byOwner.reduce((sum, { bytes }) => sum + bytes, 0),
      resident,
    );
    assert.ok(resident + reserved <= budget);
  }
  assert.is(books.at(-1)!.resident, 0);
});

test('as a Chrome trace: a track an actor, one for the queue, and every arrow has two ends', () => {
  const { traceEvents } = chromeTrace(records);
  const tracks = traceEvents.filter(({ name }) => name === 'thread_name');
  const named = tracks.map(({ args }) => (args as { name: string }).name);
  for (const name of ['/server', '/device', '/models/first-output@1', 'queue', 'memory']) {
    assert.ok(named.includes(name), name);
  }
  const slices = traceEvents.filter(({ ph }) => ph === 'X');
  const arrows = traceEvents.filter(({ ph }) => ph === 's' || ph === 'f');
  const starts = arrows.filter(({ ph }) => ph === 's');
  assert.equal(
    starts.map(({ id }) => id).sort(),
    arrows
      .filter(({ ph }) => ph === 'f')
      .map(({ id }) => id)
      .sort(),
  );
  assert.is(new Set(starts.map(({ id }) => id)).size, starts.length, 'ids are of one arrow');
  assert.ok(starts.some(({ cat }) => cat === 'fence'));
  for (const { pid, tid, ts, ph } of arrows) {
    const isBound = slices.some((slice) => {
      return (
        slice.pid === pid && slice.tid === tid && slice.ts <= ts && ts <= slice.ts + slice.dur!
      );
    });
    assert.ok(isBound, `an arrow (${ph}) lies in a slice`);
  }
});

test('the command reads it and writes the form of other tools', async () => {
  const chromeFile = join(folder, 'trace.json');
  const summary = await readTraceFile({ file, chromeFile });
  assert.is(summary.lost, 0);
  assert.is(summary.counts['package'], 1);
  assert.is(summary.counts['work'], only(records, 'work').length);
  const written = JSON.parse(readFileSync(chromeFile, 'utf8')) as { traceEvents: unknown[] };
  assert.is(written.traceEvents.length, chromeTrace(records).traceEvents.length);
});

test('on and off while it serves; a thread that is stuck holds up neither looks nor records', () =>
  withServer(
    ['first-output'],
    async (live) => {
      assert.not.ok(live.observing.isRecording);
      await live.observing.setRecording(true);
      const reader = live.observing.records(null);
      const release = await blockThread(live, 'preparation-0');
      await live.embed('first-output', ['abc']);
      const event = JSON.parse((await reader.next())!.text) as { records: SystemRecord[] };
      assert.ok(event.records.length > 0);
      const tree = () => live.observing.tree();
      const silentIn = ({ threads }: Awaited<ReturnType<typeof tree>>): string[] =>
        threads.filter(({ answers }) => !answers).map(({ name }) => name);
      let seen = await tree();
      // Where the machine is busy another one may be late, too.
      while (silentIn(seen).length > 1) {
        assert.ok(silentIn(seen).includes('preparation-0'));
        seen = await tree();
      }
      assert.equal(silentIn(seen), ['preparation-0']);
      const { actors } = seen;
      assert.ok(actors.some(({ address }) => address.startsWith('model-0:/')));
      await live.observing.setRecording(false);
      release();
      assert.is(live.system.recorder, null);
      reader.close();
    },
    { threads: 1 },
  ));

test.run();
