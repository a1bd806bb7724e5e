/**
 * Simulated servers under a fixed set of seeds: no law breaks, every state of a request sees its
 * cancel, and a seed is a run: the same again, to the last step. `npm run sim` tries more seeds.
 * time limit: 180 s
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { profiles } from './profiles.js';
import {
  faultKinds,
  simulate,
  type FaultKind,
  type Outcome,
  type SimulationOptions,
} from './simulation.js';

function simulateAll(
  from: number,
  seeds: number,
  faults?: readonly FaultKind[],
  profile: Partial<SimulationOptions> = {},
): Outcome[] {
  return Array.from({ length: seeds }, (_, i) => {
    const outcome = simulate({ ...profile, seed: from + i, faults });
    const broken = outcome.violations.map(({ law, detail }) => `${law}: ${detail}`);
    const again = `npm run sim -- --from ${outcome.seed} --seeds 1`;
    assert.equal(broken, [], `seed ${outcome.seed} with ${outcome.faults.join(',')}: ${again}`);
    return outcome;
  });
}

const sum = (outcomes: readonly Outcome[], of: (outcome: Outcome) => number): number =>
  outcomes.reduce((total, outcome) => total + of(outcome), 0);

test('no law breaks while anything goes, and everything ends when faults stop', () => {
  const outcomes = simulateAll(1, 40);
  assert.ok(sum(outcomes, ({ answered }) => answered) > 300, 'too few answers to prove anything');
  assert.ok(sum(outcomes, ({ shared }) => shared) > 150, 'too few shared cohorts');
  assert.ok(sum(outcomes, ({ compiles }) => compiles) > 200, 'too few compiles');
  const used = new Set(outcomes.flatMap(({ faults }) => faults));
  assert.equal([...used].sort(), [...faultKinds].sort());
});

test('banks that do not fit beside each other take turns, whatever is cancelled or not read', () => {
  const outcomes = simulateAll(3_001, 15, [
    'memory',
    'read',
    'warm',
    'deactivate',
    'cancel',
    'deadline',
  ]);
  const tight = outcomes.filter(({ faults }) => faults.includes('memory'));
  assert.ok(sum(tight, ({ evictions }) => evictions) > 30, 'too few evictions');
  assert.ok(sum(outcomes, ({ activations }) => activations) > 100, 'too few activations');
  const unread = sum(outcomes, ({ faults }) => (faults.includes('read') ? 1 : 0));
  assert.ok(unread > 5, 'too few seeds with reads that fail');
});

test('texts: whatever shares an epoch, gives up its pages or fails, a row says what it says alone', () => {
  const outcomes = simulateAll(4_001, 24, [
    'text',
    'cancel',
    'failure',
    'replace',
    'loss',
    'queue',
  ]);
  assert.ok(sum(outcomes, ({ told }) => told) > 80, 'too few turns to prove anything');
  assert.ok(sum(outcomes, ({ spansShared }) => spansShared) > 250, 'too few shared epochs');
});

test('texts whose rows do not fit beside each other take turns, whatever fails or leaves', () => {
  const outcomes = simulateAll(5_001, 12, ['text', 'memory', 'cancel', 'failure', 'kill-model']);
  const tight = outcomes.filter(({ faults }) => faults.includes('memory'));
  assert.ok(sum(tight, ({ rowEvictions }) => rowEvictions) > 8, 'too few evictions of rows');
  assert.ok(sum(outcomes, ({ told }) => told) > 50, 'too few turns to prove anything');
});

test('decisions and sequences of known tokens are what their oracles say, whatever goes wrong', () => {
  for (const name of ['decisions', 'sequences'] as const) {
    const outcomes = simulateAll(1, 8, undefined, profiles[name]);
    assert.ok(sum(outcomes, ({ answered }) => answered) > 50, `too few answers of ${name}`);
  }
});

test('a healthy server answers every request', () => {
  const outcomes = simulateAll(1_001, 10, []);
  for (const { seed, answered } of outcomes) assert.ok(answered >= 12, `seed ${seed}: ${answered}`);
});

test('requests are cancelled in every state in which they can be', () => {
  const outcomes = simulateAll(2_001, 12, ['cancel', 'deadline', 'wicked', 'failure']);
  const states = new Set(outcomes.flatMap(({ cancelledIn }) => cancelledIn));
  for (const state of ['preparing', 'waiting', 'inCohort']) {
    assert.ok(states.has(state), `no cancel in ${state}, only in ${[...states].join(', ')}`);
  }
});

test('a seed is a run', () => {
  for (const seed of [7, 8]) {
    const once = simulate({ seed });
    const again = simulate({ seed, withTrace: true });
    assert.is(again.hash, once.hash);
    assert.ok(again.trace.length > 500);
    assert.equal(simulate({ seed, withTrace: true }).trace, again.trace);
    assert.is.not(simulate({ seed: seed + 100 }).hash, once.hash);
  }
});

test.run();
