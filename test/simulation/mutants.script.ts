/**
 * `npm run mutants -- [--sample N] [--draw SEED] [--only REGEXP] [--seeds N] [--tries N] [--jobs N]
 * [--results FILE]`: who checks the checkers. Leaves out each transition, guard and action of the
 * machines, each update of the books and each statement of the ledgers, one at a time, and says who
 * notices: all states of the charts, a test, or a law of the simulation. Exits 1 when fewer than 95
 * of 100 are noticed, for a survivor without a reason, and for a reason that is wrong. With
 * `--sample` a draw of all. Jobs are processes. With `--results`, what FILE says was noticed is not
 * tried again while the code that is mutated is the same, so a run that was cut short goes on.
 */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { judgeSources, judgeTables } from './judging-process.js';
import { allMutants, sample } from './mutant-runs.js';
import { reasonToSurvive } from './mutant-survivors.js';
import { faultsOf, MutantVerdicts, tableOf } from './mutant-verdicts.js';
import { sourceMutants } from './source-mutants.js';

const build = join(import.meta.dirname, '../..');
const { values } = parseArgs({
  options: {
    sample: { type: 'string' },
    draw: { type: 'string', default: '1' },
    only: { type: 'string', default: '' },
    seeds: { type: 'string', default: '60' },
    tries: { type: 'string', default: '8' },
    jobs: { type: 'string', default: '2' },
    results: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
const usage = `npm run mutants -- [options]
  --sample N      this many of all, drawn
  --draw SEED     which draw (1)
  --only REGEXP   those with such a name
  --seeds N       runs that judge one in tables (60)
  --tries N       of the runs that take its transition, the calmest (8)
  --jobs N        processes (2)
  --results FILE  what was noticed before is not tried again`;
const tables = allMutants().map(({ name }) => name);
const sources = sourceMutants(build).map(({ name }) => name);
const names = [...tables, ...sources];
const verdicts = new MutantVerdicts(values.results ?? null, build);

process.exitCode = await main();

async function main(): Promise<number> {
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const startMs = Date.now();
  const drawn = drawnOf(names.filter((name) => new RegExp(values.only).test(name)));
  const due = new Set(drawn.filter((name) => !verdicts.has(name)));
  const jobs = Math.max(1, Number(values.jobs));
  console.log(`${drawn.length} mutants, ${drawn.length - due.size} of them known`);
  const heard = (mutant: string, by: string | null): void => {
    verdicts.add({ mutant, by });
    if (by === null) console.log(`survives: ${mutant} (${reasonToSurvive(mutant) ?? 'why?'})`);
    const done = verdicts.of([...due]).length;
    if (done % 100 > 0 && done < due.size) return;
    console.log(`${done} of ${due.size} after ${Math.round((Date.now() - startMs) / 1000)} s`);
  };
  const judge = async (job: number): Promise<void> => {
    const own = [...due].filter((_, i) => i % jobs === job);
    const inTables = own.filter((name) => tables.includes(name));
    const inText = own.filter((name) => sources.includes(name));
    await judgeTables(
      inTables,
      { seeds: Number(values.seeds), tries: Number(values.tries) },
      heard,
    );
    await judgeSources(inText, heard);
  };
  await Promise.all(Array.from({ length: jobs }, (_, job) => judge(job)));
  return report(drawn);
}

function drawnOf(all: readonly string[]): readonly string[] {
  if (values.sample === undefined) return all;
  return sample(all, Math.min(Number(values.sample), all.length), Number(values.draw));
}

function report(drawn: readonly string[]): number {
  const judged = verdicts.of(drawn);
  for (const line of tableOf(judged)) console.log(line);
  const wrong = faultsOf(judged, names);
  for (const line of wrong) console.log(`wrong: ${line}`);
  const noticed = judged.filter(({ by }) => by !== null).length;
  const share = (100 * noticed) / Math.max(1, judged.length);
  console.log(`${judged.length} mutants, ${noticed} noticed: ${share.toFixed(1)} %`);
  return wrong.length > 0 ? 1 : 0;
}
