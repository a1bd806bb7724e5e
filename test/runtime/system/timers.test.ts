/** Named timers of an actor. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ActorSelf } from '../../../runtime/system/actor.js';
import { actor, Lab } from './lab.js';

/** What an actor receives, with the time, when `act` starts and cancels its timers. */
function rings(act: (self: ActorSelf) => void): string[] {
  const lab = new Lab();
  const received: string[] = [];
  lab.system().spawn(
    'timed',
    actor((self, { kind, payload, role }) => {
      if (role === 'timer') received.push(`${self.now()} ${kind} ${payload}`);
      else act(self);
    }),
    null,
  );
  lab.system().tell('main:/timed', 'go');
  lab.settle();
  return received;
}

test('a timer is one message after its delay', () => {
  const received = rings((self) => self.startTimer('one', 20, 'ring', 'x'));
  assert.equal(received, ['20 ring x']);
});

test('timers of different names run side by side', () => {
  const received = rings((self) => {
    self.startTimer('late', 30, 'late', 1);
    self.startTimer('early', 10, 'early', 2);
  });
  assert.equal(received, ['10 early 2', '30 late 1']);
});

test('a timer of the same name replaces the one before', () => {
  const received = rings((self) => {
    self.startTimer('one', 10, 'first', 1);
    self.startTimer('one', 20, 'second', 2);
  });
  assert.equal(received, ['20 second 2']);
});

test('a cancelled timer does not ring, even when it was due and its message waits', () => {
  const lab = new Lab();
  const received: string[] = [];
  lab.system().spawn(
    'timed',
    actor(
      (self, { kind }) => {
        received.push(kind);
        if (kind === 'cancel') self.cancelTimer('one');
      },
      { start: (self) => self.startTimer('one', 10, 'ring') },
    ),
    null,
  );
  lab.world.run({ untilMs: 9 });
  lab.world.time.fireNext();
  lab.system().tell('main:/timed', 'cancel', null, { lane: 'control' });
  lab.settle();
  assert.equal(received, ['cancel']);
});

test('a stopped actor leaves no timer behind', () => {
  const lab = new Lab();
  lab.system().spawn(
    'timed',
    actor((self) => self.stop(), {
      start: (self) => self.startTimer('one', 1000, 'ring'),
    }),
    null,
  );
  lab.world.run({ untilMs: 1 });
  lab.system().tell('main:/timed', 'end');
  lab.settle();
  assert.is(lab.world.time.nowMs, 1);
  assert.is(lab.world.time.next, null);
});

test.run();
