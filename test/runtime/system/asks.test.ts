/** Every ask has exactly one terminal, whatever happens, and nothing of it is left behind. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ActorFactory, ActorSelf } from '../../../runtime/system/actor.js';
import type { Message, Reply } from '../../../runtime/system/envelope.js';
import { SeededRandom } from '../../../runtime/system/seeded-random.js';
import { actor, Lab, leaks, nothingLeaks, seeds } from './lab.js';

const threads = ['a', 'b', 'c'];

test('an ask gets its value as a message of the kind that it named', () => {
  const lab = new Lab({ threads });
  const replies: Message[] = [];
  lab.system('b').spawn(
    'server',
    actor((self, ask) => self.reply(ask, [ask.payload])),
    null,
  );
  let correlation = '';
  lab.system('a').spawn(
    'client',
    actor((_self, message) => void replies.push(message), {
      start: (self) => {
        correlation = self.ask('b:/server', 'question', 7, { deadlineMs: 100, as: 'answered' });
      },
    }),
    null,
  );
  lab.settle();
  assert.is(replies.length, 1);
  assert.is(replies[0]!.kind, 'answered');
  assert.is(replies[0]!.role, 'reply');
  assert.is(replies[0]!.from, 'b:/server');
  assert.equal(replies[0]!.payload, { correlation, outcome: 'value', value: [7], status: null });
});

/** Outcome of one ask from `a:/client` to `b:/server`, which handles it by `receive`. */
function outcomeOf(receive: (self: ActorSelf, ask: Message) => void): { reply: Reply; lab: Lab } {
  const lab = new Lab({ threads });
  const replies: Reply[] = [];
  lab.system('b').spawn('server', actor(receive), null);
  lab.system('a').spawn(
    'client',
    actor((_self, { payload }) => void replies.push(payload as Reply), {
      start: (self) => void self.ask('b:/server', 'question', null, { deadlineMs: 100 }),
    }),
    null,
  );
  lab.settle();
  assert.is(replies.length, 1);
  for (const system of lab.alive) assert.equal(leaks(system), nothingLeaks);
  return { reply: replies[0]!, lab };
}

test('an error is an outcome with its status', () => {
  const status = { code: 'notFound', message: 'no such thing' } as const;
  const { reply } = outcomeOf((self, ask) => self.replyError(ask, status));
  assert.is(reply.outcome, 'error');
  assert.equal(reply.status, status);
});

test('a replier that fails answers with its failure', () => {
  const { reply } = outcomeOf(() => {
    throw new Error('broken');
  });
  assert.is(reply.outcome, 'down');
  assert.match(reply.status!.message, /b:\/server failed: broken/);
});

test('a replier that stops without an answer answers by that', () => {
  const { reply } = outcomeOf((self) => self.stop());
  assert.is(reply.outcome, 'down');
});

test('a replier that never answers is a timeout, and its later answer a dead letter', () => {
  const { reply, lab } = outcomeOf((self, ask) => {
    if (ask.role === 'ask') self.startTimer('late', 500, 'late', ask);
    else self.reply(ask.payload as Message, 'too late');
  });
  assert.is(reply.outcome, 'timeout');
  assert.is(reply.status!.code, 'deadlineExceeded');
  assert.match(reply.status!.message, /b:\/server did not answer within 100 ms/);
  assert.is(lab.system('b').deadLetters.counts().lateReply, 1);
  assert.is(lab.system('a').describe().counters.askTimeouts, 1);
});

test('a second answer is a dead letter', () => {
  const { reply, lab } = outcomeOf((self, ask) => {
    self.reply(ask, 1);
    self.reply(ask, 2);
  });
  assert.is(reply.value, 1);
  assert.is(lab.system('b').deadLetters.counts().lateReply, 1);
});

test('an answer to a tell is a dead letter', () => {
  const lab = new Lab();
  lab.system().spawn(
    'server',
    actor((self, message) => self.reply(message, 1)),
    null,
  );
  lab.system().tell('main:/server', 'hello');
  lab.settle();
  assert.is(lab.system().deadLetters.counts().lateReply, 1);
});

test('an ask to nobody is down at once', () => {
  const lab = new Lab({ threads });
  const replies: Reply[] = [];
  lab.system('a').spawn(
    'client',
    actor((_self, { payload }) => void replies.push(payload as Reply), {
      start: (self) => {
        for (const to of ['a:/nobody', 'b:/nobody', 'nowhere:/nobody']) {
          self.ask(to, 'question', null, { deadlineMs: 1e6 });
        }
      },
    }),
    null,
  );
  lab.settle();
  assert.equal(
    replies.map(({ outcome }) => outcome),
    ['down', 'down', 'down'],
  );
  assert.ok(lab.world.time.nowMs < 1000, 'it did not wait for the deadline');
});

test('an ask may be kept, and forwarded to another thread', () => {
  const { reply, lab } = outcomeOf((self, ask) => self.forward(ask, 'c:/nobody'));
  assert.is(reply.outcome, 'down', 'there is nobody to forward to');
  assert.match(reply.status!.message, /c:\/nobody/);
  assert.is(lab.system('c').deadLetters.counts().absent, 1);
});

test('the death of the thread that holds a forwarded ask ends it', () => {
  const lab = new Lab({ threads });
  const replies: Reply[] = [];
  lab.system('c').spawn(
    'holder',
    actor(() => {}),
    null,
  );
  lab.system('b').spawn(
    'server',
    actor((self, ask) => self.forward(ask, 'c:/holder')),
    null,
  );
  lab.system('a').spawn(
    'client',
    actor((_self, { payload }) => void replies.push(payload as Reply), {
      start: (self) => void self.ask('b:/server', 'question', null, { deadlineMs: 1e6 }),
    }),
    null,
  );
  lab.world.run({ untilMs: 1000 });
  assert.is(replies.length, 0);
  lab.world.kill('c');
  lab.world.run({ untilMs: 2000 });
  assert.equal(
    replies.map(({ outcome }) => outcome),
    ['down'],
  );
  for (const system of lab.alive) assert.equal(leaks(system), nothingLeaks);
});

test('the news of the death may overtake the news that the ask moved there', () => {
  for (const seed of seeds(40)) {
    const lab: Lab = new Lab({
      seed,
      threads,
      delayMaxMs: 20,
      onStep: (step, world) => {
        if (step.kind === 'deliver' && step.thread === 'c') world.kill('c');
      },
    });
    const replies: Reply[] = [];
    lab.system('b').spawn(
      'server',
      actor((self, ask) => self.forward(ask, 'c:/holder')),
      null,
    );
    lab.system('a').spawn(
      'client',
      actor((_self, { payload }) => void replies.push(payload as Reply), {
        start: (self) => void self.ask('b:/server', 'question', null, { deadlineMs: 1e6 }),
      }),
      null,
    );
    lab.world.run({ untilMs: 1000 });
    assert.equal(
      replies.map(({ outcome }) => outcome),
      ['down'],
      `seed ${seed}`,
    );
  }
});

test('the death of the asking thread leaves nothing with the holder', () => {
  const lab = new Lab({ threads });
  lab.system('b').spawn(
    'server',
    actor(() => {}),
    null,
  );
  void lab.system('a').request('b:/server', 'question', null, { deadlineMs: 1e6 });
  lab.world.run({ untilMs: 100 });
  assert.is(leaks(lab.system('b'))['openAsks'], 1);
  lab.world.kill('a');
  lab.settle();
  assert.equal(leaks(lab.system('b')), nothingLeaks);
});

test('the death of the actor that an ask was handed to ends it', () => {
  const lab = new Lab({ threads });
  const replies: Reply[] = [];
  const worker = actor((self) => self.stop());
  lab.system('b').spawn(
    'server',
    actor((self, ask) => {
      const child = self.spawn('worker', worker, null);
      self.handOver(ask, child);
      self.tell(child, 'end');
    }),
    null,
  );
  lab.system('a').spawn(
    'client',
    actor((_self, { payload }) => void replies.push(payload as Reply), {
      start: (self) => void self.ask('b:/server', 'question', null, { deadlineMs: 1e6 }),
    }),
    null,
  );
  lab.settle();
  assert.equal(
    replies.map(({ outcome }) => outcome),
    ['down'],
  );
  assert.match(replies[0]!.status!.message, /b:\/server\/worker has finished/);
});

test('a cancel reaches whoever holds the ask, before its waiting data', () => {
  const lab = new Lab({ threads });
  const seen: string[] = [];
  const holder = actor((self, message) => {
    seen.push(message.kind);
    if (message.kind === 'question') kept = message;
    if (message.kind === 'cancel') {
      assert.equal(message.payload, { correlation: kept!.id });
      self.replyError(kept!, { code: 'cancelled', message: 'as asked' });
    }
  });
  let kept: Message | null = null;
  const replies: Reply[] = [];
  lab.system('c').spawn('holder', holder, null);
  lab.system('b').spawn(
    'server',
    actor((self, ask) => self.forward(ask, 'c:/holder')),
    null,
  );
  lab.system('a').spawn(
    'client',
    actor(
      (self, { kind, payload }) => {
        if (kind === 'ring') self.cancelAsk(payload as string);
        else replies.push(payload as Reply);
      },
      {
        start: (self) => {
          const id = self.ask('b:/server', 'question', null, { deadlineMs: 1e6 });
          self.startTimer('cancel', 50, 'ring', id);
        },
      },
    ),
    null,
  );
  lab.settle();
  assert.equal(seen, ['question', 'cancel']);
  assert.equal(
    replies.map(({ status }) => status!.code),
    ['cancelled'],
  );
});

/** A server that does to each ask one of the things that can happen to it. */
const moods = ['reply', 'error', 'never', 'late', 'twice', 'throw', 'stop', 'forward', 'handOver'];
let random = new SeededRandom(0);
const moody: ActorFactory = (self) => {
  return {
    receive(_self, message) {
      if (message.role === 'timer') return self.reply(message.payload as Message, 'late');
      if (message.role !== 'ask') return;
      const mood = moods[random.below(moods.length)]!;
      const act: Record<string, () => void> = {
        reply: () => self.reply(message, 1),
        error: () => self.replyError(message, { code: 'internal', message: 'no' }),
        never: () => {},
        late: () => self.startTimer(message.id, 40, 'late', message),
        twice: () => (self.reply(message, 1), self.reply(message, 2)),
        throw: () => {
          throw new Error('moody');
        },
        stop: () => self.stop(),
        forward: () =>
          self.forward(message, `${threads[random.below(3)]}:/server${random.below(3)}`),
        handOver: () => self.handOver(message, self.spawn(self.nextId('child'), moody, null)),
      };
      act[mood]!();
    },
  };
};

test('with failures, restarts and dying threads each ask still has exactly one terminal', () => {
  const outcomes = new Map<string, number>();
  for (const seed of seeds(120)) {
    let steps = 0;
    random = new SeededRandom(seed);
    const lab: Lab = new Lab({
      seed,
      threads,
      delayMaxMs: 8,
      system: {
        supervision: { strategy: 'oneForOne', intensity: { restarts: 1000, periodMs: 1000 } },
      },
      onStep: (_step, world) => {
        steps += 1;
        if (steps === 60 + seed && seed % 2 === 0) world.kill('c');
      },
    });
    const asked: string[] = [];
    const answered: string[] = [];
    for (const thread of threads) {
      for (const index of [0, 1, 2]) {
        lab.system(thread).spawn(`server${index}`, moody, null, { restart: 'permanent' });
      }
    }
    for (const thread of ['a', 'b']) {
      lab.system(thread).spawn(
        'client',
        actor(
          (self, message) => {
            if (message.role === 'reply') {
              const { correlation, outcome } = message.payload as Reply;
              answered.push(correlation);
              outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
              return;
            }
            const round = message.payload as number;
            for (const to of threads) {
              const deadlineMs = self.now() + 30;
              asked.push(self.ask(`${to}:/server${round % 3}`, 'question', round, { deadlineMs }));
            }
            if (round < 12) self.startTimer('next', 3, 'go', round + 1);
          },
          { start: (self) => self.tell(self.address, 'go', 0) },
        ),
        null,
      );
    }
    lab.settle();
    assert.is(asked.length, 2 * 13 * 3);
    assert.equal(answered.sort(), asked.sort(), `seed ${seed}`);
    for (const system of lab.alive) {
      assert.is(system.pendingAsks.size, 0, `seed ${seed}: pending in ${system.thread}`);
      assert.is(system.openAsks.size, 0, `seed ${seed}: open in ${system.thread}`);
    }
  }
  assert.equal([...outcomes.keys()].sort(), ['down', 'error', 'timeout', 'value']);
});

test.run();
