/**
 * `node mutated-sources.script.js`, with the names of source mutants as lines of its input: for
 * each, runs the tests of its file with the change in force, then whole servers under a few seeds,
 * and writes `1` to descriptor 3 when one of them notices, `0` when none does.
 */
import { readFileSync, writeSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { HookData } from './mutant-hooks.js';
import { profiles } from './profiles.js';
import type * as Simulation from './simulation.js';
import { ledgers, sourceMutants, type SourceMutant } from './source-mutants.js';
import { TestQueue } from './test-queue.js';

const VERDICTS = 3;
/** Of each profile. */
const SEEDS = 8;
const folder = join(import.meta.dirname, '../..');
const build = `${pathToFileURL(folder).href}/`;
const queue = await TestQueue.open();

const known = new Map(sourceMutants(folder).map((mutant) => [mutant.name, mutant]));
const names = readFileSync(0, 'utf8').split('\n');
const mutants = names.map((name) => known.get(name)!);
register('./mutant-hooks.js', import.meta.url, { data: { build, mutants } satisfies HookData });
for (const [turn, mutant] of mutants.entries()) {
  const isNoticed = (await isBroken(mutant, turn)) || (await breaksLaws(turn));
  writeSync(VERDICTS, isNoticed ? '1' : '0');
}
process.exit(0);

async function isBroken({ file }: SourceMutant, turn: number): Promise<boolean> {
  for (const test of ledgers[file]!) {
    if (await queue.fails(`${build}test/${test}?${turn}`)) return true;
  }
  return false;
}

async function breaksLaws(turn: number): Promise<boolean> {
  try {
    const url = `${build}test/simulation/simulation.js?${turn}`;
    const { simulate } = (await import(url)) as typeof Simulation;
    for (let seed = 1; seed <= SEEDS; seed++) {
      for (const profile of Object.values(profiles)) {
        if (simulate({ ...profile, seed }).violations.length > 0) return true;
      }
    }
    return false;
  } catch {
    return true;
  }
}
