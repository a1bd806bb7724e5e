/**
 * Two text models whose rows fit one at a time, on real threads: turns of both say what they say
 * alone, whoever had to leave meanwhile; nobody leaves while a turn runs; who waits for room can
 * leave; and sessions whose contents had to go end where the policy says so.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorAnswer } from '../../../http/errors.js';
import type { EvictedSessions } from '../../../http/text-serving.js';
import { continued, END } from '../../oracles/tiny-text.js';
import { holdWorks, waitsFor } from '../edge/explained.js';
import { addressOf } from '../edge/wedged.js';
import { until } from '../faults/traffic.js';
import { rejection, runServer, withServer, type TestServer } from '../running-server.js';
import { Texts, type Said } from '../texts.js';
import { serveSized } from './text-packages.js';

const MODELS = ['left', 'right'] as const;
const SIZES = { rows: 4, context: 96, pages: 2_000, states: 6 };
/** Of one model: pages, and states beside them. */
const ROW_BYTES = 2_000 * 64 + 256;
/** One model's rows and an epoch (108,544 bytes with 30 pages), and not those of the other. */
const MEMORY_BYTES = 250_000;

const tokens = (ids: readonly number[]) => ({ kind: 'tokens', ids }) as const;
const bytes = (words: string): number[] => [...new TextEncoder().encode(words)];
const shown = (ids: readonly number[]): number[] => ids.filter((id) => id !== END);

/** Both models on a server, and what is asked of them. */
class Both {
  readonly server: TestServer;
  readonly texts: Texts;

  constructor(server: TestServer) {
    this.server = server;
    this.texts = new Texts(server);
  }

  async serve(): Promise<this> {
    for (const id of MODELS) await serveSized(this.server, id, SIZES);
    return this;
  }

  async open(model: string, restore?: string): Promise<string> {
    const options = { ...this.texts.options(), ...(restore === undefined ? {} : { restore }) };
    return (await this.server.text.openSession(model, options)).id;
  }

  say(session: string, ids: readonly number[], maxTokens = 6): Promise<Said> {
    const model = session.slice(0, session.indexOf('@'));
    return this.texts.say(model, { session, prompt: tokens(ids), maxTokens });
  }

  async rows(model: string) {
    const { rows } = await this.server.serving.modelState(model);
    assert.ok(rows, `${model} keeps rows`);
    return rows;
  }
}

const kept = mkdtempSync(join(tmpdir(), 'loom-evicted-'));
const options = { memoryBytes: MEMORY_BYTES, sessionDir: kept };
const server = await runServer([], options);
const both = new Both(server);
const { texts } = both;

test.before(async () => void (await both.serve()));
// Also where a test has failed: the next finds nothing held.
test.after.each(() => holdWorks(server, null));
test.after(async () => {
  await server.serving.drain(5_000);
  await server.close();
  rmSync(kept, { recursive: true });
});

/** A client's session of one model, turn after turn; all that was said, drawn or the likeliest. */
async function talk(model: string, client: number): Promise<number[][]> {
  const id = await both.open(model);
  const said: number[][] = [];
  let row: number[] = [];
  for (let turn = 0; turn < 4; turn += 1) {
    const prompt = bytes(`${client}${turn}`);
    const drawn = turn % 2 === 1;
    const sampling = drawn ? { temperature: 0.9, seed: 7 } : {};
    const body = { session: id, prompt: tokens(prompt), maxTokens: 5, sampling };
    const { ids, result } = await texts.say(model, body);
    row = [...row, ...prompt];
    if (!drawn) assert.equal(ids, shown(continued(row, 5)), `${model} ${client} ${turn}`);
    row = [...row, ...ids, ...(result.outputTokens > ids.length ? [END] : [])];
    said.push([...ids]);
  }
  await server.text.changeSession(id, { op: 'close' }, texts.options());
  return said;
}

const talks = MODELS.flatMap((model) => [1, 2].map((client) => [model, client] as const));

test('models that fit one at a time take turns, and say what each says alone', async () => {
  const told = await Promise.all(talks.map(([model, client]) => talk(model, client)));
  for (const model of MODELS) {
    const { evictions, bytes: held } = await both.rows(model);
    assert.ok(evictions > 0, `${model} never had to leave`);
    assert.ok(held >= ROW_BYTES);
  }
  const alone: number[][][] = [];
  for (const [model, client] of talks) alone.push(await talk(model, client));
  assert.equal(told, alone);
  const values = new Map<string, number>();
  const set = (name: string, labels: object, value: number): void =>
    void values.set(`${name} ${Object.values(labels).join(' ')}`, value);
  await server.serving.collect({ add() {}, observe() {}, set });
  assert.ok(values.get('loom_row_evictions left')! > 0);
  assert.ok(values.get('loom_device_bytes local row')! >= ROW_BYTES);
  const { memory } = await server.serving.modelState('right');
  assert.is(memory!.byOwner['row'], memory!.residentBytes);
});

test('nobody leaves while a turn runs; who waits for room is told why, and may go', async () => {
  const id = await both.open('left');
  const evictions = async (): Promise<number> => (await both.rows('left')).evictions;
  // Nobody of the other is there from before.
  assert.equal((await texts.say('left', { maxTokens: 1 })).ids, shown(continued([1, 2, 3], 1)));
  const before = await evictions();
  const prompt = bytes('it runs on and on');
  await holdWorks(server, '');
  const running = both.say(id, prompt, 20);
  await until('the turn', async () => (await both.rows('left')).state === 'inUse');
  const client = new AbortController();
  const waiting = rejection(texts.say('right', { prompt: tokens([1, 2]) }, client.signal));
  const { wait } = await waitsFor(server, texts.last, 'budget');
  assert.match(wait.text, /waits for .* of device memory: .* held: .* by row of left/);
  assert.match(wait.unblockedBy, /the end of the turns of left, whose rows are in use/);
  assert.is((await both.rows('left')).isWanted, true);
  // It came when others had asked already, so it is their turn first.
  const late = texts.say('left', { prompt: tokens(bytes('late')), maxTokens: 4 });
  const { wait: behind } = await waitsFor(server, texts.last, 'budget');
  assert.match(behind.text, /have asked before it came; 1 turns/);
  client.abort();
  assert.is((await waiting).code, 'cancelled');
  await holdWorks(server, null);
  assert.equal((await running).ids, shown(continued(prompt, 20)));
  assert.equal((await late).ids, shown(continued(bytes('late'), 4)));
  assert.is(await evictions(), before, 'nobody waited for its room any more');
  assert.is((await both.rows('right')).state, 'absent');
  assert.equal((await texts.say('right', { maxTokens: 3 })).ids, shown(continued([1, 2, 3], 3)));
  await server.text.changeSession(id, { op: 'close' }, texts.options());
  assert.is((await both.rows('left')).state, 'absent');
});

test('rows that can never be there are refused with their model: limit, need and knob', async () => {
  const refused = await rejection(serveSized(server, 'large', { ...SIZES, pages: 9_000 }));
  assert.is(refused.code, 'resourceExhausted');
  assert.match(refused.message, /'large', with its rows.* needs \d+ bytes .* 250000 \(--memory\)/);
});

/** What becomes of sessions of one model when the other has had the room. */
async function afterEviction(both: Both, name: string): Promise<string[]> {
  const { text } = both.server;
  const own = await both.open('left');
  await both.say(own, bytes('own'), 0);
  await text.saveSession(own, name, both.texts.options());
  const sessions: [id: string, held: string][] = [
    [own, 'own'],
    [await both.open('left', name), 'own'],
    [await both.open('left'), ''],
  ];
  const { evictions } = await both.rows('left');
  await both.texts.say('right', { maxTokens: 2 });
  assert.is((await both.rows('left')).evictions, evictions + 1);
  const outcomes: string[] = [];
  for (const [id, held] of sessions) {
    const prompt = bytes(' more');
    const said = await both.say(id, prompt).catch((error: unknown) => error as Error);
    if (said instanceof Error) {
      const { status, body } = errorAnswer(said);
      assert.is(status, 410, body.error.message);
      assert.match(body.error.message, /--evicted-sessions/);
      // Its row is free again.
      await both.open('left');
    } else {
      assert.equal(said.ids, shown(continued([...bytes(held), ...prompt], 6)));
    }
    outcomes.push(said instanceof Error ? 'gone' : 'read again');
  }
  return outcomes;
}

test('sessions whose contents had to go read them again, if nothing else is asked for', async () => {
  const outcomes = await afterEviction(both, 'replayed');
  assert.equal(outcomes, ['read again', 'read again', 'read again']);
});

test('or they are gone, as the policy says', async () => {
  const policies: [EvictedSessions, string[]][] = [
    ['replay-own', ['read again', 'gone', 'read again']],
    ['refuse', ['gone', 'gone', 'read again']],
  ];
  for (const [evictedSessions, due] of policies) {
    const body = async (other: TestServer): Promise<void> => {
      const asked = await new Both(other).serve();
      assert.equal(await afterEviction(asked, evictedSessions), due, evictedSessions);
    };
    await withServer([], body, { ...options, evictedSessions });
  }
});

test('rows are there before the first request where the package wishes it, and may be pinned', async () => {
  for (const wish of ['warmup', 'pin']) {
    await texts.serveAs(wish, 'tiny-text', { [wish]: true });
    const { state, pinned } = await both.rows(wish);
    assert.equal([state, pinned], ['resting', wish === 'pin']);
    await server.serving.unregister(wish);
  }
});

test('when both are removed no byte is left', async () => {
  for (const model of MODELS) await server.serving.unregister(model);
  const device = await addressOf(server, 'deviceQueue');
  await until('the last bytes', async () => {
    const deadlineMs = server.now() + 10_000;
    const asked = server.system.request(device, 'device.describe', {}, { deadlineMs });
    return ((await asked) as { resident: number }).resident === 0;
  });
});

test.run();
