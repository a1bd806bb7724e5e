/** Order, lanes, bounds and dead letters of messages, in simulation under many seeds. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Message } from '../../../runtime/system/envelope.js';
import { actor, collector, Lab, seeds } from './lab.js';

const threads = ['a', 'b', 'c'];

test('messages of a pair arrive in the order in which they were sent, each once', () => {
  for (const seed of seeds(60)) {
    const lab = new Lab({ seed, threads, delayMaxMs: 5 });
    const received: Message[] = [];
    for (const thread of threads) {
      lab.system(thread).spawn('sink', collector(received), null);
      for (const name of ['one', 'two']) {
        lab.system(thread).spawn(
          name,
          actor((self, message) => {
            const left = (message.payload as { left: number }).left;
            for (const to of threads) self.tell(`${to}:/sink`, 'item', left);
            if (left > 1) self.tell(self.address, 'go', { left: left - 1 });
          }),
          null,
        );
        lab.system(thread).tell(`${thread}:/${name}`, 'go', { left: 8 });
      }
    }
    lab.settle();
    const perPair = new Map<string, number[]>();
    for (const { from, to, payload, seq } of received) {
      const key = `${from} ${to}`;
      perPair.set(key, [...(perPair.get(key) ?? []), payload as number]);
      assert.type(seq, 'number');
    }
    assert.is(perPair.size, 18, `seed ${seed}`);
    for (const [pair, items] of perPair) {
      assert.equal(items, [8, 7, 6, 5, 4, 3, 2, 1], `seed ${seed}: ${pair}`);
    }
  }
});

test('seeds give different interleavings of different senders', () => {
  const orders = seeds(20).map((seed) => {
    const lab = new Lab({ seed, threads, delayMaxMs: 5 });
    const received: Message[] = [];
    lab.system('a').spawn('sink', collector(received), null);
    for (const thread of ['b', 'c']) {
      for (let item = 0; item < 4; item++) lab.system(thread).tell('a:/sink', 'item', item);
    }
    lab.settle();
    return received.map(({ from }) => from[0]).join('');
  });
  assert.ok(new Set(orders).size > 3, orders.join(' '));
});

test('the control lane is drained before the data lane', () => {
  const lab = new Lab();
  const received: Message[] = [];
  const sink = lab.system().spawn('sink', collector(received), null);
  lab.system().tell(sink, 'data', 1);
  lab.system().tell(sink, 'data', 2);
  lab.system().tell(sink, 'urgent', 3, { lane: 'control' });
  lab.system().tell(sink, 'urgent', 4, { lane: 'control' });
  lab.settle();
  assert.equal(
    received.map(({ payload }) => payload),
    [3, 4, 1, 2],
  );
});

test('a full data lane drops tells with a reason, refuses asks with the limit, spares control', async () => {
  const lab = new Lab();
  const received: Message[] = [];
  const sink = lab.system().spawn('sink', collector(received), null, { mailboxLimit: 3 });
  for (let item = 0; item < 5; item++) lab.system().tell(sink, 'data', item);
  lab.system().tell(sink, 'urgent', 9, { lane: 'control' });
  const asked = lab.system().request(sink, 'question', null, { deadlineMs: 1000 });
  lab.settle();
  assert.equal(
    received.map(({ payload }) => payload),
    [9, 0, 1, 2],
  );
  assert.is(lab.system().deadLetters.counts().full, 3, 'two tells and the ask');
  try {
    await asked;
    assert.unreachable('the ask was answered');
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    assert.is(code, 'resourceExhausted');
    assert.match(message, /main:\/sink .* 3 .*mailboxLimit/);
  }
});

test('a full mailbox still takes replies, downs and timers', () => {
  const lab = new Lab();
  const received: string[] = [];
  lab.system().spawn(
    'echo',
    actor((self, message) => {
      if (message.kind === 'stop') self.stop();
      else self.reply(message, message.payload);
    }),
    null,
  );
  lab.system().spawn(
    'busy',
    actor(
      (self, { role, kind }) => {
        received.push(`${role} ${kind}`);
        if (kind === 'first') self.tell('main:/echo', 'stop');
      },
      {
        start: (self) => {
          self.watch('main:/echo');
          self.ask('main:/echo', 'question', 1, { deadlineMs: 1000 });
          self.startTimer('soon', 0, 'ring');
          for (const kind of ['first', 'second']) self.tell(self.address, kind);
        },
      },
    ),
    null,
    { mailboxLimit: 1 },
  );
  lab.settle();
  assert.equal(received.sort(), ['down down', 'reply reply', 'tell first', 'timer ring']);
});

test('every lost message is counted by its reason and shown to observers', () => {
  const lab = new Lab({ threads: ['main', 'other'] });
  const seen: string[] = [];
  const forget = lab.system().deadLetters.observe(({ reason, kind }) => {
    seen.push(`${reason} ${kind}`);
  });
  lab.system().spawn(
    'brief',
    actor((self, { kind }) => {
      if (kind === 'stop') self.stop();
    }),
    null,
  );
  lab.system().tell('main:/nobody', 'one');
  lab.system().tell('nowhere:/nobody', 'two');
  lab.system().tell('main:/brief', 'stop');
  lab.system().tell('main:/brief', 'three');
  lab.settle();
  lab.system().tell('main:/brief', 'four');
  lab.world.kill('other');
  lab.settle();
  lab.system().tell('other:/nobody', 'five');
  forget();
  lab.system().tell('main:/nobody', 'six');
  assert.equal(seen, [
    'absent one',
    'noRoute two',
    'stopped three',
    'absent four',
    'threadLost five',
  ]);
  assert.is(lab.system().deadLetters.counts().absent, 3);
  assert.is(lab.system().deadLetters.last.at(-1)?.kind, 'six');
});

test('payloads do not share memory across threads and moved buffers are gone at the sender', () => {
  const lab = new Lab({ threads: ['main', 'other'] });
  const received: Message[] = [];
  lab.system('other').spawn('sink', collector(received), null);
  const moved = new Uint8Array([1, 2, 3]);
  const copied = new Uint8Array([4, 5, 6]);
  lab.system().tell('other:/sink', 'bytes', { moved, copied }, { transfer: [moved.buffer] });
  lab.settle();
  const payload = received[0]!.payload as { moved: Uint8Array; copied: Uint8Array };
  assert.equal([...payload.moved], [1, 2, 3]);
  assert.is(moved.length, 0);
  assert.is.not(payload.copied, copied);
  assert.equal(received[0]!.transfer, []);
});

test('a payload that cannot travel fails its ask and leaves the others alone', async () => {
  const lab = new Lab({ threads: ['main', 'other'] });
  const received: Message[] = [];
  lab.system('other').spawn('sink', collector(received), null);
  lab.system().tell('other:/sink', 'before', 1);
  const asked = lab.system().request('other:/sink', 'broken', () => 1, { deadlineMs: 1000 });
  lab.system().tell('other:/sink', 'after', 2);
  lab.settle();
  assert.equal(
    received.map(({ kind }) => kind),
    ['before', 'after'],
  );
  assert.is(lab.system().deadLetters.counts().uncloneable, 1);
  const error = (await asked.catch((reason: unknown) => reason)) as Error;
  assert.match(error.message, /broken cannot travel to another thread/);
});

test('an answer that cannot travel ends the ask with an error', async () => {
  const lab = new Lab({ threads: ['main', 'other'] });
  lab.system('other').spawn(
    'server',
    actor((self, ask) => self.reply(ask, () => 1)),
    null,
  );
  const asked = lab.system().request('other:/server', 'question', null, { deadlineMs: 1000 });
  lab.settle();
  const error = (await asked.catch((reason: unknown) => reason)) as Error;
  assert.match(error.message, /cannot travel/);
});

test('a message knows the message in whose turn it was sent', () => {
  const lab = new Lab();
  const received: Message[] = [];
  lab.system().spawn('sink', collector(received), null);
  lab.system().spawn(
    'relay',
    actor((self, message) => {
      received.push(message);
      self.tell('main:/sink', 'relayed');
    }),
    null,
  );
  lab.system().tell('main:/relay', 'go');
  lab.settle();
  assert.is(received[0]!.cause, null);
  assert.is(received[1]!.cause, received[0]!.id);
});

test.run();
