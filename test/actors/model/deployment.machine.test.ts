/**
 * The chart of a deployment, stepped without actors: every state meets the loss of what it has, a
 * registration and a removal, and ends where the chart says; and in ten thousand random histories
 * no registration and no removal is forgotten.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { deployment } from '../../../actors/model/deployment.js';
import { machine, type Event } from '../../../actors/model/deployment.machine.js';
import type { Context } from '../../../actors/model/deployment-context.js';
import { SeededRandom } from '../../../runtime/system/seeded-random.js';
import { startMachine, stepMachine } from '../../../runtime/system/machine-step.js';
import type { MachineSnapshot } from '../../../runtime/system/machine-step.js';
import { DeploymentModel } from './deployment-model.js';

const { table } = deployment;
const status = { code: 'unavailable', message: 'lost' } as const;
const fault = { code: 'invalidArgument', message: 'broken' } as const;

const register: Event = { type: 'deployment.register' };
const unregister: Event = { type: 'deployment.unregister' };
const prepared: Event = { type: 'preparation.prepared' };
const loaded: Event = { type: 'generation.loaded' };
const deviceLost: Event = { type: 'device.lost', status };
const due: Event = { type: 'recovery.due' };
const lost = (generation: number): Event => ({ type: 'generation.lost', generation, status });
const failedLoad = (generation: number): Event => ({
  type: 'generation.failed',
  generation,
  status: fault,
});
const refused: Event = { type: 'preparation.failed', status: fault };
const preparationLost: Event = { type: 'preparation.failed', status };

interface Walk {
  readonly state: string;
  readonly context: Context;
  readonly effects: readonly string[];
  readonly snapshot: MachineSnapshot;
}

function walk(events: readonly Event[]): Walk {
  let step = startMachine(table, { lastGeneration: 0 });
  for (const event of events) {
    step = stepMachine(table, step.snapshot, event);
    assert.ok(step.isExpected, `${event.type} is expected in ${step.snapshot.state.name}`);
  }
  const { snapshot } = step;
  return {
    state: snapshot.state.name,
    context: snapshot.context as Context,
    effects: step.effects.map(({ type }) => type),
    snapshot,
  };
}

/** The shortest way to each state; generations are numbered from 1. */
const ways: Readonly<Record<string, readonly Event[]>> = {
  registering: [],
  preparing: [register],
  loading: [register, prepared],
  serving: [register, prepared, loaded],
  recovering: [register, prepared, loaded, lost(1)],
  stranded: [register, prepared, loaded, deviceLost, lost(1), due],
  replacing: [register, prepared, loaded, register],
  switching: [register, prepared, loaded, register, prepared],
  withdrawing: [register, unregister],
  draining: [register, prepared, loaded, unregister],
  failed: [register, refused],
  removed: [register, prepared, loaded, unregister, lost(1)],
};

test('each way leads to its state', () => {
  const states = Object.keys(machine.root.states);
  assert.equal(Object.keys(ways).sort(), states.sort());
  for (const [state, way] of Object.entries(ways)) assert.is(walk(way).state, state);
});

/** What each state does about a lost device, the loss of generation 1, a removal, a package. */
const ends: readonly (readonly [state: string, event: Event, end: string])[] = [
  ['registering', deviceLost, 'registering'],
  ['preparing', deviceLost, 'preparing'],
  ['loading', deviceLost, 'recovering'],
  ['serving', deviceLost, 'recovering'],
  ['recovering', deviceLost, 'recovering'],
  ['replacing', deviceLost, 'preparing'],
  ['switching', deviceLost, 'recovering'],
  ['withdrawing', deviceLost, 'withdrawing'],
  ['draining', deviceLost, 'draining'],
  ['failed', deviceLost, 'failed'],
  ['loading', lost(1), 'recovering'],
  ['serving', lost(1), 'recovering'],
  ['replacing', lost(1), 'preparing'],
  ['switching', lost(1), 'loading'],
  ['switching', lost(2), 'serving'],
  ['draining', lost(1), 'removed'],
  ['preparing', preparationLost, 'recovering'],
  ['replacing', preparationLost, 'serving'],
  ['replacing', refused, 'serving'],
  ['withdrawing', preparationLost, 'removed'],
  ['loading', failedLoad(1), 'failed'],
  ['switching', failedLoad(2), 'serving'],
  ['registering', unregister, 'removed'],
  ['preparing', unregister, 'withdrawing'],
  ['loading', unregister, 'draining'],
  ['serving', unregister, 'draining'],
  ['recovering', unregister, 'removed'],
  ['stranded', unregister, 'removed'],
  ['replacing', unregister, 'withdrawing'],
  ['switching', unregister, 'draining'],
  ['withdrawing', unregister, 'withdrawing'],
  ['draining', unregister, 'draining'],
  ['failed', unregister, 'removed'],
  ['registering', register, 'preparing'],
  ['preparing', register, 'preparing'],
  ['loading', register, 'loading'],
  ['serving', register, 'replacing'],
  ['recovering', register, 'preparing'],
  ['stranded', register, 'stranded'],
  ['replacing', register, 'replacing'],
  ['switching', register, 'switching'],
  ['withdrawing', register, 'withdrawing'],
  ['draining', register, 'draining'],
  ['failed', register, 'preparing'],
];

/** How often a package that never served may be lost until it is given up. */
for (const [name, event, losses] of [
  ['itself', preparationLost, 6],
  ['with its thread', { ...preparationLost, withThread: true }, 9],
] as const) {
  test(`a preparation that is lost ${name} again and again is given up after ${losses} times`, () => {
    const way: Event[] = [register];
    for (let loss = 1; loss < losses; loss += 1) {
      way.push(event);
      assert.is(walk(way).state, 'recovering', `loss ${loss}`);
      way.push(due);
    }
    assert.is(walk([...way, event]).state, 'failed');
  });
}

for (const [state, event, end] of ends) {
  const which = 'generation' in event ? ` of generation ${event.generation}` : '';
  test(`${state}: ${event.type}${which} leads to ${end}`, () => {
    const { state: reached, effects } = walk([...ways[state]!, event]);
    assert.is(reached, end);
    if (event === register) {
      const isTaken = effects.includes('keepPackage');
      assert.is(effects.includes('refuseRegistration'), !isTaken, 'taken or refused');
      assert.is(isTaken, !['withdrawing', 'draining'].includes(state));
      const isAtOnce = ['preparing', 'replacing', 'recovering', 'stranded'].includes(state);
      assert.is(effects.includes('supersedeRegistrations'), isAtOnce, 'the older is told at once');
    }
    if (event === unregister) assert.ok(effects.includes('awaitRemoval'));
    if (event === deviceLost && state !== 'registering') {
      assert.ok(effects.includes('abandonGenerations'));
    }
  });
}

test('a package that served is tried again for ever, one that never did five times', () => {
  const again: Event[] = [due, preparationLost];
  const rounds = (count: number): Event[] => Array.from({ length: count }, () => again).flat();
  assert.is(walk([...ways['recovering']!, ...rounds(50)]).state, 'recovering');
  assert.is(walk([register, preparationLost, ...rounds(4)]).state, 'recovering');
  assert.is(walk([register, preparationLost, ...rounds(5)]).state, 'failed');
});

test('what a preparation says under a lost device is no verdict on its package', () => {
  const stranded = [register, deviceLost];
  for (const end of [prepared, refused, { type: 'preparation.cancelled' } as const]) {
    const { state, effects } = walk([...stranded, end]);
    assert.is(state, 'recovering');
    assert.not(effects.includes('answerFailed'));
    assert.not(effects.includes('startGeneration'));
  }
});

test('a new package that fails while the old is lost gives way to the old', () => {
  const { state, effects } = walk([...ways['recovering']!, register, refused]);
  assert.is(state, 'recovering');
  assert.ok(effects.includes('revertPackage') && effects.includes('answerFailed'));
});

/** A fact that may come now, from what runs. */
function factOf(model: DeploymentModel, random: SeededRandom, isSmooth: boolean): Event {
  const facts: Event[] = [];
  const goesOn = (event: Event): void => {
    for (let i = isSmooth ? 10 : 2; i > 0; i--) facts.push(event);
  };
  if (model.preparation !== null) {
    const cancelled: Event = { type: 'preparation.cancelled' };
    goesOn(prepared);
    facts.push(refused, preparationLost);
    if (model.preparation.isCancelled) facts.push(cancelled, cancelled);
  }
  for (const [generation, { phase, isAbandoned }] of model.living) {
    facts.push({ type: 'generation.lost', generation, status: { ...status } });
    facts.push({ type: 'generation.lost', generation, status: { ...fault } });
    // What it says crosses with what it is told.
    if (phase === 'loading') facts.push(failedLoad(generation));
    if (phase === 'loading' && !isAbandoned) goesOn(loaded);
    if (phase === 'loaded' && model.current !== generation) {
      facts.push({ type: 'generation.retired', generation });
    }
  }
  if (model.isBackoff) facts.push(due, due);
  if (model.isSteady) facts.push({ type: 'recovery.settled' });
  facts.push(model.isDevice ? deviceLost : { type: 'device.opened' });
  return facts[random.below(facts.length)]!;
}

test('ten thousand histories: the chart and what runs because of it agree at every step', () => {
  for (let seed = 0; seed < 10_000; seed++) history(seed);
});

function history(seed: number): void {
  const random = new SeededRandom(seed);
  const model = new DeploymentModel();
  let { snapshot } = startMachine(table, { lastGeneration: 0 });
  const trace: string[] = [];
  const take = (event: Event): void => {
    model.before(event);
    const step = stepMachine(table, snapshot, event);
    trace.push(`${snapshot.state.name} ${event.type} ${step.snapshot.state.name}`);
    snapshot = step.snapshot;
    const effects = step.effects.map(({ type }) => type);
    try {
      assert.ok(step.isExpected, 'unexpected');
      for (const { type, context } of step.effects) model.apply(type, event, context as Context);
      model.check(event, effects, snapshot.state.name, snapshot.context as Context);
      if (snapshot.status === 'active') checkRequest(snapshot, model);
    } catch (error) {
      throw new Error(`seed ${seed}: ${String(error)}\n${trace.join('\n')}`, { cause: error });
    }
  };
  // Its first registration may have been given up before it came.
  for (let i = random.below(4); i > 0; i--) take(factOf(model, random, false));
  take(random.below(50) === 0 ? unregister : register);
  for (let i = 0; i < 40 && snapshot.status === 'active'; i++) {
    const roll = random.next();
    if (roll < 0.15) take(register);
    else if (roll < 0.17) take(unregister);
    else take(factOf(model, random, seed % 2 === 0));
  }
  if (snapshot.status === 'active') take(unregister);
  // Faults stop: what runs ends as it should.
  for (let i = 0; i < 100 && snapshot.status === 'active'; i++) {
    const [generation] = model.living.keys();
    if (model.preparation !== null) take(prepared);
    else if (generation !== undefined) take({ type: 'generation.retired', generation });
    else break;
  }
  const end = `seed ${seed}\n${trace.join('\n')}`;
  assert.is(snapshot.state.name, 'removed', end);
  assert.is(model.answered, model.registered, end);
  assert.is(model.removalsAnswered, model.removals, end);
}

/** A request that comes now reaches whoever serves, or is told that nobody does. */
function checkRequest(snapshot: MachineSnapshot, { current }: DeploymentModel): void {
  const { effects } = stepMachine(table, snapshot, { type: 'request.submit' });
  const expected = current === 0 ? 'refuseRequest' : 'forwardRequest';
  assert.equal(
    effects.map(({ type }) => type),
    [expected],
  );
}

test.run();
