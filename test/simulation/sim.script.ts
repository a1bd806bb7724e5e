/**
 * `npm run sim -- --seeds N --from S [--faults a,b] [--trace] [--all]`: simulates seeds and stops
 * at the first that breaks a law; prints that seed, the laws and one line an event. With `--all` it
 * goes on and prints a line a broken seed. `--mutants` tries every mutant instead, each under
 * `--tries` of the seeds, and prints those that no law notices and what no seed reaches; `--counts`
 * says how often each transition was taken.
 */
import { parseArgs } from 'node:util';
import { faultKinds, simulate, type FaultKind, type Outcome } from './simulation.js';
import { laws } from './laws.js';
import { transitionCounts } from './machine-mutants.js';
import { MutantRuns } from './mutant-runs.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    faults: { type: 'string', default: faultKinds.join(',') },
    trace: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    mutants: { type: 'boolean', default: false },
    tries: { type: 'string', default: '8' },
    counts: { type: 'boolean', default: false },
  },
});
const faults = values.faults.split(',').filter((name) => name !== '') as FaultKind[];
const from = Number(values.from);
const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => from + i);

process.exitCode = main();

function main(): number {
  const unknown = faults.filter((name) => !faultKinds.includes(name));
  if (unknown.length > 0) {
    console.error(`no fault ${unknown.join(', ')}; faults: ${faultKinds.join(', ')}`);
    return 2;
  }
  if (values.mutants) return runMutants();
  if (values.counts) return countTransitions();
  return runSeeds();
}

function runSeeds(): number {
  const started = performance.now();
  let steps = 0;
  let answered = 0;
  let broken = 0;
  for (const seed of seeds) {
    const outcome = simulate({ seed, faults, withTrace: values.trace });
    steps += outcome.steps;
    answered += outcome.answered;
    for (const line of outcome.trace) console.log(line);
    if (outcome.violations.length === 0) continue;
    broken += 1;
    if (!values.all) {
      explain(outcome);
      break;
    }
    const [first] = outcome.violations;
    console.log(`seed ${seed}: ${first!.law}: ${first!.detail}`);
  }
  const tookS = (performance.now() - started) / 1000;
  console.log(
    `${seeds.length} seeds from ${from}: ${broken} broken, ${steps} steps, ${answered} answers, ` +
      `${tookS.toFixed(1)} s`,
  );
  return broken > 0 ? 1 : 0;
}

/** The same seed once more, with its trace: a line an event, and what broke at its place. */
function explain({ seed, faults: used, violations }: Outcome): void {
  if (!values.trace) {
    for (const line of simulate({ seed, faults, withTrace: true }).trace) console.log(line);
  }
  console.log(`\nseed ${seed} (faults: ${used.join(', ')}) breaks`);
  for (const { law, detail } of violations) {
    console.log(`  ${law}: ${laws[law]}\n      ${detail}`);
  }
  console.log(`again: npm run sim -- --from ${seed} --seeds 1 --faults ${faults.join(',')}`);
}

function runMutants(): number {
  const runs = new MutantRuns(seeds, Number(values.tries));
  const mutants = runs.reachable();
  const byLaw = new Map<string, number>();
  let survivors = 0;
  for (const mutant of mutants) {
    const { law, tried } = runs.judge(mutant);
    if (law !== null) byLaw.set(law, (byLaw.get(law) ?? 0) + 1);
    else survivors += 1;
    if (values.trace || law === null) {
      console.log(`${mutant.name}: ${law ?? 'survives'} (${tried} seeds)`);
    }
  }
  for (const [law, count] of byLaw) console.log(`${law} noticed ${count}`);
  for (const place of runs.untaken()) console.log(`never taken: ${place}`);
  console.log(`${mutants.length} mutants, ${survivors} survive; seeds ${from} to ${seeds.at(-1)}`);
  return 0;
}

function countTransitions(): number {
  const counts = transitionCounts(() => {
    for (const seed of seeds) simulate({ seed, faults });
  });
  for (const [name, count] of [...counts].sort(([, a], [, b]) => a - b)) {
    console.log(`${count} ${name}`);
  }
  return 0;
}
