/**
 * `node mutated-sources.script.js`, with the names of source mutants as lines of its input: for
 * each, who notices it: runs the tests of its file with the change in force, then whole servers
 * under a few seeds.
 */
import { readFileSync, writeSync } from 'node:fs';
import { register } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { STILL_AT_IT, VERDICTS } from './judging-process.js';
import type { HookData } from './mutant-hooks.js';
import { profiles } from './profiles.js';
import type * as Simulation from './simulation.js';
import { ledgers, sourceMutants, type SourceMutant } from './source-mutants.js';
import { TestQueue } from './test-queue.js';

/** Of each profile. */
const SEEDS = 8;
const folder = join(import.meta.dirname, '../..');
const build = `${pathToFileURL(folder).href}/`;
const queue = await TestQueue.open();

const known = new Map(sourceMutants(folder).map((mutant) => [mutant.name, mutant]));
const names = readFileSync(0, 'utf8').split('\n');
const mutants = names.map((name) => known.get(name)!);
register('./mutant-hooks.js', import.meta.url, { data: { build, mutants } satisfies HookData });
const say = (line: string): void => void writeSync(VERDICTS, `${line}\n`);
say(STILL_AT_IT);
for (const [turn, mutant] of mutants.entries()) {
  say((await failingTest(mutant, turn)) ?? (await brokenLaw(turn)) ?? '');
}
process.exit(0);

async function failingTest({ file }: SourceMutant, turn: number): Promise<string | null> {
  for (const test of ledgers[file]!) {
    if (await queue.fails(`${build}test/${test}?${turn}`)) return test;
  }
  return null;
}

async function brokenLaw(turn: number): Promise<string | null> {
  try {
    const url = `${build}test/simulation/simulation.js?${turn}`;
    const { simulate } = (await import(url)) as typeof Simulation;
    for (let seed = 1; seed <= SEEDS; seed++) {
      for (const profile of Object.values(profiles)) {
        const [broken] = simulate({ ...profile, seed }).violations;
        if (broken !== undefined) return broken.law;
      }
    }
    return null;
  } catch {
    return 'an assertion';
  }
}
