/**
 * `npm run sim -- --seeds N --from S [--faults a,b] [--trace] [--all]`: simulates seeds and stops
 * at the first that breaks a law; prints that seed, the laws and one line an event. With `--all` it
 * goes on and prints a line a broken seed. `--mutants` tries every mutant instead, each under
 * `--tries` of the seeds and then with the tests that own it, and prints those that nobody notices
 * and why they may (exit 1 where there is no reason, or one for what is noticed); `--counts` says
 * how often each transition was taken. `--scenario NAME` (or `all`) plays a scenario of
 * `scenarios/` under each seed, with every law.
 */
import { parseArgs } from 'node:util';
import { faultKinds, simulate, type FaultKind, type Outcome } from './simulation.js';
import { laws } from './laws.js';
import { transitionCounts } from './machine-mutants.js';
import { allMutants, MutantRuns } from './mutant-runs.js';
import { reasonToSurvive, staleReasons } from './mutant-survivors.js';
import { playSeeds } from './scenario-seeds.js';

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
    scenario: { type: 'string' },
  },
});
const faults = values.faults.split(',').filter((name) => name !== '') as FaultKind[];
const from = Number(values.from);
const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => from + i);

process.exitCode = await main();

async function main(): Promise<number> {
  const unknown = faults.filter((name) => !faultKinds.includes(name));
  if (unknown.length > 0) {
    console.error(`no fault ${unknown.join(', ')}; faults: ${faultKinds.join(', ')}`);
    return 2;
  }
  if (values.mutants) return runMutants();
  if (values.counts) return countTransitions();
  if (values.scenario !== undefined) return runScenarios(values.scenario);
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
  const mutants = allMutants();
  const noticed = new Map<string, number>();
  const wrong: string[] = staleReasons(mutants.map(({ name }) => name));
  let survivors = 0;
  for (const { mutant, by, tried } of runs.judge(mutants)) {
    const reason = reasonToSurvive(mutant);
    if (by !== null) noticed.set(by, (noticed.get(by) ?? 0) + 1);
    else survivors += 1;
    if (values.trace || by === null) {
      console.log(`${mutant}: ${by ?? `survives (${reason})`} after ${tried} seeds`);
    }
    if (by === null && reason === null) wrong.push(`${mutant}: survives without a reason`);
    if (by !== null && reason !== null) wrong.push(`${mutant}: ${by} notices it`);
  }
  for (const place of runs.untaken()) console.log(`never taken: ${place}`);
  for (const [by, count] of noticed) console.log(`${by} noticed ${count}`);
  for (const line of wrong) console.log(`wrong: ${line}`);
  console.log(`${mutants.length} mutants, ${survivors} survive; seeds ${from} to ${seeds.at(-1)}`);
  return wrong.length > 0 ? 1 : 0;
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

async function runScenarios(name: string): Promise<number> {
  let broken = 0;
  for await (const { scenario, played, lines } of playSeeds(name, seeds, values.trace)) {
    for (const line of lines) console.log(line);
    console.log(
      `${scenario}: ${played} seeds from ${from}, ${lines.length > 0 ? 'broken' : 'holds'}`,
    );
    if (lines.length > 0) broken += 1;
  }
  return broken > 0 ? 1 : 0;
}
