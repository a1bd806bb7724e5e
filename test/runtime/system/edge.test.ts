/** The door for promises: requests, aborts, deadlines. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import type { Message } from '../../../runtime/system/envelope.js';
import { actor, collector, Lab, leaks, nothingLeaks } from './lab.js';

test('a request resolves with the value and rejects with the status', async () => {
  const lab = new Lab({ threads: ['main', 'other'] });
  lab.system('other').spawn(
    'server',
    actor((self, ask) => {
      if (ask.payload === 1) self.reply(ask, 'one');
      else self.replyError(ask, { code: 'notFound', message: 'no two', param: 'n' });
    }),
    null,
  );
  const one = lab.system().request('other:/server', 'question', 1, { deadlineMs: 100 });
  const two = lab.system().request('other:/server', 'question', 2, { deadlineMs: 100 });
  lab.settle();
  assert.is(await one, 'one');
  const error = (await two.catch((reason: unknown) => reason)) as StatusError;
  assert.instance(error, StatusError);
  assert.equal(error.status, { code: 'notFound', message: 'no two', param: 'n' });
});

test('an abort rejects at once and sends cancel to whoever holds the ask', async () => {
  const lab = new Lab({ threads: ['main', 'other', 'third'] });
  const received: Message[] = [];
  lab.system('third').spawn('holder', collector(received), null);
  lab.system('other').spawn(
    'front',
    actor((self, ask) => self.forward(ask, 'third:/holder')),
    null,
  );
  const controller = new AbortController();
  const { signal } = controller;
  const asked = lab.system().request('other:/front', 'question', 1, { deadlineMs: 1e6, signal });
  const rejected = asked.catch((reason: unknown) => (reason as StatusError).code);
  lab.world.run({ untilMs: 10 });
  controller.abort();
  assert.is(await rejected, 'cancelled');
  lab.world.run({ untilMs: 20 });
  assert.equal(
    received.map(({ kind, lane }) => [kind, lane]),
    [
      ['question', 'data'],
      ['cancel', 'control'],
    ],
  );
  assert.equal(received[1]!.payload, { correlation: received[0]!.id });
});

test('the late answer to an aborted request is told, is no dead letter and leaves nothing', async () => {
  const lab = new Lab();
  lab.system().spawn(
    'server',
    actor((self, message) => {
      if (message.role === 'ask') self.startTimer(message.id, 50, 'later', message);
      else if (message.role === 'timer') self.reply(message.payload as Message, 1);
    }),
    null,
  );
  const controller = new AbortController();
  const { signal } = controller;
  const late: unknown[] = [];
  const options = { deadlineMs: 1e6, signal, onLate: (value: unknown) => void late.push(value) };
  const asked = lab.system().request('main:/server', 'question', 1, options);
  const inTime = lab.system().request('main:/server', 'question', 2, {
    deadlineMs: 1e6,
    onLate: options.onLate,
  });
  lab.world.run({ untilMs: 10 });
  controller.abort();
  await asked.catch(() => {});
  assert.equal(late, []);
  lab.settle();
  assert.is(await inTime, 1);
  assert.equal(late, [1]);
  assert.is(lab.system().deadLetters.counts().lateReply, 0);
  assert.equal(leaks(lab.system()), nothingLeaks);
});

test('an abort before the request asks nobody', async () => {
  const lab = new Lab();
  const received: Message[] = [];
  lab.system().spawn('server', collector(received), null);
  const options = { deadlineMs: 100, signal: AbortSignal.abort() };
  const asked = lab.system().request('main:/server', 'question', 1, options);
  assert.is(await asked.catch((reason: unknown) => (reason as StatusError).code), 'cancelled');
  lab.settle();
  assert.is(received.length, 0);
});

test('a passed deadline rejects, tells the holder and forgets the ask', async () => {
  const lab = new Lab({ threads: ['main', 'other'] });
  const received: Message[] = [];
  lab.system('other').spawn('server', collector(received), null);
  const asked = lab.system().request('other:/server', 'question', 1, { deadlineMs: 30 });
  lab.settle();
  assert.is(
    await asked.catch((reason: unknown) => (reason as StatusError).code),
    'deadlineExceeded',
  );
  assert.equal(
    received.map(({ kind }) => kind),
    ['question', 'cancel'],
  );
  for (const system of lab.alive) assert.equal(leaks(system), nothingLeaks);
});

test('an ask whose deadline passed in the mailbox is not handled', async () => {
  const lab = new Lab();
  const received: Message[] = [];
  lab.system().spawn('server', collector(received), null);
  lab.settle();
  const asked = lab.system().request('main:/server', 'question', 1, { deadlineMs: 5 });
  lab.world.time.advanceTo(5);
  lab.settle();
  await asked.catch(() => {});
  assert.equal(received, [], 'and no cancel of what it never saw');
  assert.is(lab.system().deadLetters.counts().expired, 1);
});

test('a shutdown ends what is open', async () => {
  const lab = new Lab();
  const ends: string[] = [];
  const stopped = (): void => void ends.push('server');
  lab.system().spawn(
    'server',
    actor(() => {}, { stopped }),
    null,
  );
  const asked = lab.system().request('main:/server', 'question', 1, { deadlineMs: 1e6 });
  lab.world.run({ untilMs: 1 });
  lab.system().shutdown();
  assert.is(await asked.catch((reason: unknown) => (reason as StatusError).code), 'unavailable');
  assert.equal(ends, ['server']);
});

test('a shutdown ends what another thread holds and does not answer', async () => {
  const lab = new Lab({ threads: ['main', 'other'] });
  lab.system('other').spawn('server', collector([]), null);
  const code = (asked: Promise<unknown>): Promise<unknown> =>
    asked.catch((reason: unknown) => (reason as StatusError).code);
  const options = { deadlineMs: 1e6 };
  const held = code(lab.system().request('other:/server', 'question', 1, options));
  lab.world.run({ untilMs: 1 });
  const justSent = code(lab.system().request('other:/server', 'question', 2, options));
  lab.system().shutdown();
  const after = code(lab.system().request('other:/server', 'question', 3, options));
  assert.equal(await Promise.all([held, justSent, after]), Array(3).fill('unavailable'));
  assert.is(lab.system().pendingAsks.size, 0);
});

test.run();
