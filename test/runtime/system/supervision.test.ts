/** Who is restarted, in which order, how often; who stops with whom. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ActorFactory } from '../../../runtime/system/actor.js';
import type { Message } from '../../../runtime/system/envelope.js';
import type { StopReason } from '../../../runtime/system/stop-reason.js';
import { RestartIntensity, restartPlan } from '../../../runtime/system/supervision.js';
import type { Restart, Strategy, Supervision } from '../../../runtime/system/supervision.js';
import { supervisor, type SupervisorInput } from '../../../runtime/system/supervisor.js';
import { actor, collector, Lab } from './lab.js';

const children = ['device', 'banks', 'models', 'sessions'].map((name) => ({
  name,
  restart: 'permanent' as Restart,
}));

test('the strategy decides who is stopped, last first, and started again, in order', () => {
  const plan = (strategy: Strategy) => restartPlan(strategy, children, 'banks', true);
  assert.equal(plan('oneForOne'), { stop: [], start: ['banks'] });
  assert.equal(plan('restForOne'), {
    stop: ['sessions', 'models'],
    start: ['banks', 'models', 'sessions'],
  });
  assert.equal(plan('oneForAll'), {
    stop: ['sessions', 'models', 'device'],
    start: ['device', 'banks', 'models', 'sessions'],
  });
});

test('a transient child is restarted after a failure only, a temporary one never', () => {
  const plan = (restart: Restart, isFailure: boolean) =>
    restartPlan('oneForOne', [{ name: 'x', restart }], 'x', isFailure).start.length;
  assert.equal([plan('permanent', true), plan('permanent', false)], [1, 1]);
  assert.equal([plan('transient', true), plan('transient', false)], [1, 0]);
  assert.equal([plan('temporary', true), plan('temporary', false)], [0, 0]);
});

test('a temporary sibling is stopped with the others and stays away', () => {
  const mixed = [...children, { name: 'guest', restart: 'temporary' as Restart }];
  assert.equal(restartPlan('restForOne', mixed, 'sessions', true), {
    stop: ['guest'],
    start: ['sessions'],
  });
});

test('intensity counts restarts in a sliding period and backs off within it', () => {
  const intensity = new RestartIntensity({
    strategy: 'oneForOne',
    intensity: { restarts: 3, periodMs: 100 },
    backoff: { initialMs: 10, maxMs: 25 },
  });
  assert.equal(
    [0, 1, 2].map((now) => intensity.next(now)),
    [10, 20, 25],
  );
  assert.is(intensity.next(101), 20, 'two have left the period');
  assert.is(intensity.next(101.5), 25);
  assert.is(intensity.next(101.6), null);
});

/** Children that note their starts and ends, below a supervisor. */
function supervised(supervision: Supervision, names: readonly string[]) {
  const events: string[] = [];
  const child = (name: string): ActorFactory =>
    actor(
      (self, { kind }) => {
        if (kind === 'fail') throw new Error(`${name} failed`);
        if (kind === 'end') self.stop();
      },
      {
        start: () => void events.push(`+${name}`),
        stopped: (_self, reason: StopReason) => void events.push(`-${name} ${reason.kind}`),
      },
    );
  const lab = new Lab();
  const input: SupervisorInput = {
    supervision,
    children: names.map((name) => ({ name, kind: child(name), input: null })),
  };
  lab.system().spawn('top', supervisor, input);
  lab.settle();
  const happens = (kind: string, name: string): string[] => {
    events.length = 0;
    lab.system().tell(`main:/top/${name}`, kind);
    lab.settle();
    return [...events];
  };
  return { lab, events, happens };
}

const often = { restarts: 100, periodMs: 1000 };

test('children start in order', () => {
  const { events } = supervised({ strategy: 'oneForOne', intensity: often }, ['a', 'b', 'c']);
  assert.equal(events, ['+a', '+b', '+c']);
});

test('restForOne stops those started later, last first, and starts them again in order', () => {
  const names = ['a', 'b', 'c', 'd'];
  const { happens } = supervised({ strategy: 'restForOne', intensity: often }, names);
  const expected = ['-b failed', '-d stopped', '-c stopped', '+b', '+c', '+d'];
  assert.equal(happens('fail', 'b'), expected);
  assert.equal(happens('fail', 'b'), expected, 'the order of start is kept');
  assert.equal(happens('fail', 'd'), ['-d failed', '+d']);
});

test('oneForAll restarts everyone, oneForOne only the one that failed', () => {
  const all = supervised({ strategy: 'oneForAll', intensity: often }, ['a', 'b']);
  assert.equal(all.happens('fail', 'a'), ['-a failed', '-b stopped', '+a', '+b']);
  const one = supervised({ strategy: 'oneForOne', intensity: often }, ['a', 'b']);
  assert.equal(one.happens('fail', 'a'), ['-a failed', '+a']);
  assert.equal(one.happens('end', 'b'), ['-b finished', '+b']);
  assert.is(one.lab.system().describe().counters.restarts, 2);
});

test('too many restarts bring the supervisor down, with all its children', () => {
  const limit = { restarts: 2, periodMs: 1000 };
  const { lab, happens } = supervised({ strategy: 'oneForOne', intensity: limit }, ['a', 'b']);
  const received: Message[] = [];
  lab.system().spawn(
    'watcher',
    collector(received, (self) => self.watch('main:/top')),
    null,
  );
  assert.equal(happens('fail', 'b'), ['-b failed', '+b']);
  assert.equal(happens('fail', 'b'), ['-b failed', '+b']);
  assert.equal(happens('fail', 'b'), ['-b failed', '-a stopped']);
  const { reason } = received[0]!.payload as { reason: Extract<StopReason, { kind: 'failed' }> };
  assert.match(reason.status.message, /more than 2 times within 1000 ms, main:\/top\/b last/);
  assert.is(lab.system().findCell('main:/top/b'), undefined);
  assert.equal(happens('fail', 'b'), [], 'nobody is left');
});

test('backoff delays a restart; meanwhile asks end and the place is kept', async () => {
  const { lab, events, happens } = supervised(
    { strategy: 'oneForOne', intensity: often, backoff: { initialMs: 50, maxMs: 200 } },
    ['a'],
  );
  const startedMs = lab.world.time.nowMs;
  lab.system().tell('main:/top/a', 'fail');
  lab.world.run({ untilMs: startedMs + 20 });
  assert.equal(lab.system().describe().actors[0]!.children[0]!.status, 'restarting');
  const asked = lab.system().request('main:/top/a', 'question', null, { deadlineMs: 1e6 });
  lab.world.run({ untilMs: startedMs + 49 });
  assert.equal(events, ['+a', '-a failed']);
  const error = (await asked.catch((reason: unknown) => reason)) as Error;
  assert.match(error.message, /main:\/top\/a is down/);
  lab.settle();
  assert.is(lab.world.time.nowMs, startedMs + 50);
  assert.equal(happens('fail', 'a'), ['-a failed', '+a']);
  assert.is(lab.world.time.nowMs, startedMs + 150);
});

test('a parent that goes down while a child waits for its restart takes it along', () => {
  const { lab } = supervised(
    { strategy: 'oneForOne', intensity: often, backoff: { initialMs: 50, maxMs: 200 } },
    ['a'],
  );
  const received: Message[] = [];
  lab.system().tell('main:/top/a', 'fail');
  lab.world.run({ untilMs: 20 });
  lab.system().spawn(
    'watcher',
    collector(received, (self) => self.watch('main:/top/a')),
    null,
  );
  lab.world.run({ untilMs: 30 });
  lab.system().shutdown();
  assert.is(lab.system().findCell('main:/top/a'), undefined);
});

test('a restart keeps the address and nothing else', () => {
  const lab = new Lab({ system: { supervision: { strategy: 'oneForOne', intensity: often } } });
  const values: number[] = [];
  const counter: ActorFactory = (self) => {
    let count = 0;
    return {
      receive: (_self, { kind }) => {
        if (kind === 'fail') throw new Error('fail');
        if (kind === 'ring') throw new Error('a timer of the dead');
        count += 1;
        values.push(count);
        self.startTimer('ring', 10, 'ring');
        if (count === 1)
          self.spawn(
            'child',
            actor(() => {}),
            null,
          );
      },
    };
  };
  lab.system().spawn('counter', counter, null, { restart: 'permanent' });
  for (const kind of ['count', 'count', 'fail']) lab.system().tell('main:/counter', kind);
  lab.system().tell('main:/counter', 'lost with the mailbox');
  lab.world.run({ untilMs: 1 });
  assert.is(lab.system().findCell('main:/counter/child'), undefined);
  lab.world.run({ untilMs: 5 });
  lab.system().tell('main:/counter', 'count');
  lab.world.run({ untilMs: 14 });
  assert.equal(values, [1, 2, 1]);
  assert.is(lab.system().counters.failures, 1, 'no timer of the dead rang');
  assert.is(lab.system().deadLetters.counts().stopped, 1);
});

test('children stop before their parent, last started first, with a reason', () => {
  const lab = new Lab();
  const events: string[] = [];
  const node = (depth: number): ActorFactory =>
    actor((self) => self.stop(), {
      start: (self) => {
        if (depth > 0) for (const name of ['x', 'y']) self.spawn(name, node(depth - 1), null);
      },
      stopped: (self, reason) => void events.push(`${self.address.slice(6)} ${reason.kind}`),
    });
  lab.system().spawn('top', node(2), null);
  lab.settle();
  lab.system().tell('main:/top', 'end');
  lab.settle();
  assert.equal(events, [
    'top/y/y stopped',
    'top/y/x stopped',
    'top/y stopped',
    'top/x/y stopped',
    'top/x/x stopped',
    'top/x stopped',
    'top finished',
  ]);
});

test('a parent that stops a child does not restart it', () => {
  const lab = new Lab();
  let starts = 0;
  const child = actor(() => {}, { start: () => void (starts += 1) });
  lab.system().spawn(
    'parent',
    actor((self) => self.stop(`${self.address}/child`), {
      start: (self) => {
        self.supervise({ strategy: 'oneForOne', intensity: often });
        self.spawn('child', child, null, { restart: 'permanent' });
      },
    }),
    null,
  );
  lab.settle();
  lab.system().tell('main:/parent', 'stop it');
  lab.settle();
  assert.is(starts, 1);
  assert.is(lab.system().findCell('main:/parent/child'), undefined);
});

test('a factory that throws is a failure like any other', () => {
  const lab = new Lab();
  const received: Message[] = [];
  lab.system().spawn(
    'parent',
    collector(received, (self) => {
      const broken: ActorFactory = () => {
        throw new Error('cannot start');
      };
      self.spawn('child', broken, null, { watch: true });
    }),
    null,
  );
  lab.settle();
  assert.is(received.length, 1);
  assert.match(JSON.stringify(received[0]!.payload), /cannot start/);
});

test('a name in use is refused, and free again after the actor has ended', () => {
  const lab = new Lab();
  lab.system().spawn(
    'one',
    actor((self) => self.stop()),
    null,
  );
  assert.throws(
    () =>
      lab.system().spawn(
        'one',
        actor(() => {}),
        null,
      ),
    /there is an actor main:\/one/,
  );
  lab.settle();
  lab.system().tell('main:/one', 'end');
  lab.settle();
  lab.system().spawn(
    'one',
    actor(() => {}),
    null,
  );
});

test.run();
