/**
 * The chart of a deployment, stepped without actors: every state meets the loss of what it has, a
 * registration and a removal, and ends where the chart says; and in ten thousand random histories
 * no registration and no removal is forgotten.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { machine, type Event } from '../../../actors/model/deployment.machine.js';
import type { Context } from '../../../actors/model/deployment-context.js';
import { SeededRandom } from '../../../runtime/system/seeded-random.js';
import { compileMachine } from '../../../runtime/system/machine-table.js';
import { startMachine, stepMachine } from '../../../runtime/system/machine-step.js';
import type { MachineSnapshot } from '../../../runtime/system/machine-step.js';

const table = compileMachine(machine);
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
  ['stranded', deviceLost, 'stranded'],
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
    if (event === deviceLost) assert.ok(effects.includes('abandonGenerations'));
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

/** What the host would have: registrations that wait, each with the number of its package. */
class Waiters {
  waiting: number[] = [];
  next: number[] = [];
  registered = 0;
  answered = 0;
  removals = 0;
  removalsAnswered = 0;
  /** The package in preparation or loading. */
  started = 0;
  /** Preparations and generations that run, which will tell their end. */
  preparing = false;
  readonly generations = new Map<number, 'loading' | 'loaded'>();
  isTimed = false;

  apply(effect: string, event: Event, { generation }: Context): void {
    if (effect === 'keepPackage') {
      this.registered += 1;
      this.answered += this.next.length;
      this.next = [this.registered];
    } else if (effect === 'supersedeRegistrations') {
      this.#answerWaiting();
    } else if (effect === 'answerReady' || effect === 'answerFailed') {
      for (const number of this.waiting) assert.is(number, this.started, 'told of its own package');
      this.#answerWaiting();
    } else if (effect === 'startPreparation') {
      assert.not(this.preparing, 'one preparation at a time');
      this.preparing = true;
      if (this.next.length > 0) this.#answerWaiting();
      this.waiting.push(...this.next);
      this.started = this.next[0] ?? this.started;
      this.next = [];
    } else if (effect === 'startGeneration') this.generations.set(generation, 'loading');
    else if (effect === 'forgetGeneration' && 'generation' in event)
      this.generations.delete(event.generation);
    else if (effect === 'startBackoff') this.isTimed = true;
    else if (effect === 'cancelBackoff') this.isTimed = false;
    else if (effect === 'awaitRemoval') this.removals += 1;
    else if (effect === 'announceRemoved') {
      this.answered += this.next.length;
      this.next = [];
      this.#answerWaiting();
      this.removalsAnswered = this.removals;
    }
  }

  #answerWaiting(): void {
    this.answered += this.waiting.length;
    this.waiting = [];
  }
}

/** A fact that may come now, from what runs. */
function factOf(waiters: Waiters, context: Context, random: () => number): Event | null {
  const facts: Event[] = [];
  if (waiters.preparing) {
    facts.push(prepared, prepared, refused, preparationLost);
    facts.push({ type: 'preparation.cancelled' });
  }
  for (const [generation, phase] of waiters.generations) {
    facts.push(lost(generation));
    if (phase === 'loading' && context.candidate === generation) {
      facts.push(loaded, loaded, failedLoad(generation));
    } else if (phase === 'loaded' && context.current !== generation) {
      facts.push({ type: 'generation.retired', generation });
    }
  }
  if (waiters.isTimed) facts.push(due);
  facts.push(context.device ? deviceLost : { type: 'device.opened' });
  return facts[Math.floor(random() * facts.length)] ?? null;
}

test('ten thousand histories: at the end every registration and removal was answered', () => {
  for (let seed = 0; seed < 10_000; seed++) history(seed);
});

function history(seed: number): void {
  const random = new SeededRandom(seed);
  const next = (): number => random.next();
  const waiters = new Waiters();
  let { snapshot } = startMachine(table, { lastGeneration: 0 });
  const trace: string[] = [];
  const take = (event: Event): void => {
    const { context: before } = snapshot as { context: Context };
    if (event.type.startsWith('preparation.')) waiters.preparing = false;
    if (event === loaded) waiters.generations.set(before.candidate, 'loaded');
    if (event === due) waiters.isTimed = false;
    const step = stepMachine(table, snapshot, event);
    trace.push(`${snapshot.state.name} ${event.type} ${step.snapshot.state.name}`);
    assert.ok(step.isExpected, `seed ${seed}: unexpected\n${trace.join('\n')}`);
    for (const { type, context } of step.effects) waiters.apply(type, event, context as Context);
    snapshot = step.snapshot;
    const { current, living } = snapshot.context as Context;
    assert.is(living, waiters.generations.size, `seed ${seed}: living\n${trace.join('\n')}`);
    const accepts = snapshot.state.tags.has('accepting');
    assert.is(accepts, accepts && current !== 0, `seed ${seed}: who serves?\n${trace.join('\n')}`);
  };
  take(register);
  for (let i = 0; i < 40 && snapshot.status === 'active'; i++) {
    const roll = next();
    if (roll < 0.15) take(register);
    else if (roll < 0.17) take(unregister);
    else take(factOf(waiters, snapshot.context as Context, next)!);
  }
  if (snapshot.status === 'active') take(unregister);
  // Faults stop: what runs ends as it should.
  for (let i = 0; i < 100 && snapshot.status === 'active'; i++) {
    const [generation] = waiters.generations.keys();
    if (waiters.preparing) take(prepared);
    else if (generation !== undefined) take({ type: 'generation.retired', generation });
    else break;
  }
  const end = `seed ${seed}\n${trace.join('\n')}`;
  assert.is(snapshot.state.name, 'removed', end);
  assert.is(waiters.answered, waiters.registered, end);
  assert.is(waiters.removalsAnswered, waiters.removals, end);
}

test.run();
