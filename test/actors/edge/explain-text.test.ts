/** Why turns of text wait, in situations that are real: rows, pages, epochs, readers, prompts. */
import { readFileSync } from 'node:fs';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { TextBody } from '../../../http/text-serving.js';
import { packageFolder, runServer, twoPreparationThreads } from '../running-server.js';
import { holdWorks, startHeld, reasonsOf, waitsFor } from './explained.js';
import { blockThread } from './wedged.js';

const server = await runServer([], { threads: 1, ...twoPreparationThreads });
const base = packageFolder('tiny-text');
const document = JSON.parse(readFileSync(`${base}/model.json`, 'utf8')) as Document;
await register('rows', { rows: 2 });
await register('pages', { rows: 4, pages: 6, context: 24 });

// Also where a test has failed: the next finds nothing held.
test.after.each(() => holdWorks(server, null));

test.after(async () => {
  await server.serving.drain(2_000);
  await server.close();
});

interface Document {
  readonly definition: object;
}

async function register(id: string, options: object): Promise<void> {
  const model = { ...document, id, definition: { ...document.definition, options } };
  await server.serving.register({ kind: 'document', id, base, model }, { wait: true });
}

/** One token an epoch, each is told, and the terminal one is never drawn. */
const silent: TextBody = {
  prompt: { kind: 'tokens', ids: [1, 2, 3] },
  session: null,
  maxTokens: 4,
  stop: [],
  sampling: { topLogprobs: 0, logitBias: [[256, -100]] },
  grammar: null,
  hasTools: false,
};

type Read = () => Promise<void> | undefined;

function say(
  model: string,
  requestId: string,
  given: Partial<TextBody> = {},
  onDelta: Read = () => undefined,
): Promise<unknown> {
  const { signal } = new AbortController();
  const options = { signal, deadlineMs: server.now() + 30_000, onDelta };
  const call = { requestId, model, body: { ...silent, ...given } };
  return server.text.generate(call, options).catch((error: unknown) => error);
}

async function ended(ends: readonly Promise<unknown>[]): Promise<void> {
  await holdWorks(server, null);
  for (const end of await Promise.all(ends)) assert.not.instance(end, Error);
}

test('the epoch that a turn is in, the next one, and a row when all are taken', async () => {
  const ends: Promise<unknown>[] = [];
  await holdWorks(server, '');
  ends.push(say('rows', 'first'));
  const { wait: work, explanation } = await waitsFor(server, 'first', 'work');
  assert.match(work.text, /the upload of .*epochs\/\d+ was accepted and has not started/);
  assert.equal(reasonsOf(explanation), ['work']);
  ends.push(say('rows', 'second'));
  const { explanation: next } = await waitsFor(server, 'second', 'epoch');
  assert.equal(reasonsOf(next), ['epoch', 'work']);
  await ended(ends);
  // A session keeps one of the two rows, a turn has the other.
  const { signal } = new AbortController();
  const options = { signal, deadlineMs: server.now() + 30_000 };
  const session = await server.text.openSession('rows', options);
  await holdWorks(server, '');
  const others = [say('rows', 'has-row')];
  await waitsFor(server, 'has-row', 'work');
  others.push(say('rows', 'lacks-row'));
  const { wait, explanation: lacks } = await waitsFor(server, 'lacks-row', 'row');
  assert.match(wait.text, /2 of 2 rows are taken, 1 of them by sessions; 0 turns are before it/);
  assert.equal(reasonsOf(lacks), ['row', 'work']);
  await ended(others);
  await server.text.changeSession(session.id, { op: 'close' }, options);
});

test('pages, when all of them are in use', async () => {
  const step = 'tiny.epoch';
  await holdWorks(server, step);
  // Four tokens a page: the first prompt takes five pages of six, and the second wants three.
  const ids = Array.from({ length: 18 }, (_, index) => index + 1);
  const prompt = (from: number) => ({ kind: 'tokens', ids: ids.slice(from) }) as const;
  const ends = [say('pages', 'old', { prompt: prompt(0) })];
  await waitsFor(server, 'old', 'work');
  ends.push(say('pages', 'young', { prompt: prompt(6) }));
  await waitsFor(server, 'young', 'epoch');
  // Two epochs go on: the second has what there is room for.
  for (let epochs = 0; epochs < 2; epochs += 1) {
    await startHeld(server, step);
    await waitsFor(server, 'old', 'work');
  }
  const { wait } = await waitsFor(server, 'young', 'pages');
  assert.match(wait.text, /its row has pages for 4 of 12 tokens, and all 6 pages are in use/);
  await ended(ends);
});

test('a reader that does not read', async () => {
  let read = (): void => {};
  const reading = new Promise<void>((resolve) => (read = resolve));
  const end = say('rows', 'stalls', { maxTokens: 60 }, () => reading);
  const { wait, explanation } = await waitsFor(server, 'stalls', 'credit');
  assert.is(explanation.state, 'stalled');
  assert.match(wait.text, /its reader has not taken 32 pieces of what it said/);
  assert.is(wait.unblockedBy, 'its client reading on');
  read();
  await ended([end]);
});

test('a prompt that is being prepared', async () => {
  const threads = ['preparation-0', 'preparation-1'];
  const release = await Promise.all(threads.map((thread) => blockThread(server, thread)));
  const end = say('rows', 'prepares');
  const { wait } = await waitsFor(server, 'prepares', 'preparing');
  for (const letGo of release) letGo();
  assert.match(wait.unblockedBy, /framing and tokenizing of its prompt on thread preparation-\d/);
  await ended([end]);
});

test.run();
