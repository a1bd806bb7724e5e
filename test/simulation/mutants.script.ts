/**
 * `npm run mutants -- [--sample N] [--draw SEED] [--seeds N] [--tries N] [--jobs N]`: who checks
 * the checkers. Leaves out each transition, guard and action of the machines, each update of the
 * books and each statement of the ledgers, one at a time, and says who notices: a law of the
 * simulation or a test. Exits 1 when fewer than 95 of 100 are noticed, for a survivor without a
 * reason, and for a reason that is wrong. With `--sample` a draw of all. Jobs are processes; each
 * judges a part.
 */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { noticedIn } from './judging-process.js';
import type { Mutant } from './machine-mutants.js';
import { allMutants, MutantRuns, sample, variedRuns, type Verdict } from './mutant-runs.js';
import { reasonToSurvive, staleReasons } from './mutant-survivors.js';
import { sourceMutants } from './source-mutants.js';

const LEAST_NOTICED = 0.95;
const build = join(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    draw: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '60' },
    tries: { type: 'string', default: '8' },
    jobs: { type: 'string', default: '2' },
    /** Of a process that judges: I/N, the part of the draw that is its own. */
    part: { type: 'string' },
  },
});
/** At a time, so that verdicts come while it runs. */
const ROUND = 24;
const sources = sourceMutants(build).map(({ name }) => name);
const machines = new Map(allMutants().map((mutant) => [mutant.name, mutant]));
const names = [...machines.keys(), ...sources];

process.exitCode = values.part === undefined ? await judgeAll() : await judgePart(values.part);

function drawn(): readonly string[] {
  if (values.sample === undefined) return names;
  return sample(names, Math.min(Number(values.sample), names.length), Number(values.draw));
}

/** Prints a line of JSON a verdict. */
async function judgePart(part: string): Promise<number> {
  const [turn, parts] = part.split('/').map(Number) as [number, number];
  const own = drawn().filter((_, i) => i % parts === turn);
  const runs = new MutantRuns(variedRuns(Number(values.seeds)), Number(values.tries));
  for (let from = 0; from < own.length; from += ROUND) {
    const round = own.slice(from, from + ROUND);
    const inTables = round.flatMap((name): Mutant[] => {
      const mutant = machines.get(name);
      return mutant === undefined ? [] : [mutant];
    });
    for (const verdict of await runs.judge(inTables)) say(verdict);
    const inText = round.filter((name) => !machines.has(name));
    const script = [join(import.meta.dirname, 'mutated-sources.script.js')];
    const noticed = await noticedIn(script, inText);
    for (const mutant of inText) {
      say({ mutant, by: noticed.includes(mutant) ? 'its tests or a law' : null, tried: 0 });
    }
  }
  return 0;
}

function say(verdict: Verdict): void {
  process.stdout.write(`${JSON.stringify(verdict)}\n`);
}

async function judgeAll(): Promise<number> {
  const jobs = Number(values.jobs);
  const verdicts: Verdict[] = [];
  const due = drawn().length;
  const heard = (verdict: Verdict): void => {
    verdicts.push(verdict);
    const { mutant, by } = verdict;
    if (by === null) console.log(`survives: ${mutant} (${reasonToSurvive(mutant) ?? 'why?'})`);
    if (verdicts.length % 100 === 0) console.log(`${verdicts.length} of ${due}`);
  };
  await Promise.all(Array.from({ length: jobs }, (_, i) => runPart(`${i}/${jobs}`, heard)));
  return report(verdicts, due);
}

function report(verdicts: readonly Verdict[], due: number): number {
  const wrong = staleReasons(names);
  const byWhom = new Map<string, number>();
  for (const { mutant, by } of verdicts) {
    const reason = reasonToSurvive(mutant);
    if (by !== null) byWhom.set(by, (byWhom.get(by) ?? 0) + 1);
    if (by === null && reason === null) wrong.push(`${mutant}: survives without a reason`);
    if (by !== null && reason !== null) wrong.push(`${mutant}: ${by} notices it`);
  }
  if (verdicts.length < due) wrong.push(`${due - verdicts.length} were not judged`);
  const noticed = verdicts.filter(({ by }) => by !== null).length;
  const share = noticed / Math.max(1, verdicts.length);
  if (share < LEAST_NOTICED) wrong.push(`fewer than ${LEAST_NOTICED} are noticed`);
  for (const [by, count] of [...byWhom].sort(([, a], [, b]) => b - a)) {
    console.log(`${by} noticed ${count}`);
  }
  for (const line of wrong) console.log(`wrong: ${line}`);
  console.log(`${verdicts.length} mutants, ${noticed} noticed: ${(100 * share).toFixed(1)} %`);
  return wrong.length > 0 ? 1 : 0;
}

/** A process of its own, because mutants are in force in all of it. */
function runPart(part: string, heard: (verdict: Verdict) => void): Promise<void> {
  return new Promise((resolve) => {
    const args = [...process.argv.slice(1), '--part', part];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let text = '';
    child.stdout!.on('data', (data: Buffer) => {
      const lines = (text + data.toString()).split('\n');
      text = lines.pop()!;
      for (const line of lines) heard(JSON.parse(line) as Verdict);
    });
    child.on('close', () => resolve());
  });
}
