/** The chart of a device that comes and goes, stepped without actors. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { device } from '../../../actors/system/device.js';
import type { Context, Event } from '../../../actors/system/device.machine.js';
import { startMachine, stepMachine } from '../../../runtime/system/machine-step.js';
import { runHistories } from '../chart-history.js';
import { DeviceModel } from './device-model.js';

const { table } = device;
const status = { code: 'unavailable', message: 'lost' } as const;
const opened: Event = { type: 'device.opened' };
const lost: Event = { type: 'device.lost', status };
const refused: Event = { type: 'device.refused', status };
const due: Event = { type: 'reopen.due' };

function walk(...events: Event[]): { state: string; context: Context; effects: string[] } {
  let step = startMachine(table, undefined);
  for (const event of events) {
    step = stepMachine(table, step.snapshot, event);
    assert.ok(step.isExpected, `${event.type} is expected in ${step.snapshot.state.name}`);
  }
  const { state, context } = step.snapshot;
  const effects = step.effects.map(({ type }) => type);
  return { state: state.name, context: context as Context, effects };
}

test('it is opened again as often as it is lost, and an opening that fails is a loss as well', () => {
  let way: Event[] = [opened];
  let losses = 0;
  for (let round = 1; round <= 10; round++) {
    way = [...way, lost];
    losses += 1;
    const gone = walk(...way);
    assert.is(gone.state, 'recovering');
    assert.ok(gone.effects.includes('announceLost') && gone.effects.includes('startBackoff'));
    if (round % 2 === 0) {
      way = [...way, due, refused];
      losses += 1;
      assert.ok(walk(...way).effects.includes('announceRefused'));
    }
    assert.is(walk(...way).context.attempts, losses);
    way = [...way, due];
    assert.equal([walk(...way).state, walk(...way).effects.at(-1)], ['reopening', 'openQueue']);
    way = [...way, opened];
    const { state, effects, context } = walk(...way);
    assert.is(state, 'open');
    assert.ok(effects.includes('announceOpened'));
    assert.is(context.failure, null);
  }
  assert.is(walk(...way, { type: 'device.settled' }).context.attempts, 0);
});

test('one that never opened is given up', () => {
  for (const fact of [lost, refused]) {
    const { state, effects, context } = walk(fact);
    assert.is(state, 'refused');
    assert.ok(effects.includes('announceRefused'));
    assert.is(context.failure, status);
  }
});

test('two thousand histories: the chart and what runs because of it agree at every step', () => {
  const reached = runHistories({ table, model: () => new DeviceModel(), histories: 2_000 });
  for (const state of ['open', 'recovering', 'reopening', 'refused']) {
    assert.ok((reached.get(state) ?? 0) > 200, state);
  }
});

test.run();
