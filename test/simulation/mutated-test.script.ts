/**
 * `node mutated-test.script.js "NAME OF A MUTANT" FILE`: runs a test file, which steps the tables
 * of the actors or uses the books, while the mutant is in force. Ends as the test ends. Mutants
 * live in one thread, so files that start threads prove nothing here.
 */
import { pathToFileURL } from 'node:url';
import { allMutants } from './mutant-runs.js';

const [, , name, file] = process.argv;
const mutant = allMutants().find((one) => one.name === name);
if (mutant === undefined || file === undefined) {
  console.error(`no mutant '${name}', or no file`);
  process.exitCode = 2;
} else {
  mutant.apply();
  await import(pathToFileURL(file).href);
}
