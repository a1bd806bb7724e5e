/**
 * `node mutated-servers.script.js SEEDS TRIES`, with the names of mutants of machines and books as
 * lines of its input: for each, the law that whole servers break with it under seeds.
 */
import { readFileSync, writeSync } from 'node:fs';
import { STILL_AT_IT, VERDICTS } from './judging-process.js';
import { allMutants, MutantRuns, variedRuns } from './mutant-runs.js';

const [seeds, tries] = process.argv.slice(2).map(Number) as [number, number];
const say = (line: string): void => void writeSync(VERDICTS, `${line}\n`);
const mutants = new Map(allMutants().map((mutant) => [mutant.name, mutant]));
say(STILL_AT_IT);
const runs = new MutantRuns(variedRuns(seeds), { tries, onRun: () => say(STILL_AT_IT) });
for (const name of readFileSync(0, 'utf8').split('\n')) {
  say(runs.lawAgainst(mutants.get(name)!) ?? '');
}
