/**
 * Removing a transition, a guard or a ledger update is noticed: of all mutants of the machines, the
 * books and the ledgers, but those with a reason to survive, fixed seeds draw thirty; each must
 * break a law or fail the test that owns it. `npm run mutants` tries them all.
 * Takes its CPU mostly in processes of its own. time limit: 180 s
 */
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { judgeSources, judgeTables, type Hears } from './judging-process.js';
import { simulate } from './simulation.js';
import { allMutants, sample } from './mutant-runs.js';
import { reasonToSurvive, staleReasons } from './mutant-survivors.js';
import { sourceMutants } from './source-mutants.js';

/** Each draws this many of its kind. */
const draws = [
  { what: 'transitions', seed: 11, pattern: /: removed$/, count: 8 },
  { what: 'guards', seed: 12, pattern: /: without its guard$/, count: 8 },
  { what: 'actions', seed: 13, pattern: /: without (?!its guard)/, count: 7 },
  { what: 'updates of books', seed: 14, pattern: /: left out$/, count: 3 },
];
const SOURCES = 4;
const SEEDS = 8;
const TRIES = 3;

const ledgers = sourceMutants(join(import.meta.dirname, '../..')).map(({ name }) => name);

const survivors: string[] = [];
const hears: Hears = (mutant, by) => {
  console.log(`  ${mutant}: ${by ?? 'survives'}`);
  if (by === null) survivors.push(mutant);
};

test('sampled mutants of machines and books are noticed', async () => {
  const due = allMutants().filter(({ name }) => reasonToSurvive(name) === null);
  const drawn = draws.flatMap(({ what, seed, pattern, count }) => {
    console.log(`${count} ${what}, drawn by seed ${seed}`);
    const kind = due.filter(({ name }) => pattern.test(name));
    return sample(kind, count, seed).map(({ name }) => name);
  });
  assert.is(drawn.length, 26);
  await judgeTables(drawn, { seeds: SEEDS, tries: TRIES }, hears);
  assert.equal(survivors.splice(0), []);
});

test('sampled mutants of ledgers are noticed', async () => {
  const due = ledgers.filter((name) => reasonToSurvive(name) === null);
  const drawn = sample(due, SOURCES, 15);
  await judgeSources(drawn, hears);
  assert.equal(survivors.splice(0), []);
});

test('every reason to survive is about a mutant that there is', () => {
  const names = [...allMutants().map(({ name }) => name), ...ledgers];
  assert.equal(staleReasons(names), []);
});

test('a mutant is taken back: the same seed gives the same run before and after', () => {
  const run = { seed: 3, only: 'finite' } as const;
  const before = simulate(run).hash;
  const mutants = sample(allMutants(), 40, 15);
  for (const mutant of mutants) mutant.apply()();
  assert.is(simulate(run).hash, before);
});

test.run();
