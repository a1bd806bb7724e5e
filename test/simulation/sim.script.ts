/**
 * `npm run sim -- --seeds N --from S [--profile P] [--faults a,b] [--trace] [--all]`: simulates
 * seeds and stops at the first that breaks a law; shrinks it, prints what is left, the laws and one
 * line an event, and writes a trace that the console opens (`--trace-file`). With `--all` it goes
 * on and prints a line a broken seed. `--without` leaves parts out, as a shrunken seed says;
 * `--counts` says how often each transition was taken. `--scenario NAME` (or `all`) plays a
 * scenario of `scenarios/` under each seed, with every law. How far it is goes to stderr.
 */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { shrinkSeed } from './broken-seed.js';
import { isProfile, profiles } from './profiles.js';
import {
  faultKinds,
  simulate,
  type FaultKind,
  type Outcome,
  type SimulationOptions,
} from './simulation.js';
import { laws } from './laws.js';
import { transitionCounts } from './machine-mutants.js';
import { playSeeds } from './scenario-seeds.js';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    faults: { type: 'string', default: faultKinds.join(',') },
    trace: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    profile: { type: 'string', default: 'mixed' },
    without: { type: 'string', default: '' },
    'trace-file': { type: 'string' },
    counts: { type: 'boolean', default: false },
    scenario: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const usage = `npm run sim -- [options]
  --seeds N         how many (100)
  --from S          the first (1)
  --profile P       what is served: ${Object.keys(profiles).join(', ')}
  --faults a,b      what may go wrong: ${faultKinds.join(', ')}
  --all             go on after a broken seed
  --trace           one line an event
  --trace-file F    where the trace of a broken seed goes, for the console
  --without a,b     parts that are left out, as a shrunken seed says
  --counts          how often each transition was taken
  --scenario NAME   play a scenario (or all) under each seed`;
/** Between two lines that say how far it is. */
const PROGRESS_MS = 10_000;
const faults = values.faults.split(',').filter((name) => name !== '') as FaultKind[];
const from = Number(values.from);
const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => from + i);

/**
 * Seeds run much code a little each: V8 would optimize all of it, which takes as long as it saves.
 * So it does that later, for what is hot.
 */
const INTERRUPT_BUDGET = 400_000;
setFlagsFromString(`--interrupt-budget=${INTERRUPT_BUDGET}`);

process.exitCode = await main();

async function main(): Promise<number> {
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const unknown = faults.filter((name) => !faultKinds.includes(name));
  if (unknown.length > 0) {
    console.error(`no fault ${unknown.join(', ')}; faults: ${faultKinds.join(', ')}`);
    return 2;
  }
  if (!isProfile(values.profile)) {
    console.error(`no profile ${values.profile}; profiles: ${Object.keys(profiles).join(', ')}`);
    return 2;
  }
  if (values.counts) return countTransitions();
  if (values.scenario !== undefined) return runScenarios(values.scenario);
  return runSeeds();
}

function runSeeds(): number {
  const started = process.cpuUsage();
  let steps = 0;
  let answered = 0;
  let broken = 0;
  let toldMs = Date.now();
  for (const [done, seed] of seeds.entries()) {
    if (Date.now() - toldMs > PROGRESS_MS) {
      toldMs = Date.now();
      console.error(`${done} of ${seeds.length} seeds, ${broken} broken`);
    }
    const outcome = simulated(seed);
    steps += outcome.steps;
    answered += outcome.answered;
    for (const line of outcome.trace) console.log(line);
    if (outcome.violations.length === 0) continue;
    broken += 1;
    if (!values.all) {
      explain(seed);
      break;
    }
    const [first] = outcome.violations;
    console.log(`seed ${seed}: ${first!.law}: ${first!.detail}`);
  }
  const { user, system } = process.cpuUsage(started);
  const tookS = (user + system) / 1e6;
  console.log(
    `${seeds.length} seeds from ${from}: ${broken} broken, ${steps} steps, ${answered} answers, ` +
      `${tookS.toFixed(1)} s of one core, ${(seeds.length / tookS).toFixed(0)} seeds/s`,
  );
  return broken > 0 ? 1 : 0;
}

/** Errors without traces of calls: who reads them plays the seed again, with `explain`. */
function simulated(seed: number): Outcome {
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = 0;
  try {
    return simulate({ ...optionsOf(seed), withTrace: values.trace });
  } finally {
    Error.stackTraceLimit = limit;
  }
}

function optionsOf(seed: number): SimulationOptions {
  const without = new Set(values.without.split(',').filter((part) => part !== ''));
  const profile = isProfile(values.profile) ? profiles[values.profile] : {};
  return { ...profile, seed, faults, without };
}

/** The least of the seed that breaks the same law: a line an event, what broke at its place. */
function explain(seed: number): void {
  const { outcome, options, partsBefore, parts, trace } = shrinkSeed(optionsOf(seed));
  for (const line of outcome.trace) console.log(line);
  console.log(`\nseed ${seed} (faults: ${outcome.faults.join(', ')}) breaks`);
  for (const { law, detail } of outcome.violations) {
    console.log(`  ${law}: ${laws[law]}\n      ${detail}`);
  }
  console.log(`with ${parts.length} of ${partsBefore} parts: ${parts.join(', ')}`);
  const file = values['trace-file'] ?? join(tmpdir(), `simulation-${seed}.trace`);
  trace.write(file);
  console.log(`the console opens ${file}`);
  const without = [...(options.without ?? [])].join(',');
  console.log(
    `again: npm run sim -- --from ${seed} --seeds 1 --profile ${values.profile}` +
      ` --faults ${faults.join(',')} --without ${without}`,
  );
}

function countTransitions(): number {
  const counts = transitionCounts(() => {
    for (const seed of seeds) simulate(optionsOf(seed));
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
