/**
 * Removing a transition, a guard or a ledger update is noticed: of all mutants of the machines and
 * the books, but those with a reason to survive, fixed seeds draw thirty; each must break a law of
 * the simulation or fail the test that owns it. `npm run sim -- --mutants` tries them all. Takes
 * its CPU mostly in processes of its own. time limit: 180 s
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { simulate } from './simulation.js';
import { allMutants, MutantRuns, sample } from './mutant-runs.js';
import { reasonToSurvive, staleReasons } from './mutant-survivors.js';

/** Each draws this many of its kind. */
const draws = [
  { what: 'transitions', seed: 11, pattern: /: removed$/, count: 8 },
  { what: 'guards', seed: 12, pattern: /: without its guard$/, count: 8 },
  { what: 'actions', seed: 13, pattern: /: without (?!its guard)/, count: 8 },
  { what: 'updates of books', seed: 14, pattern: /: left out$/, count: 6 },
];
const SEEDS = 24;
const TRIES = 3;

test('thirty sampled mutants are noticed', () => {
  const runs = new MutantRuns(
    Array.from({ length: SEEDS }, (_, i) => 1 + i),
    TRIES,
  );
  const due = allMutants().filter(({ name }) => reasonToSurvive(name) === null);
  const drawn = draws.flatMap(({ what, seed, pattern, count }) => {
    console.log(`${count} ${what}, drawn by seed ${seed}`);
    const kind = due.filter(({ name }) => pattern.test(name));
    return sample(kind, count, seed);
  });
  const verdicts = runs.judge(drawn);
  for (const { mutant, by } of verdicts) console.log(`  ${mutant}: ${by ?? 'survives'}`);
  assert.is(verdicts.length, 30);
  assert.equal(
    verdicts.filter(({ by }) => by === null),
    [],
  );
});

test('every reason to survive is about a mutant that there is', () => {
  assert.equal(staleReasons(allMutants().map(({ name }) => name)), []);
});

test('a mutant is taken back: the same seed gives the same run before and after', () => {
  const before = simulate({ seed: 3 }).hash;
  const mutants = sample(allMutants(), 40, 15);
  for (const mutant of mutants) mutant.apply()();
  assert.is(simulate({ seed: 3 }).hash, before);
});

test.run();
