/** The chart of a specialization in random histories: who uses it, who is told, when it leaves. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { specialization } from '../../../actors/model/specialization.js';
import type { Context } from '../../../actors/model/specialization.machine.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';
import type { SeededRandom } from '../../../runtime/system/seeded-random.js';
import { runHistories, type ChartModel, type ChartStep } from '../chart-history.js';

const STARTS: Record<string, 'resolve' | 'compile' | 'place'> = {
  resolveChoice: 'resolve',
  compileStage: 'compile',
  placeStage: 'place',
};

class StageModel implements ChartModel<Context> {
  readonly input: { readonly isChoice: boolean };
  #users = 0;
  #waiting = 0;
  #isEvicted = false;
  #isUsed = false;
  #pending: 'none' | 'resolve' | 'compile' | 'place' = 'none';
  #isResolved = false;
  #isPlaced = false;

  constructor(random: SeededRandom) {
    this.input = { isChoice: random.below(2) === 0 };
  }

  facts(): MachineEvent[] {
    const use: MachineEvent = { type: 'specialization.use', cohort: 'one' };
    if (!this.#isUsed) return [use];
    const facts: MachineEvent[] = [];
    // Its generation finds it no more once it was told to leave.
    if (!this.#isEvicted) facts.push(use);
    for (let i = 0; i < this.#users; i++) facts.push({ type: 'specialization.release' });
    if (!this.#isEvicted) facts.push({ type: 'specialization.evict' });
    const status = { code: 'invalidArgument', message: 'it does not compile' };
    if (this.#pending !== 'none') facts.push({ type: 'stage.refused', status });
    if (this.#pending === 'resolve') facts.push({ type: 'choice.resolved' });
    if (this.#pending === 'compile') facts.push({ type: 'stage.compiled' });
    if (this.#pending === 'place') facts.push({ type: 'stage.placed' });
    return facts;
  }

  before({ type }: MachineEvent): void {
    if (/^(stage|choice)\./.test(type)) this.#pending = 'none';
    if (type === 'choice.resolved') this.#isResolved = true;
    if (type === 'stage.placed') this.#isPlaced = true;
    if (type === 'specialization.use') this.#users += 1;
    if (type === 'specialization.release') this.#users -= 1;
    if (type === 'specialization.evict') this.#isEvicted = true;
    this.#isUsed = true;
  }

  effect(type: string): void {
    const started = STARTS[type];
    if (started !== undefined) {
      assert.is(this.#pending, 'none', 'one thing at a time');
      if (started === 'resolve') assert.ok(this.input.isChoice && !this.#isResolved);
      else assert.is(this.#isResolved, this.input.isChoice, 'a choice is resolved before');
      this.#pending = started;
    } else if (type === 'noteWaiter') this.#waiting += 1;
    else if (type === 'dropWaiter') this.#waiting -= 1;
    else if (type === 'announceReady' || type === 'announceFailed') this.#waiting = 0;
  }

  check({ event, effects, to }: ChartStep, context: Context): void {
    const { type } = event;
    const has = (effect: string): boolean => effects.includes(effect);
    assert.is(context.users, this.#users, 'who uses it');
    if (type === 'specialization.use') {
      assert.ok(has(this.#isPlaced ? 'answerReady' : 'noteWaiter'), 'each asker is told');
    }
    if (type === 'stage.placed') assert.ok(has('announceReady'), 'it is adopted');
    if (type === 'stage.refused') {
      assert.ok(has('announceFailed'), 'it is forgotten');
      assert.is(context.failure, event['status'], 'everyone hears why');
    }
    const isDecided = this.#isPlaced || type === 'stage.refused';
    if (isDecided) assert.is(this.#waiting, 0, 'nobody waits any more');
    if (!isDecided) assert.is(this.#waiting, this.#users, 'who waits is told, and nobody else');
    if (this.#isUsed && !isDecided) {
      assert.is.not(this.#pending, 'none', 'a compile goes on, or it ends');
    }
    const isUnused = this.#isPlaced && this.#isEvicted && this.#users === 0;
    assert.is(to === 'evicted', isUnused, 'it leaves when nobody uses it, and not before');
    const leaves = isUnused || type === 'stage.refused';
    assert.is(has('unloadStage'), leaves, 'nothing of it stays on the device');
  }

  end(state: string): void {
    if (state === 'evicted' || state === 'failed')
      assert.is(this.#pending, 'none', 'all is joined');
  }
}

test('two thousand histories: a compile is joined, and the stage leaves after its last user', () => {
  const model = (random: SeededRandom): StageModel => new StageModel(random);
  const reached = runHistories({ table: specialization.table, model, histories: 2_000 });
  for (const state of ['resolving', 'placing', 'ready', 'evicted', 'failed']) {
    assert.ok((reached.get(state) ?? 0) > 100, state);
  }
});

test.run();
