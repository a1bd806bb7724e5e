/** Death watch: one `down` for each watch, with the reason, after what the actor sent before. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Down, Message } from '../../../runtime/system/envelope.js';
import { SeededRandom } from '../../../runtime/system/seeded-random.js';
import { actor, collector, Lab, leaks, nothingLeaks, seeds } from './lab.js';

const threads = ['a', 'b', 'c'];
const mortal = actor((self, { kind }) => {
  if (kind === 'fail') throw new Error('mortal');
  if (kind === 'end') self.stop();
});

/** What a watcher in `a` receives about `target` when `act` happens. */
function downsOf(target: string, act: (lab: Lab) => void): Down[] {
  const lab = new Lab({ threads });
  const received: Message[] = [];
  lab.system('b').spawn('mortal', mortal, null);
  lab.settle();
  lab.system('a').spawn(
    'watcher',
    collector(received, (self) => {
      self.watch(target);
      if (target === 'b:/mortal') self.watch(target);
    }),
    null,
  );
  lab.settle();
  act(lab);
  lab.settle();
  for (const system of lab.alive) assert.equal(leaks(system), nothingLeaks);
  assert.ok(received.every(({ kind, role }) => kind === 'down' && role === 'down'));
  return received.map(({ payload }) => payload as Down);
}

test('an actor that ends, fails, or whose thread dies is one down with its reason', () => {
  const kinds = ['end', 'fail'].map((kind) =>
    downsOf('b:/mortal', (lab) => lab.system('b').tell('b:/mortal', kind)),
  );
  assert.equal(
    kinds.map((downs) => downs.map(({ reason }) => reason.kind)),
    [['finished'], ['failed']],
  );
  const lost = downsOf('b:/mortal', (lab) => lab.world.kill('b'));
  assert.equal(lost, [{ address: 'b:/mortal', reason: { kind: 'lost', thread: 'b' } }]);
});

test('the loss of a thread may be told more than once', () => {
  const lost = downsOf('b:/mortal', (lab) => {
    lab.world.kill('b');
    lab.system('a').threadLost('b');
    lab.system('a').threadLost('b');
  });
  assert.is(lost.length, 1);
});

test('watching nobody is a down at once, here and elsewhere', () => {
  for (const target of ['a:/nobody', 'b:/nobody']) {
    assert.equal(
      downsOf(target, () => {}),
      [{ address: target, reason: { kind: 'absent' } }],
    );
  }
  const [nowhere] = downsOf('nowhere:/nobody', () => {});
  assert.is(nowhere!.reason.kind, 'lost');
});

test('after unwatch nothing comes', () => {
  for (const target of ['a:/mortal', 'b:/mortal']) {
    const lab = new Lab({ threads });
    const received: Message[] = [];
    for (const thread of ['a', 'b']) lab.system(thread).spawn('mortal', mortal, null);
    lab.system('a').spawn(
      'watcher',
      actor(
        (self, message) => {
          if (message.kind === 'unwatch') self.unwatch(target);
          else received.push(message);
        },
        { start: (self) => self.watch(target) },
      ),
      null,
    );
    lab.settle();
    lab.system('a').tell('a:/watcher', 'unwatch');
    lab.settle();
    lab.system('a').tell(target, 'fail');
    lab.settle();
    assert.is(received.length, 0, target);
    for (const system of lab.alive) assert.equal(leaks(system), nothingLeaks);
  }
});

test('a down comes after everything that the actor sent before', () => {
  for (const seed of seeds(40)) {
    const lab = new Lab({ seed, threads, delayMaxMs: 9 });
    const received: Message[] = [];
    lab.system('a').spawn(
      'watcher',
      collector(received, (self) => self.watch('b:/talker')),
      null,
    );
    lab.system('b').spawn(
      'talker',
      actor((self) => {
        for (const item of [1, 2, 3]) self.tell('a:/watcher', 'last words', item);
        self.stop();
      }),
      null,
    );
    // The watch must be there before the talker ends, or there is nobody to watch.
    lab.world.run({ untilMs: 100 });
    lab.system('b').tell('b:/talker', 'end');
    lab.settle();
    assert.equal(
      received.map(({ kind }) => kind),
      ['last words', 'last words', 'last words', 'down'],
      `seed ${seed}`,
    );
  }
});

test('a watcher that goes down leaves no watch behind', () => {
  const lab = new Lab({ threads });
  lab.system('b').spawn('mortal', mortal, null);
  lab.system('a').spawn(
    'watcher',
    actor((self) => self.stop(), {
      start: (self) => self.watch('b:/mortal'),
    }),
    null,
  );
  lab.settle();
  assert.is(leaks(lab.system('b'))['watches'], 1);
  lab.system('a').tell('a:/watcher', 'end');
  lab.settle();
  for (const system of lab.alive) assert.equal(leaks(system), nothingLeaks);
});

test('a watcher whose thread dies leaves no watch behind', () => {
  const lab = new Lab({ threads });
  lab.system('b').spawn('mortal', mortal, null);
  lab.system('a').spawn(
    'watcher',
    actor(() => {}, { start: (self) => self.watch('b:/mortal') }),
    null,
  );
  lab.settle();
  assert.is(leaks(lab.system('b'))['watches'], 1);
  lab.world.kill('a');
  lab.settle();
  assert.equal(leaks(lab.system('b')), nothingLeaks);
});

test('under failures and dying threads each watch has exactly one down', () => {
  for (const seed of seeds(120)) {
    const random = new SeededRandom(seed);
    let steps = 0;
    const lab: Lab = new Lab({
      seed,
      threads,
      delayMaxMs: 6,
      onStep: (_step, world) => {
        steps += 1;
        if (steps === 40 + (seed % 40) && seed % 3 !== 0) world.kill('c');
      },
    });
    const watched: string[] = [];
    const downs: string[] = [];
    for (const thread of threads) {
      for (const index of [0, 1, 2, 3]) lab.system(thread).spawn(`m${index}`, mortal, null);
    }
    for (const thread of ['a', 'b']) {
      for (const name of ['w0', 'w1']) {
        lab.system(thread).spawn(
          name,
          actor(
            (self, { role, payload }) => {
              if (role === 'down') downs.push(`${self.address} ${(payload as Down).address}`);
              else self.tell(payload as string, random.below(2) === 0 ? 'fail' : 'end');
            },
            {
              start: (self) => {
                for (const at of threads) {
                  for (const index of [0, 1, 2, 3]) {
                    watched.push(`${self.address} ${at}:/m${index}`);
                    self.watch(`${at}:/m${index}`);
                  }
                }
              },
            },
          ),
          null,
        );
      }
    }
    lab.world.run({ untilMs: 3 });
    for (const at of threads) {
      for (const index of [0, 1, 2, 3]) {
        lab.system('a').tell(`a:/w${random.below(2)}`, 'kill', `${at}:/m${index}`);
      }
    }
    lab.settle();
    assert.equal(downs.sort(), watched.sort(), `seed ${seed}`);
    for (const system of lab.alive) assert.equal(leaks(system), nothingLeaks, `seed ${seed}`);
  }
});

test.run();
