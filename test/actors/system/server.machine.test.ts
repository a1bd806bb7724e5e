/** The chart of the server when its devices come and go, stepped without actors. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { server } from '../../../actors/system/server.js';
import type { Context, Event } from '../../../actors/system/server.machine.js';
import { runHistories } from '../chart-history.js';
import { ServerModel } from './server-model.js';
import { startMachine, stepMachine } from '../../../runtime/system/machine-step.js';

const { table } = server;
const status = { code: 'unavailable', message: 'lost' } as const;
const opened: Event = { type: 'device.opened' };
const lost: Event = { type: 'device.lost', status };
const refused: Event = { type: 'device.refused', status };
const drain: Event = { type: 'server.drain' };
const created: Event = { type: 'deployment.created' };
const removed: Event = { type: 'deployment.removed' };

interface Walk {
  readonly state: string;
  readonly context: Context;
  readonly effects: string[];
}

function walk(devices: number, ...events: Event[]): Walk {
  let step = startMachine(table, { devices });
  for (const event of events) {
    step = stepMachine(table, step.snapshot, event);
    assert.ok(step.isExpected, `${event.type} is expected in ${step.snapshot.state.name}`);
  }
  const { state, context } = step.snapshot;
  const effects = step.effects.map(({ type }) => type);
  return { state: state.name, context: context as Context, effects };
}

test('it is ready when all its devices are open, and not before', () => {
  for (const devices of [1, 2, 3]) {
    for (let count = 0; count <= devices; count++) {
      const { state } = walk(devices, ...Array.from({ length: count }, () => opened));
      assert.is(state, count === devices ? 'ready' : 'starting');
    }
  }
});

test('a lost device leaves it ready: deployments hear of the loss and of the opening', () => {
  let way: Event[] = [opened, opened];
  for (let loss = 1; loss <= 5; loss++) {
    way = [...way, lost];
    assert.equal(walk(2, ...way).effects, ['strandDeployments']);
    way = [...way, refused];
    assert.equal(walk(2, ...way).effects, []);
    way = [...way, opened];
    assert.equal(walk(2, ...way).effects, ['restoreDeployments']);
    assert.is(walk(2, ...way).state, 'ready');
  }
});

test('requests, registrations and removals reach their deployment', () => {
  const ways = [
    [opened, created],
    [opened, created, lost],
  ];
  for (const way of ways) {
    assert.equal(walk(1, ...way, { type: 'request.submit' }).effects, ['forwardRequest']);
    const unregister = walk(1, ...way, { type: 'deployment.unregister' });
    assert.equal(unregister.effects, ['unregisterDeployment']);
    const register = walk(1, ...way, { type: 'deployment.register' });
    assert.equal(register.effects, ['registerDeployment']);
  }
});

test('a drain ends in `stopped`, whatever the devices do', () => {
  for (const way of [[], [lost]]) {
    for (const fact of [[], [lost], [opened], [refused]]) {
      const drained = walk(1, opened, created, ...way, drain, ...fact);
      assert.is(drained.state, 'draining');
      const end = walk(1, opened, created, ...way, drain, ...fact, removed);
      assert.is(end.state, 'stopped');
      assert.ok(end.effects.includes('closeDevices') && end.effects.includes('answerDrainers'));
    }
    const expired = walk(1, opened, created, ...way, drain, { type: 'drain.expired' });
    assert.is(expired.state, 'stopped');
  }
});

test('a device that does not open at the start stops the server', () => {
  for (const fact of [lost, refused]) {
    const { state, effects, context } = walk(2, { type: 'server.await' }, opened, fact);
    assert.is(state, 'stopped');
    assert.ok(effects.includes('failStarters'));
    assert.is(context.failure, status);
  }
});

test('two thousand histories: the chart and what runs because of it agree at every step', () => {
  const model = (random: { below(n: number): number }) => new ServerModel(1 + random.below(2));
  const reached = runHistories({ table, model, histories: 2_000 });
  for (const state of ['ready', 'draining', 'stopped']) {
    assert.ok((reached.get(state) ?? 0) > 200, state);
  }
});

test.run();
