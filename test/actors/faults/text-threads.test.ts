/**
 * Threads of a real server end, packages are replaced and removed, readers stop reading, in the
 * middle of texts. Each turn ends once, with all that it says alone or with a reason to try again;
 * sessions of what was lost are gone; the model serves again, and nothing of the old stays.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { DELTAS_MAX } from '../../../actors/serving/turn.js';
import { continued, END } from '../../oracles/tiny-text.js';
import { rejection, runServer, twoPreparationThreads } from '../running-server.js';
import { serveSized } from '../serving/text-packages.js';
import { Texts } from '../texts.js';
import { deviceOf, pause, until } from './traffic.js';

const MODEL = 'gamma';
const sizes = { rows: 8, context: 256, pages: 200, states: 12 };
/** After these a text does not end for a hundred tokens. */
const long = ['aix', 'bhx', 'bix', 'cix', 'egx'].map((text) => [...Buffer.from(text)]);
const shown = (ids: readonly number[]): number[] => ids.filter((id) => id !== END);
const server = await runServer([], twoPreparationThreads);
const texts = new Texts(server);
const serve = (): Promise<void> => serveSized(server, MODEL, sizes);

test.before(serve);
test.after(() => server.close());

interface Ended {
  readonly code: string | null;
  readonly message: string;
}

/** A turn that is whole, or ends with a reason. */
async function turn(prompt: readonly number[], maxTokens = 60): Promise<Ended> {
  // A delta a token: it takes a while.
  const sampling = { topLogprobs: 0 };
  const asked = { prompt: { kind: 'tokens', ids: prompt }, maxTokens, sampling } as const;
  try {
    const { ids } = await texts.say(MODEL, asked);
    assert.equal(ids, shown(continued(prompt, maxTokens)));
    return { code: null, message: '' };
  } catch (error) {
    const { code, message } = error as Ended;
    if (code === 'ERR_ASSERTION') throw error;
    return { code, message };
  }
}

async function session(): Promise<string> {
  const { text } = server;
  const { id } = await text.openSession(MODEL, texts.options());
  const prompt = { kind: 'tokens', ids: long[0]! } as const;
  await text.changeSession(id, { op: 'append', prompt }, texts.options());
  return id;
}

const generationOf = async (): Promise<number> =>
  (await server.serving.modelState(MODEL)).generation;

for (const thread of ['device', 'model-0', 'preparation-0']) {
  test(`${thread} ends amid texts: each turn ends once, and the model serves again`, async () => {
    const id = await session();
    const { executables } = await deviceOf(server);
    const before = await generationOf();
    const turns = long.map((prompt) => turn(prompt));
    await pause(60);
    await server.topology.kill(thread);
    const more = long.map((prompt) => turn(prompt, 8));
    for (const { code, message } of await Promise.all([...turns, ...more])) {
      assert.ok(code === null || code === 'unavailable', `${code}: ${message}`);
    }
    const stays = thread === 'preparation-0';
    await until('a turn that is whole', async () => {
      return (await turn(long[1]!, 8)).code === null;
    });
    assert.is((await generationOf()) > before, !stays);
    if (stays) assert.is((await server.text.session(id)).state, 'idle');
    else assert.is((await rejection(server.text.session(id))).code, 'gone');
    await until('the device to have what it had', async () => {
      const device = await deviceOf(server);
      return device.inFlight === 0 && device.executables === executables;
    });
  });
}

test('readers that do not read, more than rows, hold a bound each and nobody else up', async () => {
  const READERS = 3 * sizes.rows;
  const said = Array.from({ length: READERS }, () => 0);
  const open: (() => void)[] = [];
  const gate = new Promise<void>((resolve) => open.push(resolve));
  const paused = said.map((_, at) => {
    const prompt = { kind: 'tokens', ids: long[at % long.length]! } as const;
    const body = { ...paper, prompt };
    const call = { requestId: `paused-${at}`, model: MODEL, body };
    return server.text.generate(call, {
      signal: new AbortController().signal,
      deadlineMs: server.now() + 60_000,
      onDelta: (delta) => {
        said[at]! += delta.tokens.length;
        return gate;
      },
    });
  });
  await until('everybody to have stalled', () => said.every((count) => count >= DELTAS_MAX));
  await pause(50);
  assert.is(Math.max(...said), DELTAS_MAX, 'what is on the way to one reader');
  for (const prompt of long) assert.is((await turn(prompt, 20)).code, null);
  open[0]!();
  for (const { outputTokens } of await Promise.all(paused)) assert.is(outputTokens, 40);
  assert.equal(new Set(said), new Set([40]));
});

test('replaced amid texts, the old version says all that it has begun; its sessions are gone', async () => {
  const held = await resident();
  const id = await session();
  const turns = await begun();
  await serve();
  for (const { code, message } of await Promise.all(turns)) assert.is(code, null, message);
  assert.is((await turn(long[2]!)).code, null);
  const own = { kind: 'tokens', ids: [1] } as const;
  const gone = await rejection(texts.say(MODEL, { session: id, prompt: own }));
  assert.is(gone.code, 'gone');
  await until('one version to have storage', async () => (await resident()) === held);
});

test('removed amid texts, it says all that it has begun, and leaves nothing', async () => {
  await session();
  const turns = await begun();
  await server.serving.unregister(MODEL);
  for (const { code, message } of await Promise.all(turns)) assert.is(code, null, message);
  assert.is((await turn(long[0]!)).code, 'notFound');
  const { inFlight, resident: bytes, executables } = await deviceOf(server);
  assert.equal({ inFlight, bytes, executables }, { inFlight: 0, bytes: 0, executables: 0 });
});

test('a drain lets texts end', async () => {
  await serve();
  const turns = await begun();
  await server.serving.drain(10_000);
  for (const { code, message } of await Promise.all(turns)) assert.is(code, null, message);
});

/** Turns that were accepted and go on. */
async function begun(): Promise<Promise<Ended>[]> {
  const turns = long.map((prompt) => turn(prompt));
  await until('all to be accepted', async () => {
    return (await server.serving.modelState(MODEL)).inFlight === long.length;
  });
  return turns;
}

const resident = async (): Promise<number> => (await deviceOf(server)).resident;

const paper = {
  session: null,
  maxTokens: 40,
  stop: [],
  sampling: { topLogprobs: 0 },
  grammar: null,
  hasTools: false,
} as const;

test.run();
