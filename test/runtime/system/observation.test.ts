/** What can be seen of a system: its description, its records, its trace. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { chromeTrace } from '../../../runtime/system/chrome-trace.js';
import { RingRecorder } from '../../../runtime/system/ring-recorder.js';
import { actor, Lab } from './lab.js';

test('the description is the tree of actors with mailboxes, ages, states and counters', () => {
  const lab = new Lab();
  lab.system().spawn(
    'models',
    actor(() => {}, {
      start: (self) => {
        self.spawn(
          'one',
          actor(() => {}, { describe: () => 'serving' }),
          null,
        );
        self.spawn(
          'group/two',
          actor(() => {}),
          null,
        );
      },
    }),
    null,
    { mailboxLimit: 10 },
  );
  lab.world.run({ untilMs: 40 });
  lab.system().tell('main:/models', 'waits');
  lab.system().tell('main:/models', 'first', null, { lane: 'control' });
  const { thread, actors, counters } = lab.system().describe();
  assert.is(thread, 'main');
  assert.is(actors.length, 1);
  const [models] = actors;
  assert.equal(models!.mailbox, { data: 1, control: 1, limit: 10, oldestMs: 0 });
  assert.is(models!.parent, 'main:/');
  assert.is(models!.ageMs, 40);
  assert.equal(
    models!.children.map(({ address, state }) => [address, state]),
    [
      ['main:/models/one', 'serving'],
      ['main:/models/group/two', null],
    ],
  );
  assert.is(counters.actors, 3);
  assert.equal(structuredClone(lab.system().describe()), lab.system().describe(), 'plain data');
});

test('records tell starts, turns with their causes, dead letters and ends', () => {
  const recorder = new RingRecorder();
  const lab = new Lab({ system: { recorder } });
  lab.system().spawn(
    'one',
    actor((self, { kind }) => {
      if (kind === 'go') self.tell('main:/nobody', 'lost');
      else self.stop();
    }),
    null,
  );
  lab.system().tell('main:/one', 'go');
  lab.settle();
  lab.system().tell('main:/one', 'end');
  lab.settle();
  const told = recorder.records.filter(
    (record) => !('actor' in record) || record.actor !== 'main:/',
  );
  assert.equal(
    told.map(({ type }) => type),
    ['spawn', 'deadLetter', 'message', 'message', 'stop'],
  );
});

test('a ring keeps the last records, oldest first', () => {
  const ring = new RingRecorder(3);
  for (const atMs of [1, 2, 3, 4, 5]) {
    ring.record({ type: 'unexpected', atMs, actor: 'main:/a', state: 's', event: 'e' });
  }
  assert.equal(
    ring.records.map((record) => 'atMs' in record && record.atMs),
    [3, 4, 5],
  );
  assert.is(ring.total, 5);
});

test('a trace has a process a thread, a track an actor, slices, and an arrow for each cause', () => {
  const recorder = new RingRecorder();
  const lab = new Lab({ threads: ['main', 'other'], system: { recorder } });
  lab.system('other').spawn(
    'end',
    actor(() => {}),
    null,
  );
  lab.system().spawn(
    'start',
    actor((self) => self.tell('other:/end', 'hop')),
    null,
  );
  lab.system().tell('main:/start', 'go');
  lab.settle();
  const { traceEvents } = chromeTrace(recorder.records);
  const names = traceEvents
    .filter(({ ph }) => ph === 'M')
    .map(({ args }) => (args as { name: string }).name);
  for (const name of ['main', 'other', '/start', '/end']) assert.ok(names.includes(name), name);
  const hop = traceEvents.find(({ ph, name }) => ph === 'X' && name === 'hop')!;
  const go = traceEvents.find(({ ph, name }) => ph === 'X' && name === 'go')!;
  const from = traceEvents.find(({ ph }) => ph === 's')!;
  const to = traceEvents.find(({ ph }) => ph === 'f')!;
  assert.equal([from.pid, from.tid, to.pid, to.tid], [go.pid, go.tid, hop.pid, hop.tid]);
  assert.is(from.id, to.id);
});

test.run();
