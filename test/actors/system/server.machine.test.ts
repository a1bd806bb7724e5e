/** The chart of the server when its device comes and goes, stepped without actors. */
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
const due: Event = { type: 'reopen.due' };
const drain: Event = { type: 'server.drain' };
const created: Event = { type: 'deployment.created' };
const removed: Event = { type: 'deployment.removed' };

function walk(...events: Event[]): { state: string; context: Context; effects: string[] } {
  let step = startMachine(table);
  for (const event of events) {
    step = stepMachine(table, step.snapshot, event);
    assert.ok(step.isExpected, `${event.type} is expected in ${step.snapshot.state.name}`);
  }
  const { state, context } = step.snapshot;
  const effects = step.effects.map(({ type }) => type);
  return { state: state.name, context: context as Context, effects };
}

test('a lost device is opened again, as often as it is lost', () => {
  let way: Event[] = [opened];
  for (let loss = 1; loss <= 20; loss++) {
    const gone = walk(...way, lost);
    assert.is(gone.state, 'recovering');
    assert.is(gone.context.attempts, loss);
    assert.ok(gone.effects.includes('strandDeployments') && gone.effects.includes('startBackoff'));
    // An opening that fails is a loss as well.
    if (loss % 2 === 0) {
      way = [...way, lost, due, refused];
      loss += 1;
    } else {
      way = [...way, lost];
    }
    const back = walk(...way, due);
    assert.is(back.state, 'reopening');
    assert.ok(back.effects.includes('openDevice'));
    way = [...way, due, opened];
    const { state, effects, context } = walk(...way);
    assert.is(state, 'ready');
    assert.ok(effects.includes('restoreDeployments'));
    assert.is(context.failure, null);
  }
  assert.is(walk(...way, { type: 'device.settled' }).context.attempts, 0);
});

const ways: Readonly<Record<string, Event[]>> = {
  ready: [opened, created],
  recovering: [opened, created, lost],
  reopening: [opened, created, lost, due],
};

for (const [name, way] of Object.entries(ways)) {
  test(`${name}: requests and removals reach their deployment, registrations only when it works`, () => {
    assert.is(walk(...way).state, name);
    assert.equal(walk(...way, { type: 'request.submit' }).effects, ['forwardRequest']);
    const unregister = walk(...way, { type: 'deployment.unregister' });
    assert.equal(unregister.effects, ['unregisterDeployment']);
    const expected = name === 'ready' ? 'registerDeployment' : 'refuseRegistration';
    assert.equal(walk(...way, { type: 'deployment.register' }).effects, [expected]);
  });

  test(`${name}: a drain ends in \`stopped\`, whatever the device does`, () => {
    for (const fact of [[], [lost], [opened], [refused]]) {
      const drained = walk(...way, drain, ...fact);
      assert.is(drained.state, 'draining');
      const { state, effects } = walk(...way, drain, ...fact, removed);
      assert.is(state, 'stopped');
      assert.ok(effects.includes('closeDevice') && effects.includes('answerDrainers'));
    }
    assert.is(walk(...way, drain, { type: 'drain.expired' }).state, 'stopped');
  });
}

test('a device that does not open at the start stops the server', () => {
  for (const fact of [lost, refused]) {
    const { state, effects } = walk({ type: 'server.await' }, fact);
    assert.is(state, 'stopped');
    assert.ok(effects.includes('failStarters'));
  }
});

test('two thousand histories: the chart and what runs because of it agree at every step', () => {
  const reached = runHistories({ table, model: () => new ServerModel(), histories: 2_000 });
  for (const state of ['ready', 'recovering', 'reopening', 'draining', 'stopped']) {
    assert.ok((reached.get(state) ?? 0) > 200, state);
  }
});

test.run();
