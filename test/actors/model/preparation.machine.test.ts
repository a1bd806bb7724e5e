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

const status = { code: 'internal', message: 'no' };
const refused: MachineEvent = { type: 'artefact.refused', status };
const answers: readonly MachineEvent[] = [ready, refused];

/**
 * What runs: compiles, then loads, each answered once; the count of them comes as a message. Files
 * are kept from the start on, which is answered whenever it may, and counts among the compiles.
 */
class PreparationModel implements ChartModel<Context> {
  #steps: MachineEvent[] = [];
  #pending = 0;
  #isPlacing = false;
  #isCancelled = false;
  #failure: unknown = null;
  readonly #count: number;
  readonly #hasFiles: boolean;
  #isKeeping = false;
  #isDeclaring = true;

  constructor(count: number, hasFiles: boolean) {
    this.#count = count;
    this.#hasFiles = hasFiles;
  }

  facts(): MachineEvent[] {
    const facts: MachineEvent[] = [cancel];
    const isWaiting = this.#steps.length > 0 || this.#pending > 0 || this.#isKeeping;
    if (!isWaiting) return facts;
    // Its own messages come before the answers to what was asked with them.
    const own = Array<MachineEvent>(9).fill(this.#steps[0]!);
    if (this.#steps.length > 0) return [...facts, ...own, ...(this.#isKeeping ? answers : [])];
    return [...facts, ...Array<MachineEvent>(8).fill(ready), ...answers];
  }

  before({ type, status }: MachineEvent & { status?: unknown }): void {
    if (type === 'preparation.cancel') this.#isCancelled = true;
    else if (!type.startsWith('artefact.')) this.#steps.shift();
    else if (this.#isKeeping) this.#isKeeping = false;
    else this.#pending -= 1;
    this.#isDeclaring &&= type !== 'stages.declared';
    // Once it is cancelled nobody asks for reasons.
    if (status !== undefined && !this.#isCancelled) this.#failure ??= status;
  }

  effect(type: string): void {
    const flawed: MachineEvent = { type: 'package.refused', status };
    const isRefused = this.#count % 5 === 4;
    if (type === 'declareStages') {
      this.#isKeeping = this.#hasFiles && !isRefused;
      this.#steps.push(isRefused ? flawed : { type: 'stages.declared' });
    } else if (type === 'compileArtefacts' || type === 'placeArtefacts') {
      assert.is(this.#pending, 0, 'the one is over before the other begins');
      assert.ok(type === 'compileArtefacts' || !this.#isCancelled, 'nobody wants it');
      this.#isPlacing = type === 'placeArtefacts';
      this.#pending = this.#count;
      const kept = this.#hasFiles && !this.#isPlacing ? 1 : 0;
      this.#steps.push({ type: 'artefacts.started', count: this.#count + kept });
    }
  }

  check({ effects, to }: ChartStep, { failure }: Context): void {
    const has = (effect: string): boolean => effects.includes(effect);
    assert.is(failure, this.#failure, 'the first reason is told');
    const isOver = ['prepared', 'cancelled', 'failed'].includes(to);
    // While it declares, nothing of it runs that a cancel would have to wait for.
    const isOpen = this.#pending > 0 || (this.#isKeeping && !this.#isDeclaring);
    if (isOver) assert.not(isOpen, 'what was accepted is joined');
    const isReady = this.#isPlacing && this.#failure === null && !this.#isCancelled;
    assert.is(has('handOver'), isReady && !isOpen && this.#steps.length === 0);
    assert.is(has('announceFailed'), isOver && this.#failure !== null);
    assert.is(has('announceCancelled'), isOver && this.#failure === null && this.#isCancelled);
    // Files are open from the start.
    if (isOver) assert.ok(has('handOver') || has('unloadArtefacts'));
    const isWanted = this.#failure === null && !this.#isCancelled;
    if (isWanted && !isOpen && this.#steps.length === 0) assert.ok(has('handOver'));
    // What it asked for is counted, all of it or none.
    const isCounted = this.#steps[0]?.type !== 'artefacts.started';
    if (!isWanted && !isOpen && isCounted) assert.ok(isOver, 'nothing is left to wait for');
  }

  end(): void {}
}

test('two thousand histories: all is joined, and one end is announced', () => {
  const reached = runHistories({
    table,
    model: (random) => new PreparationModel(1 + random.below(5), random.below(2) === 0),
    histories: 2_000,
  });
  for (const state of ['prepared', 'cancelled', 'failed', 'joining']) {
    assert.ok((reached.get(state) ?? 0) > 100, state);
  }
});

test.run();
