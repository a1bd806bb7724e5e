/** An actor that runs a machine: messages in, effects out, its end when the machine ends. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { assign, setup } from 'xstate';
import type { ActorFactory, ActorSelf } from '../../../runtime/system/actor.js';
import type { Down, Message, Reply } from '../../../runtime/system/envelope.js';
import { machineActor, type MachineHost } from '../../../runtime/system/machine-actor.js';
import { RingRecorder } from '../../../runtime/system/ring-recorder.js';
import { actor, collector, Lab, type LabOptions } from './lab.js';

type Event =
  | { type: 'door.open'; by: string }
  | { type: 'door.close' }
  | { type: 'key.turned' }
  | { type: 'key.refused' }
  | { type: 'smith.lost' }
  | { type: 'door.remove' };

const effect = (): void => {};

const door = setup({
  types: {
    context: {} as { opened: number; material: string },
    events: {} as Event,
    input: {} as { material: string },
  },
  guards: { isWorn: ({ context }) => context.opened >= 3 },
  actions: {
    countOpening: assign({ opened: ({ context }) => context.opened + 1 }),
    paint: effect,
    ringBell: effect,
    callSmith: effect,
    answer: effect,
  },
}).createMachine({
  id: 'door',
  context: ({ input }) => ({ opened: 0, material: input.material }),
  output: ({ context }) => ({ opened: context.opened }),
  initial: 'closed',
  states: {
    closed: {
      entry: { type: 'paint', params: { colour: 'green' } },
      on: {
        'door.open': { target: 'open', actions: ['countOpening', 'ringBell'] },
        'key.turned': {},
        'door.remove': 'removed',
      },
    },
    open: {
      tags: ['passable'],
      on: {
        'door.close': [{ guard: 'isWorn', target: 'removed' }, { target: 'locking' }],
      },
    },
    locking: {
      entry: 'callSmith',
      on: {
        'key.turned': { target: 'closed', actions: 'answer' },
        'key.refused': { target: 'open', actions: 'answer' },
        'smith.lost': 'removed',
      },
    },
    removed: { type: 'final' },
  },
});

/** A door in a lab, with what its effects were given. */
function doorLab(smith: (self: ActorSelf, ask: Message) => void, options: LabOptions = {}) {
  const effects: unknown[] = [];
  let closing: Message | null = null;
  const ends: string[] = [];
  const factory = machineActor(
    door,
    (self: ActorSelf, input: { material: string }): MachineHost => ({
      input,
      effects: {
        paint: (_event, context, message, params) =>
          effects.push(['paint', (context as { material: string }).material, message.kind, params]),
        ringBell: (event, context) =>
          effects.push(['ringBell', event['by'], (context as { opened: number }).opened]),
        callSmith: (_event, _context, message) => {
          closing = message.role === 'ask' ? message : null;
          self.watch('main:/smith');
          self.ask('main:/smith', 'turn', null, { deadlineMs: self.now() + 50, as: 'turned' });
        },
        answer: (event) => {
          if (closing !== null) self.reply(closing, event.type);
        },
      },
      replies: {
        turned: (reply: Reply) =>
          reply.outcome === 'down' ? null : { type: reply.status ? 'key.refused' : 'key.turned' },
      },
      down: (address, status) => {
        effects.push(['down', address, status.message]);
        return { type: 'smith.lost' };
      },
      asks: { 'door.describe': (state, context) => ({ state, context }) },
      messages: { push: (message) => ({ type: 'door.open', by: message.from }) },
      stopped: (reason) => void ends.push(reason.kind),
    }),
  );
  const lab = new Lab(options);
  lab.system().spawn('smith', actor(smith), null);
  lab.system().spawn('door', factory, { material: 'oak' });
  return { lab, effects, ends };
}

const turn = (self: ActorSelf, ask: Message): void => self.reply(ask);

test('messages are events, effects get event, context, message and parameters', () => {
  const { lab, effects } = doorLab(turn);
  lab.system().tell('main:/door', 'door.open', { by: 'Ann' });
  lab.settle();
  assert.equal(effects, [
    ['paint', 'oak', 'start', { colour: 'green' }],
    ['ringBell', 'Ann', 1],
  ]);
});

test('a payload cannot pass for another event', () => {
  const { lab, effects } = doorLab(turn);
  lab.system().tell('main:/door', 'key.turned', { type: 'door.open', by: 'a thief' });
  lab.settle();
  assert.is(effects.length, 1);
});

test('a message may be translated to an event', () => {
  const { lab, effects } = doorLab(turn);
  lab.system().tell('main:/door', 'push');
  lab.settle();
  assert.equal(effects[1], ['ringBell', 'main:/edge', 1]);
});

test('a reply becomes the event that the host makes of it; a kept ask is answered by an effect', async () => {
  for (const [smith, event] of [
    [turn, 'key.turned'],
    [
      (self: ActorSelf, ask: Message) => self.replyError(ask, { code: 'internal', message: 'no' }),
      'key.refused',
    ],
    [() => {}, 'key.refused'],
  ] as const) {
    const { lab } = doorLab(smith);
    lab.system().tell('main:/door', 'door.open', { by: 'Ann' });
    lab.world.run({ untilMs: 1 });
    const closed = lab.system().request('main:/door', 'door.close', {}, { deadlineMs: 1e6 });
    lab.settle();
    assert.is(await closed, event);
  }
});

test('a death becomes the event that the host makes of it, and a final state ends the actor', () => {
  const { lab, effects, ends } = doorLab(() => {
    throw new Error('hurt');
  });
  const received: Message[] = [];
  lab.system().spawn(
    'watcher',
    collector(received, (self) => self.watch('main:/door')),
    null,
  );
  lab.world.run({ untilMs: 1 });
  lab.system().tell('main:/door', 'door.open', { by: 'Ann' });
  lab.world.run({ untilMs: 2 });
  lab.system().tell('main:/door', 'door.close');
  lab.settle();
  assert.equal(effects.at(-1), ['down', 'main:/smith', 'main:/smith failed: hurt']);
  const { reason } = received[0]!.payload as Down;
  assert.equal(reason, { kind: 'finished', state: 'removed', output: { opened: 1 } });
  assert.equal(ends, ['finished']);
  assert.is(lab.system().findCell('main:/door'), undefined);
});

test('an ask that needs no event is answered beside the machine', async () => {
  const { lab } = doorLab(turn);
  const asked = lab.system().request('main:/door', 'door.describe', {}, { deadlineMs: 1e6 });
  lab.settle();
  assert.equal(await asked, { state: 'closed', context: { opened: 0, material: 'oak' } });
});

test('an unexpected event is counted and recorded, and changes nothing', () => {
  const recorder = new RingRecorder();
  const { lab } = doorLab(turn, { system: { recorder } });
  lab.system().tell('main:/door', 'door.close');
  lab.settle();
  assert.is(lab.system().describe().counters.unexpectedEvents, 1);
  const unexpected = recorder.records.filter(({ type }) => type === 'unexpected');
  assert.equal(unexpected, [
    { type: 'unexpected', atMs: 0, actor: 'main:/door', state: 'closed', event: 'door.close' },
  ]);
  assert.equal(stateOf(lab), 'closed');
});

test('in a strict system an unexpected event fails the actor', () => {
  const { lab } = doorLab(turn, { system: { strict: true } });
  lab.system().tell('main:/door', 'door.close');
  lab.settle();
  assert.is(lab.system().counters.failures, 1);
  assert.match(lab.log.at(-1)!.text, /main:\/door to handle "door.close" in state "closed"/);
});

test('transitions are recorded when somebody observes', () => {
  const recorder = new RingRecorder();
  const { lab } = doorLab(turn, { system: { recorder } });
  lab.system().tell('main:/door', 'door.open', { by: 'Ann' });
  lab.settle();
  const transitions = recorder.records.filter(({ type }) => type === 'transition');
  assert.equal(transitions, [
    {
      type: 'transition',
      atMs: 0,
      actor: 'main:/door',
      cause: 'm-main-1',
      from: 'closed',
      to: 'open',
      event: 'door.open',
    },
  ]);
});

test('its description is its state, tags and context', () => {
  const { lab } = doorLab(turn);
  lab.system().tell('main:/door', 'door.open', { by: 'Ann' });
  lab.settle();
  const description = lab
    .system()
    .describe()
    .actors.find(({ address }) => address === 'main:/door')!;
  assert.is(description.kind, 'door');
  assert.equal(description.state, {
    machine: 'door',
    state: 'open',
    value: 'open',
    tags: ['passable'],
    context: { opened: 1, material: 'oak' },
  });
});

test('an effect that throws fails the actor', () => {
  const factory: ActorFactory = machineActor(door, () => ({
    input: { material: 'glass' },
    effects: {
      paint: effect,
      ringBell: () => {
        throw new Error('broken bell');
      },
      callSmith: effect,
      answer: effect,
    },
  }));
  const lab = new Lab();
  lab.system().spawn('door', factory, null);
  lab.system().tell('main:/door', 'door.open', { by: 'Ann' });
  lab.settle();
  assert.equal(
    lab.log.map(({ text }) => text),
    ['broken bell'],
  );
});

test('a host without one of the effects is a bug that names it', () => {
  const lab = new Lab();
  const factory = machineActor(door, () => ({
    input: { material: 'oak' },
    effects: { paint: effect },
  }));
  lab.system().spawn('door', factory, null);
  lab.settle();
  assert.match(lab.log[0]!.text, /effects of machine door: .*ringBell/);
});

function stateOf(lab: Lab): unknown {
  const { state } = lab
    .system()
    .describe()
    .actors.find(({ address }) => address === 'main:/door')!;
  return (state as { state: string }).state;
}

test.run();
