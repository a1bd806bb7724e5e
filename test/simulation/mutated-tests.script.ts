/**
 * `node mutated-tests.script.js FILE`, with the names of mutants as lines of its input: runs a test
 * file once for each, with that mutant in force, and writes `1` to descriptor 3 when it fails, `0`
 * when it passes. The file is evaluated anew each time, what it imports is not: it must step the
 * tables of the actors, or use the books. Mutants live in one thread, so files that start threads
 * prove nothing here.
 */
import { readFileSync, writeSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { allMutants } from './mutant-runs.js';
import { TestQueue } from './test-queue.js';

const VERDICTS = 3;
const file = pathToFileURL(process.argv[2]!).href;
const queue = await TestQueue.open();
const mutants = new Map(allMutants().map((mutant) => [mutant.name, mutant]));
for (const [turn, name] of readFileSync(0, 'utf8').split('\n').entries()) {
  const undo = mutants.get(name)!.apply();
  const isBroken = await queue.fails(`${file}?${turn}`);
  undo();
  writeSync(VERDICTS, isBroken ? '1' : '0');
}
