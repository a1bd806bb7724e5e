/** Actors that are spawned from another thread: theirs is the spawner, its life and its death. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ActorSelf } from '../../../runtime/system/actor.js';
import type { Down, Message } from '../../../runtime/system/envelope.js';
import { actor, Lab, leaks, nothingLeaks, seeds, type LabOptions } from './lab.js';

/** An owner in `a` that spawns in `b` at its start and keeps what it receives. */
function owned(start: (self: ActorSelf) => void, options: LabOptions = {}) {
  const received: Message[] = [];
  const ends: string[] = [];
  const worker = actor(
    (self, { kind, payload }) => {
      if (kind === 'fail') throw new Error('worker failed');
      if (kind === 'end') self.stop();
      if (kind === 'whose') self.tell(self.parent, 'yours', payload);
    },
    { stopped: (self, reason) => void ends.push(`${self.address} ${reason.kind}`) },
  );
  const lab = new Lab({ threads: ['a', 'b', 'c'], kinds: { worker }, ...options });
  lab.system('a').spawn(
    'owner',
    actor(
      (self, message) => {
        if (message.kind === 'end') self.stop();
        else if (message.kind === 'drop') self.stop('b:/jobs/one');
        else received.push(message);
      },
      { start },
    ),
    null,
  );
  return { lab, received, ends };
}

const spawnOne = (self: ActorSelf): void => {
  const address = self.spawnOn('b', 'jobs/one', 'worker', { some: 'input' });
  assert.is(address, 'b:/jobs/one');
  self.watch(address);
  self.tell(address, 'whose', 1);
};

test('it is there for whatever its spawner sends next, under any order of events', () => {
  for (const seed of seeds(30)) {
    const { lab, received } = owned(spawnOne, { seed, delayMaxMs: 10 });
    lab.settle();
    assert.equal(
      received.map(({ kind, from }) => [kind, from]),
      [['yours', 'b:/jobs/one']],
    );
  }
});

test('it stops with its spawner', () => {
  const { lab, ends } = owned(spawnOne);
  lab.settle();
  lab.system('a').tell('a:/owner', 'end');
  lab.settle();
  assert.equal(ends, ['b:/jobs/one stopped']);
  for (const system of lab.alive) assert.equal(leaks(system), nothingLeaks);
});

test('it stops with the thread of its spawner', () => {
  const { lab, ends } = owned(spawnOne);
  lab.settle();
  lab.world.kill('a');
  lab.settle();
  assert.equal(ends, ['b:/jobs/one stopped']);
  assert.equal(leaks(lab.system('b')), nothingLeaks);
});

test('its spawner may stop it, and learns of it', () => {
  const { lab, ends, received } = owned(spawnOne);
  lab.settle();
  lab.system('a').tell('a:/owner', 'drop');
  lab.settle();
  assert.equal(ends, ['b:/jobs/one stopped']);
  assert.equal(
    received.map(({ kind }) => kind),
    ['yours', 'down'],
  );
});

test('its failure and the loss of its thread are one down each', () => {
  for (const act of [
    (lab: Lab) => lab.system('b').tell('b:/jobs/one', 'fail'),
    (lab: Lab) => lab.world.kill('b'),
  ]) {
    const { lab, received } = owned(spawnOne);
    lab.settle();
    act(lab);
    lab.settle();
    assert.equal(
      received.map(({ kind }) => kind),
      ['yours', 'down'],
    );
    assert.is(lab.system('a').findCell('a:/owner')!.remoteChildren.size, 0, 'it is forgotten');
  }
});

test('an ended one is forgotten by its spawner, watched or not', () => {
  const { lab } = owned((self) => void self.spawnOn('b', 'jobs/one', 'worker', null));
  lab.settle();
  assert.is(lab.system('a').findCell('a:/owner')!.remoteChildren.size, 1);
  lab.system('b').tell('b:/jobs/one', 'end');
  lab.settle();
  assert.is(lab.system('a').findCell('a:/owner')!.remoteChildren.size, 0);
});

test('what cannot start is a down: unknown kind, name in use, input that cannot travel, no port', () => {
  const attempts: [thread: string, name: string, kind: string, input: unknown, reason: RegExp][] = [
    ['b', 'jobs/one', 'unknown', null, /no actor kind .*unknown.*worker/],
    ['b', 'taken', 'worker', null, /there is an actor b:\/taken already/],
    ['b', 'jobs/one', 'worker', () => 1, /could not be cloned/],
    ['nowhere', 'jobs/one', 'worker', null, /"lost","thread":"nowhere"/],
  ];
  for (const [thread, name, kind, input, reason] of attempts) {
    const { lab, received } = owned((self) => {
      self.watch(self.spawnOn(thread, name, kind, input));
    });
    lab.system('b').spawn(
      'taken',
      actor(() => {}),
      null,
    );
    lab.settle();
    assert.equal(
      received.map((message) => message.kind),
      ['down'],
      `${thread} ${name} ${kind}`,
    );
    const down = received[0]!.payload as Down;
    assert.is(down.address, `${thread}:/${name}`);
    assert.match(JSON.stringify(down.reason), reason);
    assert.is(lab.system('a').findCell('a:/owner')!.remoteChildren.size, 0);
    assert.ok(lab.system('b').findCell('b:/taken') !== undefined, 'the other one lives');
  }
});

test('an actor may be spawned by kind in its own thread, and of another owner too', () => {
  const { lab, received, ends } = owned((self) => {
    self.spawn('near', 'worker', null);
    self.tell(self.spawnOn('a', 'far', 'worker', null), 'whose', 2);
  });
  lab.settle();
  assert.equal(
    received.map(({ from }) => from),
    ['a:/far'],
  );
  lab.system('a').tell('a:/owner', 'end');
  lab.settle();
  assert.equal(ends.sort(), ['a:/far stopped', 'a:/owner/near stopped']);
});

test('a thread that is started anew can be used again', () => {
  const { lab, received } = owned((self) => self.watch('b:/jobs/one'));
  lab.world.kill('b');
  lab.settle();
  lab.start('b');
  lab.system('b').spawn('jobs/one', 'worker', null);
  lab.system('a').spawn(
    'second',
    actor((_self, message) => void received.push(message), {
      start: (self) => self.watch('b:/jobs/one'),
    }),
    null,
  );
  lab.settle();
  lab.system('b').tell('b:/jobs/one', 'end');
  lab.settle();
  assert.equal(
    received.map(({ to }) => to),
    ['a:/owner', 'a:/second'],
  );
});

test.run();
