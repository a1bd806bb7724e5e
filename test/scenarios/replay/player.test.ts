/**
 * How requests are played, on a ground of the test's own: order, times, names of sessions, clients
 * that leave, cancels, what is asked again. And what is made of the answers.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PayloadDigest } from '../../../http/traffic/payload-digest.js';
import { SimulatedTime } from '../../../runtime/system/simulated-ports.js';
import type { Answer } from '../../../scenarios/ground.js';
import { Player, type Played } from '../../../scenarios/replay/player.js';
import { Recording } from '../../../scenarios/replay/recording.js';
import type { WireCall } from '../../../scenarios/replay/replay-ground.js';
import { Verdicts } from '../../../scenarios/replay/verdicts.js';

const folder = mkdtempSync(join(tmpdir(), 'loom-player-'));
test.after(() => rmSync(folder, { recursive: true }));

/** A request as a test tells it; times in milliseconds. */
interface Told {
  readonly id: string;
  readonly ask: string;
  readonly at: number;
  /** When it was answered, or its client was gone. */
  readonly until: number;
  readonly body?: string;
  readonly status?: number;
  readonly says?: string;
  readonly leftAfter?: number;
}

const jsonType = { 'content-type': 'application/json' };
const stream = { 'content-type': 'text/event-stream' };
const event = 'data: {"choices":[{"index":0,"text":"a"}]}\n\n';

function linesOf(told: Told, request: number): object[] {
  const { id, ask, at, until, body, status = 200, says = '{}', leftAfter } = told;
  const [method, path] = ask.split(' ');
  const lines: object[] = [{ type: 'arrived', request, atMs: at, id, method, path, headers: {} }];
  if (body !== undefined) {
    lines.push({ type: 'body', request, atMs: at, bytes: body.length, text: body });
  }
  if (leftAfter !== undefined) {
    return [...lines, { type: 'left', request, atMs: until, events: leftAfter }];
  }
  const digest = new PayloadDigest(status, 'application/json');
  digest.take(Buffer.from(says));
  return [...lines, { type: 'answered', request, atMs: until, ...digest.end() }];
}

async function recordingOf(all: readonly Told[]): Promise<Recording> {
  const header = { loomTrace: 1, startMs: 0, wallTimeMs: 0 };
  const lines = [header, ...all.flatMap(linesOf)].map((line) => `${JSON.stringify(line)}\n`);
  const file = join(folder, 'recording');
  writeFileSync(file, lines.join(''));
  return Recording.read(file);
}

interface Reply {
  readonly status?: number;
  readonly text?: string;
  readonly chunks?: readonly string[];
  readonly afterMs?: number;
  readonly headers?: Record<string, string>;
}

interface Seen extends WireCall {
  readonly atMs: number;
}

/** Plays on a virtual clock; `reply` answers each call. */
async function play(
  recording: Recording,
  reply: (call: WireCall, seen: readonly Seen[]) => Reply,
  speed = 1,
): Promise<{ seen: Seen[]; verdicts: Verdicts; played: Played[]; aborted: string[] }> {
  const time = new SimulatedTime(1);
  const { clock, timers } = time.ports('test');
  const seen: Seen[] = [];
  const played: Played[] = [];
  const aborted: string[] = [];
  const verdicts = new Verdicts(recording.requests);
  let outside = 0;
  const ground = {
    clock,
    timers,
    async fetch(call: WireCall, signal: AbortSignal): Promise<Answer> {
      seen.push({ ...call, atMs: clock.now() });
      signal.addEventListener('abort', () => aborted.push(call.headers['x-request-id']!));
      const {
        status = 200,
        text = '{}',
        chunks = [text],
        afterMs = 1,
        headers,
      } = reply(call, seen);
      await Promise.race([
        new Promise<void>((done) => void timers.start(afterMs, done)),
        new Promise<never>((_, reject) => {
          signal.addEventListener('abort', () => reject(new Error('left')));
        }),
      ]);
      return { status, headers: headers ?? jsonType, body: bytesOf(chunks) };
    },
    async outside<Result>(work: Promise<Result>): Promise<Result> {
      outside += 1;
      return work.finally(() => void (outside -= 1));
    },
  };
  const onEnded = async (one: Played): Promise<void> => {
    played.push(one);
    verdicts.add(one, await ground.outside(recording.answerOf(one.recorded)));
  };
  let isOver = false;
  const run = new Player(recording, ground, { speed, onEnded }).run();
  const over = run.finally(() => void (isOver = true));
  while (!isOver) {
    for (let at = 0; at < 3; at += 1) await new Promise((done) => setImmediate(done));
    if (outside === 0) time.fireNext();
  }
  await over;
  await recording.close();
  return { seen, verdicts, played, aborted };
}

async function* bytesOf(chunks: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

const idOf = ({ headers }: WireCall): string => headers['x-request-id']!;

test('requests come at their times, under their ids, and wait for what had ended', async () => {
  const all: Told[] = [
    { id: 'a', ask: 'POST /v1/x', at: 100, until: 120, body: '{"a":1}' },
    { id: 'b', ask: 'POST /v1/y', at: 110, until: 300 },
    { id: 'c', ask: 'POST /v1/z', at: 130, until: 140 },
  ];
  const slow = (call: WireCall): Reply => ({ afterMs: idOf(call) === 'a' ? 500 : 1 });
  const { seen, verdicts } = await play(await recordingOf(all), slow);
  assert.equal(
    seen.map((call) => `${idOf(call)} ${call.atMs}`),
    ['a 0', 'b 10', 'c 500'],
  );
  assert.equal(Buffer.from(seen[0]!.body!).toString(), '{"a":1}');
  assert.is(verdicts.equal, 3);
  const twice = await play(await recordingOf(all), () => ({}), 2);
  assert.equal(
    twice.seen.map(({ atMs }) => atMs),
    [0, 5, 15],
  );
  const fast = await play(await recordingOf(all), () => ({}), Infinity);
  assert.equal(
    fast.seen.map(({ atMs }) => atMs),
    [0, 0, 1],
  );
});

const session = (id: string, more: object = {}): string =>
  JSON.stringify({ id, object: 'session', tokens: 0, ...more });

test('sessions are asked for by the names that they have here, and told by their old ones', async () => {
  const all: Told[] = [
    { id: 'o', ask: 'POST /v1/sessions', at: 0, until: 1, status: 201, says: session('m@1.1') },
    {
      id: 'g',
      ask: 'POST /v1/sessions/m%401.1/checkpoint',
      at: 2,
      until: 3,
      says: session('m@1.1'),
    },
    {
      id: 's',
      ask: 'POST /v1/sequences',
      at: 4,
      until: 5,
      body: '{"session":"m@1.1","other":"m@1.12"}',
      status: 404,
      says: '{"error":"m@1.12 of m@1.1"}',
    },
  ];
  const { seen, verdicts } = await play(await recordingOf(all), (call) => {
    if (idOf(call) === 'o') return { status: 201, text: session('m@3.7') };
    if (idOf(call) === 'g') return { text: session('m@3.7') };
    return { status: 404, text: '{"error":"m@1.12 of m@3.7"}' };
  });
  assert.is(seen[1]!.path, '/v1/sessions/m@3.7/checkpoint');
  assert.equal(Buffer.from(seen[2]!.body!).toString(), '{"session":"m@3.7","other":"m@1.12"}');
  assert.is(verdicts.equal, 3);
});

test('a client leaves after as many events, or after its time', async () => {
  const all: Told[] = [
    { id: 'e', ask: 'POST /v1/x', at: 0, until: 90, leftAfter: 2 },
    { id: 't', ask: 'POST /v1/y', at: 0, until: 40, leftAfter: 0 },
  ];
  const { aborted, verdicts, played } = await play(await recordingOf(all), (call) =>
    idOf(call) === 'e' ? { headers: stream, chunks: [event, event, event] } : { afterMs: 1_000 },
  );
  assert.equal([...aborted].sort(), ['e', 't']);
  assert.ok(played.every(({ why }) => why === 'its client left'));
  assert.is(verdicts.incompletes.get('recorded: its client left')!.count, 2);
});

test('a cancel comes as long after its request as it did, at any speed', async () => {
  const all: Told[] = [
    { id: 'long', ask: 'POST /v1/x', at: 0, until: 80, status: 499 },
    { id: 'stop', ask: 'DELETE /v1/requests/long', at: 70, until: 75 },
  ];
  const { seen, verdicts } = await play(
    await recordingOf(all),
    (call) => (idOf(call) === 'long' ? { status: 499, afterMs: 200 } : {}),
    Infinity,
  );
  assert.is(seen.find((call) => idOf(call) === 'stop')!.atMs, 70);
  assert.is(verdicts.incomplete, 1);
  assert.is([...verdicts.uncompared.values()][0], 1);
});

test('what completed once and is told to come later is asked again', async () => {
  const all: Told[] = [
    { id: 'a', ask: 'POST /v1/x', at: 0, until: 1 },
    { id: 'b', ask: 'POST /v1/x', at: 2, until: 3, status: 409 },
  ];
  let busy = 3;
  const { seen, verdicts } = await play(await recordingOf(all), (call) => ({
    status: idOf(call) === 'b' || (busy -= 1) > 0 ? 409 : 200,
  }));
  assert.is(seen.filter((call) => idOf(call) === 'a').length, 3);
  assert.is(seen.filter((call) => idOf(call) === 'b').length, 1);
  assert.is(verdicts.equal, 1);
});

test('after a turn that did not complete its session and its forks are not compared', async () => {
  const path = '/v1/sessions/m@1.1';
  const all: Told[] = [
    { id: 'o', ask: 'POST /v1/sessions', at: 0, until: 1, status: 201, says: session('m@1.1') },
    { id: 'l', ask: `POST ${path}/generate`, at: 2, until: 4, leftAfter: 1 },
    { id: 'f', ask: `POST ${path}/fork`, at: 5, until: 6, status: 201, says: session('m@1.2') },
    { id: 'g', ask: 'POST /v1/sessions/m@1.2/generate', at: 7, until: 8, says: '{"text":"old"}' },
    { id: 'h', ask: 'POST /v1/sessions/m@1.3/generate', at: 9, until: 10, says: '{"text":"old"}' },
  ];
  const { verdicts } = await play(await recordingOf(all), (call) => {
    if (idOf(call) === 'o') return { status: 201, text: session('m@1.1') };
    if (idOf(call) === 'f') return { status: 201, text: session('m@1.2', { tokens: 9 }) };
    if (idOf(call) === 'l') return { headers: stream, chunks: [event] };
    return { text: '{"text":"new"}' };
  });
  assert.is(verdicts.equal, 1);
  assert.is(verdicts.incomplete, 1);
  assert.is(verdicts.uncompared.get('an earlier turn of its session did not complete in both'), 2);
  assert.equal(
    verdicts.differences.map(({ id }) => id),
    ['h'],
  );
  assert.match(verdicts.differences[0]!.says, /the body differs from character 9 on: .*old.*new/);
});

test('what differs while models come and go is told apart', async () => {
  const all: Told[] = [
    { id: 'r', ask: 'POST /admin/models', at: 0, until: 50, body: '{}' },
    { id: 'm', ask: 'GET /v1/models', at: 10, until: 12, says: '{"data":[]}' },
    { id: 'n', ask: 'GET /v1/models', at: 60, until: 62, says: '{"data":[]}' },
  ];
  const { verdicts } = await play(await recordingOf(all), () => ({ text: '{"data":[1]}' }));
  assert.equal(
    verdicts.differences.map(({ id }) => id),
    ['n'],
  );
  assert.is(verdicts.count, 3);
});

test('what its secret, its length or its room kept out is not played', async () => {
  const all: Told[] = [
    { id: 'a', ask: 'POST /admin/models', at: 0, until: 1, status: 401, body: '{}' },
    { id: 'b', ask: 'POST /v1/x', at: 2, until: 3, status: 413 },
    { id: 'c', ask: 'POST /v1/x', at: 4, until: 5, status: 413, body: '{}' },
  ];
  const { seen, verdicts } = await play(await recordingOf(all), () => ({ status: 413 }));
  assert.equal(seen.map(idOf), ['c']);
  assert.is(verdicts.equal, 1);
  assert.equal([...verdicts.incompletes.keys()], ['now: its body was too long to be read']);
});

test('a status that differs, an answer that does not come, a stream that breaks', async () => {
  const all: Told[] = [
    { id: 'a', ask: 'POST /v1/x', at: 0, until: 1 },
    { id: 'b', ask: 'POST /v1/x', at: 2, until: 3 },
    { id: 'c', ask: 'POST /v1/x', at: 4, until: 5 },
  ];
  const { verdicts } = await play(await recordingOf(all), (call) => {
    if (idOf(call) === 'b') throw new Error('the socket hung up');
    if (idOf(call) === 'c') return { headers: stream, chunks: [event] };
    return { status: 400, text: '{"error":"no"}' };
  });
  assert.match(verdicts.differences[0]!.says, /status 200 was recorded, 400 came; .*no/);
  assert.equal(
    [...verdicts.incompletes.keys()],
    [
      'now: no answer: the socket hung up',
      'now: its stream ended with an error, or before its end',
    ],
  );
});

test.run();
