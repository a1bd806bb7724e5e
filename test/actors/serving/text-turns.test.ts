/**
 * Turns and sessions at their limits, on real threads: no token, one token, the end at once, a full
 * row, stop texts, all rows taken, two callers of one row, what is beyond, and idle sessions.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TextBody } from '../../../http/text-serving.js';
import { continued, END } from '../../oracles/tiny-text.js';
import { holdWorks } from '../edge/explained.js';
import { until } from '../faults/traffic.js';
import { rejection, runServer } from '../running-server.js';
import { Texts, type Said } from '../texts.js';
import { serveSized } from './text-packages.js';

const CONTEXT = 64;
const ROWS = 4;
/** Longer than any machine lets a test of this file wait between two turns. */
const IDLE_MS = 3_000;
const server = await runServer([], { sessionIdleMs: IDLE_MS });
const texts = new Texts(server);
const { text } = server;

test.before(() =>
  serveSized(server, 'small', { rows: ROWS, context: CONTEXT, pages: 17, states: 6 }),
);
test.after(async () => {
  await server.serving.drain(5_000);
  await server.close();
});

const bytes = (words: string): number[] => [...new TextEncoder().encode(words)];
const tokens = (ids: readonly number[]) => ({ kind: 'tokens', ids }) as const;
const say = (ids: readonly number[], more: Partial<TextBody> = {}): Promise<Said> =>
  texts.say('small', { prompt: tokens(ids), ...more });
const shown = (ids: readonly number[]): number[] => ids.filter((id) => id !== END);
const open = async (): Promise<string> => (await text.openSession('small', texts.options())).id;
const close = (id: string) => text.changeSession(id, { op: 'close' }, texts.options());

/** A prompt after which the turn ends after so many tokens. */
function endingAfter(count: number): number[] {
  for (let seed = 0; ; seed += 1) {
    const ids = [97 + (seed % 26), 97 + ((seed * 7) % 26), 97 + (Math.floor(seed / 26) % 26)];
    if (continued(ids, count).at(-1) === END && continued(ids, count).length === count) return ids;
  }
}

test('no token, one token, and the end at the first token', async () => {
  const prompt = bytes('nothing follows');
  const none = await say(prompt, { maxTokens: 0 });
  assert.equal([none.ids, none.result.finish, none.result.outputTokens], [[], 'length', 0]);
  const one = await say(prompt, { maxTokens: 1 });
  assert.equal(one.ids, shown(continued(prompt, 1)));
  assert.is(one.result.finish, 'length');
  const over = await say(endingAfter(1), { maxTokens: 9 });
  assert.equal([over.ids, over.text, over.result.finish], [[], '', 'stop']);
  assert.is(over.result.outputTokens, 1);
});

test('a row that is exactly full, and one token more', async () => {
  const prompt = Array.from({ length: CONTEXT - 4 }, (_, at) => 97 + (at % 26));
  const full = await say(prompt, { maxTokens: 4 });
  assert.equal(full.ids, shown(continued(prompt, 4)));
  const more = await rejection(say(prompt, { maxTokens: 5 }));
  assert.is(more.code, 'outOfRange');
  assert.match(more.message, /60 tokens and 5 of output; a row .* holds 64/);
  const endless = await say(prompt, { maxTokens: null });
  const due = continued(prompt, 4);
  assert.equal(endless.ids, shown(due));
  assert.is(endless.result.finish, due.at(-1) === END ? 'stop' : 'length');
  const over = await rejection(say([...prompt, 1, 2, 3, 4, 5]));
  assert.is(over.code, 'outOfRange');
});

test('a stop text that lies across tokens ends the turn, and is not said', async () => {
  const prompt = bytes('where does it stop');
  const whole = await say(prompt, { maxTokens: 24 });
  const stop = whole.text.slice(5, 8);
  const at = whole.text.indexOf(stop);
  const cut = await say(prompt, { maxTokens: 24, stop: ['never said', stop] });
  assert.is(cut.text, whole.text.slice(0, at));
  assert.is(cut.result.finish, 'stop');
});

test('a session reads, says, and goes on where it was', async () => {
  const id = await open();
  const prompt = bytes('go on');
  const first = await say(prompt, { session: id, maxTokens: 5 });
  const said = continued(prompt, 5);
  assert.equal(first.ids, shown(said));
  const silence = await say([], { session: id, maxTokens: 0 });
  assert.equal([silence.ids, silence.result.promptTokens], [[], 0]);
  const next = await say([1, 2], { session: id, maxTokens: 5 });
  const row = [...prompt, ...said, 1, 2];
  assert.equal(next.ids, shown(continued(row, 5)));
  assert.is((await text.session(id)).tokens, row.length + continued(row, 5).length);
  await close(id);
});

test('nothing follows a session without tokens', async () => {
  const id = await open();
  assert.is((await rejection(say([], { session: id }))).code, 'invalidArgument');
  assert.is((await say([], { session: id, maxTokens: 0 })).result.finish, 'length');
  await close(id);
  assert.is((await rejection(say([1], { session: id }))).code, 'gone');
});

test('all rows but one may be sessions, forks included; the next is told to try again', async () => {
  const ids = await Promise.all(Array.from({ length: ROWS - 1 }, open));
  const refused = await rejection(open());
  assert.is(refused.code, 'resourceExhausted');
  assert.match(refused.message, /rows: 4/);
  const fork = { op: 'fork' } as const;
  const forked = await rejection(text.changeSession(ids[0]!, fork, texts.options()));
  assert.is(forked.code, 'resourceExhausted');
  const prompt = bytes('beside them');
  assert.equal((await say(prompt, { maxTokens: 6 })).ids, shown(continued(prompt, 6)));
  // Who was refused finds those that are open, as they are.
  await say(prompt, { session: ids[1]!, maxTokens: 3 });
  const known = await Promise.all(ids.map((id) => text.session(id)));
  const byId = (left: { id: string }, right: { id: string }) => (left.id < right.id ? -1 : 1);
  assert.equal([...(await text.sessions('small'))].sort(byId), known.sort(byId));
  await Promise.all(ids.map(close));
  assert.equal(await text.sessions('small'), []);
  const again = await open();
  await close(again);
});

test('while a turn runs the row is nobody else’s', async () => {
  const id = await open();
  const prompt = bytes('busy');
  await holdWorks(server, '');
  const turn = say(prompt, { session: id, maxTokens: 30, sampling: { topLogprobs: 0 } });
  await until('the turn', async () => (await text.session(id)).state === 'running');
  const options = texts.options();
  for (const op of ['fork', 'checkpoint'] as const) {
    const busy = await rejection(text.changeSession(id, { op }, options));
    assert.is(busy.code, 'failedPrecondition');
    assert.match(busy.message, /in the middle of a turn/);
  }
  assert.is((await rejection(say([1], { session: id }))).code, 'failedPrecondition');
  assert.is((await text.session(id)).state, 'running');
  await holdWorks(server, null);
  assert.equal((await turn).ids, shown(continued(prompt, 30)));
  const { tokens: held } = await text.session(id);
  const beyond = { op: 'rewind', tokens: held + 1 } as const;
  assert.is((await rejection(text.changeSession(id, beyond, options))).code, 'failedPrecondition');
  const unknown = { op: 'restore', checkpoint: 'nobody' } as const;
  assert.is((await rejection(text.changeSession(id, unknown, options))).code, 'notFound');
  await close(id);
});

test('forks, rewinds and checkpoints go on like a row that was read anew', async () => {
  const id = await open();
  const options = texts.options();
  const prompt = bytes('one and the same');
  await text.changeSession(id, { op: 'append', prompt: tokens(prompt) }, options);
  await text.changeSession(id, { op: 'checkpoint' }, options);
  const fork = await text.changeSession(id, { op: 'fork' }, options);
  const both = [say([7], { session: id }), say([8, 9], { session: fork.id })];
  const [left, right] = (await Promise.all(both)) as [Said, Said];
  assert.equal(left.ids, shown(continued([...prompt, 7], 16)));
  assert.equal(right.ids, shown(continued([...prompt, 8, 9], 16)));
  await text.changeSession(fork.id, { op: 'rewind', tokens: 6 }, options);
  const rewound = await say([5], { session: fork.id, maxTokens: 8 });
  assert.equal(rewound.ids, shown(continued([...prompt.slice(0, 6), 5], 8)));
  await text.changeSession(id, { op: 'restore', checkpoint: 'checkpoint-1' }, options);
  const restored = await say([], { session: id, maxTokens: 8 });
  assert.equal(restored.ids, shown(continued(prompt, 8)));
  await Promise.all([close(id), close(fork.id)]);
});

test('what was read before is not read again, and says the same', async () => {
  const prompt = bytes('a beginning that several share, ');
  const alone = continued([...prompt, 3], 8);
  const cached: number[] = [];
  for (let round = 0; round < 4; round += 1) {
    const { ids, result } = await say([...prompt, 3], { maxTokens: 8 });
    assert.equal(ids, shown(alone));
    cached.push(result.cachedTokens);
  }
  assert.is(cached[0], 0);
  assert.ok(cached.at(-1)! >= 28, `cached: ${cached.join(', ')}`);
});

test('a session that is idle for too long is closed, one that is used is not', async () => {
  const [kept, left] = await Promise.all([open(), open()]);
  await until('the other to be closed', async () => {
    await say([1], { session: kept!, maxTokens: 0 });
    await text.changeSession(kept!, { op: 'rewind', tokens: 0 }, texts.options());
    return text.session(left!).then(
      () => false,
      ({ code }: { code: string }) => code === 'gone',
    );
  });
  await close(kept!);
});

test.run();
