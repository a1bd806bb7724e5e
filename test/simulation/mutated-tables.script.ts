/**
 * `node mutated-tables.script.js`, with the names of mutants of machines and books as lines of its
 * input: for each, who notices it without whole servers. The tests that own the machine or book,
 * evaluated anew each time, then all states of the charts in small scopes. Mutants live in one
 * thread, so tests that start threads prove nothing here.
 */
import { readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { breachOf } from '../exploration/explorations.js';
import { STILL_AT_IT, VERDICTS } from './judging-process.js';
import type { Mutant } from './machine-mutants.js';
import { ownersOf } from './mutant-owners.js';
import { allMutants } from './mutant-runs.js';
import { TestQueue } from './test-queue.js';

const tests = join(import.meta.dirname, '..');
const queue = await TestQueue.open();
const mutants = new Map(allMutants().map((mutant) => [mutant.name, mutant]));
const say = (line: string): void => void writeSync(VERDICTS, `${line}\n`);

say(STILL_AT_IT);
for (const [turn, name] of readFileSync(0, 'utf8').split('\n').entries()) {
  say(await noticed(mutants.get(name)!, turn));
}

async function noticed({ name, machine, apply }: Mutant, turn: number): Promise<string> {
  const undo = apply();
  try {
    for (const file of ownersOf(name)) {
      if (await queue.fails(`${pathToFileURL(join(tests, file)).href}?${turn}`)) return file;
    }
    if (machine !== null && isExplored(machine)) return 'all states';
  } finally {
    undo();
  }
  return '';
}

/** A breach, or a chart that throws. */
function isExplored(machine: string): boolean {
  try {
    return breachOf(machine) !== null;
  } catch {
    return true;
  }
}
