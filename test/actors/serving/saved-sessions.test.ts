/**
 * Sessions that are saved and taken up again, by the same server and by another: they go on bit for
 * bit as the original does, and nothing of a wrong file reaches a row.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { errorAnswer } from '../../../http/errors.js';
import type { CallOptions } from '../../../http/serving.js';
import type { StatusError } from '../../../runtime/base/errors.js';
import { until } from '../faults/traffic.js';
import { sequenceOracle } from '../../oracles/sequence.js';
import {
  packageFolder,
  rejection,
  runServer,
  withServer,
  type TestServer,
} from '../running-server.js';
import { Texts, type Said } from '../texts.js';

const tokens = (ids: readonly number[]) => ({ kind: 'tokens' as const, ids });
const idsFrom = (seed: number, length: number, below: number): number[] =>
  Array.from({ length }, (_, at) => (seed * 97 + at * 31 + ((at * at) % 17)) % below);

/** What is asked of the sessions of one server. */
class Keeper {
  readonly texts: Texts;

  constructor(server: TestServer) {
    this.texts = new Texts(server);
  }

  async open(model: string, restore?: string, signal?: AbortSignal): Promise<string> {
    const options = {
      ...this.texts.options(signal),
      ...(restore === undefined ? {} : { restore }),
    };
    return (await this.texts.server.text.openSession(model, options)).id;
  }

  async append(id: string, ids: readonly number[]): Promise<Uint8Array | undefined> {
    const change = { op: 'append', prompt: tokens(ids) } as const;
    return (await this.texts.server.text.changeSession(id, change, this.texts.options())).captured;
  }

  async close(...ids: readonly string[]): Promise<void> {
    const { text } = this.texts.server;
    for (const id of ids) await text.changeSession(id, { op: 'close' }, this.texts.options());
  }

  save(id: string, name: string) {
    return this.texts.server.text.saveSession(id, name, this.texts.options());
  }

  /** Drawn with a seed: a state that is one bit off says something else. */
  say(session: string, ids: readonly number[], maxTokens = 12): Promise<Said> {
    const model = session.slice(0, session.lastIndexOf('@'));
    const sampling = { temperature: 0.9, seed: 5 };
    return this.texts.say(model, { session, prompt: tokens(ids), maxTokens, sampling });
  }
}

const folder = mkdtempSync(join(tmpdir(), 'loom-sessions-'));
const kept = join(folder, 'kept');
const server = await runServer(['tiny-text', 'sequence'], { sessionDir: kept });
const keeper = new Keeper(server);

test.after(async () => {
  await server.serving.drain(5_000);
  await server.close();
  rmSync(folder, { recursive: true });
});

const output = (ids: readonly number[], from: number): Uint8Array =>
  new Uint8Array(sequenceOracle(ids).slice(4 * from).buffer);

test('a session keeps so many checkpoints and no more; its fork has none', async () => {
  const { text } = server;
  const options = keeper.texts.options();
  const id = await keeper.open('tiny-text');
  const mark = { op: 'checkpoint' } as const;
  for (let made = 1; made < 64; made += 1) await text.changeSession(id, mark, options);
  assert.is((await text.changeSession(id, mark, options)).checkpoints.length, 64);
  const refused = await rejection(text.changeSession(id, mark, options));
  assert.is(errorAnswer(refused).status, 429);
  assert.match(refused.message, /has 64 checkpoints; 64 are possible/);
  assert.is((await text.session(id)).checkpoints.length, 64);
  const fork = await text.changeSession(id, { op: 'fork' }, options);
  assert.is((await text.changeSession(fork.id, mark, options)).checkpoints.length, 1);
  await keeper.close(id, fork.id);
});

test('names are no paths', async () => {
  const id = await keeper.open('tiny-text');
  for (const name of ['', '.', '..', '../up', 'a/b', 'a\\b', '.hidden', 'a\0', 'x'.repeat(101)]) {
    assert.is((await rejection(keeper.save(id, name))).code, 'invalidArgument', name);
    assert.is((await rejection(keeper.open('tiny-text', name))).code, 'invalidArgument', name);
  }
  assert.equal(readdirSync(folder), []);
  assert.is((await rejection(keeper.save('tiny-text@1.9', 'a'))).code, 'notFound');
  await keeper.close(id);
});

test('a text goes on as the original does, here and in another server', async () => {
  const known = idsFrom(3, 45, 256);
  const id = await keeper.open('tiny-text');
  // With a token that was said and not read.
  await keeper.say(id, known, 7);
  const saved = await keeper.save(id, 'mine');
  assert.is(saved.tokens, known.length + 7);
  assert.equal(readdirSync(kept), ['mine.session']);
  const twin = await keeper.open('tiny-text', 'mine');
  assert.is((await server.text.session(twin)).tokens, saved.tokens);
  const [original, again] = await Promise.all([keeper.say(id, []), keeper.say(twin, [])]);
  assert.equal(again.ids, original.ids);
  // Replaced by a longer one, while another session speaks.
  const speaking = keeper.say(twin, idsFrom(9, 90, 256), 40);
  assert.is((await rejection(keeper.save(twin, 'busy'))).code, 'failedPrecondition');
  assert.is((await keeper.save(id, 'mine')).tokens, saved.tokens + 12);
  await speaking;
  const { ids: said } = await keeper.say(id, [1, 2, 3]);
  await keeper.close(id, twin);
  await withServer(['tiny-text'], (other) => goesOn(other, said), { sessionDir: kept });
});

async function goesOn(other: TestServer, said: readonly number[]): Promise<void> {
  const there = new Keeper(other);
  const id = await there.open('tiny-text', 'mine');
  const { tokens: held } = await other.text.session(id);
  const options = there.texts.options();
  const fork = await other.text.changeSession(id, { op: 'fork' }, options);
  const heard = await Promise.all([there.say(id, [1, 2, 3]), there.say(fork.id, [1, 2, 3])]);
  for (const { ids } of heard) assert.equal(ids, said);
  await other.text.changeSession(id, { op: 'rewind', tokens: held }, options);
  assert.equal((await there.say(id, [1, 2, 3])).ids, said);
}

test('a sequence, also without tokens', async () => {
  const ids = idsFrom(4, 120, 1024);
  const id = await keeper.open('sequence');
  assert.is((await keeper.save(id, 'empty')).tokens, 0);
  await keeper.append(id, ids.slice(0, 70));
  await keeper.save(id, 'seventy');
  const twin = await keeper.open('sequence', 'seventy');
  assert.equal(await keeper.append(twin, ids.slice(70)), output(ids, 70));
  assert.equal(await keeper.append(id, ids.slice(70, 71)), output(ids.slice(0, 71), 70));
  const empty = await keeper.open('sequence', 'empty');
  assert.equal(await keeper.append(empty, ids), output(ids, 0));
  await keeper.close(id, twin, empty);
});

test('a damaged file, or one of another model, is refused, and costs no row', async () => {
  const id = await keeper.open('tiny-text');
  await keeper.append(id, idsFrom(1, 30, 256));
  await keeper.save(id, 'good');
  const path = (name: string): string => join(kept, `${name}.session`);
  const bytes = readFileSync(path('good'));
  const spoil = async (change: (copy: Buffer) => Uint8Array): Promise<void> => {
    writeFileSync(path('bad'), change(Buffer.from(bytes)));
    const { code, message } = await rejection(keeper.open('tiny-text', 'bad'));
    assert.is(code, 'dataLoss');
    assert.match(message, /^saved session 'bad': the saved row cannot be used: /);
  };
  for (const at of [0, 9, 40, bytes.length >> 1, bytes.length - 33, bytes.length - 1]) {
    await spoil((copy) => {
      copy[at]! ^= 4;
      return copy;
    });
  }
  for (const length of [0, 7, 50, bytes.length - 1])
    await spoil((copy) => copy.subarray(0, length));
  await spoil((copy) => Buffer.concat([copy, Buffer.of(0)]));
  const foreign = await rejection(keeper.open('sequence', 'good'));
  assert.is(foreign.code, 'failedPrecondition');
  assert.match(foreign.message, /of another model: its identity/);
  assert.is((await rejection(keeper.open('tiny-text', 'none'))).code, 'notFound');
  const client = new AbortController();
  const leaving = keeper.open('tiny-text', 'good', client.signal);
  client.abort();
  assert.is((await rejection(leaving)).code, 'cancelled');
  // All rows that sessions may have are still to be had: one is taken.
  const opened = await openAll();
  assert.is(opened.length, 14);
  await keeper.close(...opened);
  assert.is((await server.text.session(id)).tokens, 30);
});

test('who leaves before a session is there leaves none behind', async () => {
  const { text } = server;
  const id = await keeper.open('tiny-text');
  await keeper.append(id, [5, 6, 7]);
  await keeper.save(id, 'left');
  const free = async (): Promise<number> => {
    const opened = await openAll();
    await keeper.close(...opened);
    return opened.length;
  };
  const before = await free();
  const fork = (options: CallOptions) => text.changeSession(id, { op: 'fork' }, options);
  for (const make of [
    (options: CallOptions) => text.openSession('tiny-text', options),
    (options: CallOptions) => text.openSession('tiny-text', { ...options, restore: 'left' }),
    fork,
  ]) {
    for (let turns = 0; turns < 6; turns += 1) {
      const client = new AbortController();
      const made = make(keeper.texts.options(client.signal));
      for (let at = 0; at < turns; at += 1) await new Promise((resolve) => setImmediate(resolve));
      // The others go on meanwhile: an answer that is there is not read before the abort.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
      client.abort();
      const left = await made.catch(() => null);
      if (left !== null) await keeper.close(left.id);
    }
  }
  await until('rows of sessions that nobody knows', async () => (await free()) === before);
  await keeper.close(id);
});

async function openAll(): Promise<string[]> {
  const opened: string[] = [];
  try {
    for (;;) opened.push(await keeper.open('tiny-text'));
  } catch (error) {
    assert.is((error as StatusError).code, 'resourceExhausted');
    return opened;
  }
}

test('where pages are scarce idle sessions give theirs up, and read themselves again', async () => {
  for (const name of ['tiny-text', 'sequence']) {
    cpSync(packageFolder(name), join(folder, name), { recursive: true });
  }
  const file = join(folder, 'sequence/prepare.loom');
  const text = readFileSync(file, 'utf8');
  // As many as one row of the context needs.
  writeFileSync(file, text.replace('PAGES : i64 = 1024', 'PAGES : i64 = 256'));
  await server.serve(join(folder, 'sequence'));
  const ids = idsFrom(6, 810, 1024);
  const id = await keeper.open('sequence');
  await keeper.append(id, ids.slice(0, 800));
  await keeper.save(id, 'long');
  const twin = await keeper.open('sequence', 'long');
  assert.equal(await keeper.append(twin, ids.slice(800)), output(ids, 800));
  assert.equal(await keeper.append(id, ids.slice(800)), output(ids, 800));
  // Spilled, so that there is nothing but ids to keep.
  await keeper.append(twin, [1]);
  assert.is((await keeper.save(id, 'ids')).tokens, 810);
  const third = await keeper.open('sequence', 'ids');
  assert.equal(await keeper.append(third, [7]), output([...ids, 7], 810));
});

test.run();
