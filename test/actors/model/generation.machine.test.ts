/** The chart of a generation when its device or its preparer is lost, stepped without actors. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { generation } from '../../../actors/model/generation.js';
import type { Event } from '../../../actors/model/generation.machine.js';
import type { SeededRandom } from '../../../runtime/system/seeded-random.js';
import { runHistories } from '../chart-history.js';
import { GenerationModel } from './generation-model.js';
import { startMachine, stepMachine } from '../../../runtime/system/machine-step.js';

const { table } = generation;
const status = { code: 'unavailable', message: 'lost' } as const;
const submit: Event = { type: 'request.submit' };
const ended: Event = { type: 'request.ended' };
const drain: Event = { type: 'generation.drain' };

function walk(...events: Event[]): { state: string; effects: string[] } {
  let step = startMachine(table);
  for (const event of events) {
    step = stepMachine(table, step.snapshot, event);
    assert.ok(step.isExpected, `${event.type} is expected in ${step.snapshot.state.name}`);
  }
  return { state: step.snapshot.state.name, effects: step.effects.map(({ type }) => type) };
}

const ways: Readonly<Record<string, Event[]>> = {
  loading: [],
  prepared: [{ type: 'control.loaded' }],
  active: [{ type: 'control.loaded' }, submit],
  draining: [{ type: 'control.loaded' }, submit, drain],
};

for (const [name, way] of Object.entries(ways)) {
  test(`${name}: ends at once when the device is lost, and says so`, () => {
    assert.is(walk(...way).state, name);
    const { state, effects } = walk(...way, { type: 'device.lost', status });
    assert.is(state, 'lost');
    assert.equal(effects, ['announceLost']);
  });

  test(`${name}: takes no request without its preparer, and starts it anew`, () => {
    const gone = walk(...way, { type: 'preparer.lost' });
    assert.is(gone.state, name);
    assert.equal(gone.effects, ['startBackoff']);
    const back = walk(...way, { type: 'preparer.lost' }, { type: 'preparer.due' });
    assert.equal(back.effects, ['startPreparer']);
    if (name === 'loading') return;
    assert.equal(walk(...way, { type: 'preparer.lost' }, submit).effects, ['refuseRequest']);
    const isServing = name === 'prepared' || name === 'active';
    const { effects } = walk(...way, { type: 'preparer.lost' }, { type: 'preparer.due' }, submit);
    assert.equal(effects, [isServing ? 'acceptRequest' : 'refuseRequest']);
  });
}

test('what was accepted before the preparer was lost still ends, and lets a drain end', () => {
  const way = [...ways['active']!, { type: 'preparer.lost' } as const, drain];
  assert.is(walk(...way).state, 'draining');
  assert.is(walk(...way, ended).state, 'retired');
});

test('two thousand histories: the chart and what runs because of it agree at every step', () => {
  const model = (random: SeededRandom): GenerationModel => new GenerationModel(random);
  const reached = runHistories({ table, model, histories: 2_000 });
  for (const state of ['prepared', 'active', 'draining', 'retired', 'lost', 'failed']) {
    assert.ok((reached.get(state) ?? 0) > 100, state);
  }
});

test.run();
