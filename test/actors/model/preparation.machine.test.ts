/** A cancel of a preparation joins what was started, whenever it comes. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { preparation } from '../../../actors/model/preparation.js';
import { runHistories, type ChartModel, type ChartStep } from '../chart-history.js';
import type { Context } from '../../../actors/model/preparation.machine.js';
import { startMachine, stepMachine } from '../../../runtime/system/machine-step.js';
import type { MachineEvent } from '../../../runtime/system/machine-event.js';

const { table } = preparation;

/** The states after each event. */
function statesAfter(...events: readonly MachineEvent[]): string[] {
  let { snapshot } = startMachine(table);
  return events.map((event) => {
    const step = stepMachine(table, snapshot, event);
    assert.ok(step.isExpected, `${event.type} in ${snapshot.state.name}`);
    snapshot = step.snapshot;
    return snapshot.state.name;
  });
}

const compiling: MachineEvent[] = [{ type: 'stages.declared' }];
const cancel: MachineEvent = { type: 'preparation.cancel' };
const started: MachineEvent = { type: 'artefacts.started', count: 1 };
const ready: MachineEvent = { type: 'artefact.ready' };

test('a cancel before the compiles are counted waits for all of them', () => {
  const states = statesAfter(...compiling, cancel, started, ready);
  assert.equal(states.slice(1), ['joining', 'joining', 'cancelled']);
});

test('a cancel before the loads are counted waits for all of them', () => {
  const states = statesAfter(...compiling, started, ready, cancel, started, ready);
  assert.equal(states.slice(2), ['placing', 'joining', 'joining', 'cancelled']);
});

test('what was asked before the compiles, and is there before they are counted, counts', () => {
  const two: MachineEvent = { type: 'artefacts.started', count: 2 };
  const early = statesAfter(ready, ...compiling, two, ready);
  assert.equal(early, ['declaring', 'compiling', 'compiling', 'placing']);
  const between = statesAfter(...compiling, ready, two, ready);
  assert.equal(between, ['compiling', 'compiling', 'compiling', 'placing']);
});

test('a refused compile waits for the others and fails', () => {
  const two: MachineEvent = { type: 'artefacts.started', count: 2 };
  const status = { code: 'internal', message: 'it does not compile' };
  const refused: MachineEvent = { type: 'artefact.refused', status };
  assert.equal(statesAfter(...compiling, two, refused, ready).slice(2), ['joining', 'failed']);
});

/** What runs: compiles, then loads, each answered once; the count of them comes as a message. */
class PreparationModel implements ChartModel<Context> {
  #steps: MachineEvent[] = [];
  #pending = 0;
  #isPlacing = false;
  #isCancelled = false;
  #failure: unknown = null;
  readonly #count: number;

  constructor(count: number) {
    this.#count = count;
  }

  facts(): MachineEvent[] {
    const facts: MachineEvent[] = [cancel];
    const isWaiting = this.#steps.length > 0 || this.#pending > 0;
    if (!isWaiting) return facts;
    // Its own messages come before any answer.
    if (this.#steps.length > 0) return [...facts, ...Array<MachineEvent>(9).fill(this.#steps[0]!)];
    facts.push(...Array<MachineEvent>(9).fill(ready));
    return [...facts, { type: 'artefact.refused', status: { code: 'internal', message: 'no' } }];
  }

  before({ type, status }: MachineEvent & { status?: unknown }): void {
    if (type === 'preparation.cancel') this.#isCancelled = true;
    else if (type.startsWith('artefact.')) this.#pending -= 1;
    else this.#steps.shift();
    // Once it is cancelled nobody asks for reasons.
    if (status !== undefined && !this.#isCancelled) this.#failure ??= status;
  }

  effect(type: string): void {
    const refused: MachineEvent = { type: 'package.refused', status: { code: 'internal' } };
    const isRefused = this.#count % 5 === 4;
    if (type === 'declareStages') {
      this.#steps.push(isRefused ? refused : { type: 'stages.declared' });
    } else if (type === 'compileArtefacts' || type === 'placeArtefacts') {
      assert.is(this.#pending, 0, 'the one is over before the other begins');
      assert.ok(type === 'compileArtefacts' || !this.#isCancelled, 'nobody wants it');
      this.#isPlacing = type === 'placeArtefacts';
      this.#pending = this.#count;
      this.#steps.push({ type: 'artefacts.started', count: this.#count });
    }
  }

  check({ effects, to }: ChartStep, { failure }: Context): void {
    const has = (effect: string): boolean => effects.includes(effect);
    assert.is(failure, this.#failure, 'the first reason is told');
    const isOver = ['prepared', 'cancelled', 'failed'].includes(to);
    if (isOver) assert.is(this.#pending, 0, 'what was accepted is joined');
    const isReady = this.#isPlacing && this.#failure === null && !this.#isCancelled;
    assert.is(has('handOver'), isReady && this.#pending === 0 && this.#steps.length === 0);
    assert.is(has('announceFailed'), isOver && this.#failure !== null);
    assert.is(has('announceCancelled'), isOver && this.#failure === null && this.#isCancelled);
    // Files are open from the start.
    if (isOver) assert.ok(has('handOver') || has('unloadArtefacts'));
    const isWanted = this.#failure === null && !this.#isCancelled;
    if (isWanted && this.#pending === 0 && this.#steps.length === 0) assert.ok(has('handOver'));
    if (!isWanted && this.#pending === 0) assert.ok(isOver, 'nothing is left to wait for');
  }

  end(): void {}
}

test('two thousand histories: all is joined, and one end is announced', () => {
  const reached = runHistories({
    table,
    model: (random) => new PreparationModel(1 + random.below(5)),
    histories: 2_000,
  });
  for (const state of ['prepared', 'cancelled', 'failed', 'joining']) {
    assert.ok((reached.get(state) ?? 0) > 100, state);
  }
});

test.run();
