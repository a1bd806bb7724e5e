/**
 * `npm run matrix [-- --runs N] [--seeds N] [--places REGEXP] [--harms REGEXP] [--out FILE]`: every
 * state of every chart × what may befall it, each cell by simulated runs to their end, then all
 * reachable states of the charts in large scopes. Prints the table in Markdown, or writes it; exit
 * code 1 when a law is broken anywhere, with the runs that break it. `--trace` prints the first of
 * those event by event; `--no-explore` leaves the large scopes out.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { explorations, lineOf, sparedPlaces } from '../exploration/explorations.js';
import { Arrivals, coursesOf } from './arrivals.js';
import { runBlow, runCell, type Cell, type CellRun } from './cells.js';
import { chartPlaces, type ChartPlace } from './chart-places.js';
import { placeName } from './follower.js';
import { harms } from './harms.js';
import { allMarks, legend, markOf, Table } from './table.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2' },
    seeds: { type: 'string', default: '30' },
    places: { type: 'string', default: '' },
    harms: { type: 'string', default: '' },
    out: { type: 'string' },
    trace: { type: 'boolean', default: false },
    'no-explore': { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** Between two lines of progress. */
const ROUND = 60;

const usage = `npm run matrix -- [options]
  --runs N         of each cell (2)
  --seeds N        of which runs to each state are taken (30)
  --places REGEXP  states with such a name
  --harms REGEXP   harms with such a name
  --out FILE       where the table goes, while it is made
  --trace          of the first broken run, event by event
  --no-explore     without the large scopes`;

process.exitCode = await main();

async function main(): Promise<number> {
  if (values.help) {
    console.log(usage);
    return 0;
  }
  const all = await chartPlaces();
  const places = all.filter((place) => new RegExp(values.places).test(placeName(place)));
  const { cells, arrivals } = befall(places);
  const table = new Table(places, cells, sparedPlaces());
  const counts = allMarks.map((mark) => `${table.count(mark)} ${mark}`).join(', ');
  const runs = cells.reduce((sum, cell) => sum + cell.runs.length, 0);
  const met = places.filter((place) => arrivals.of(place).length > 0).length;
  const lines = [
    ...table.lines(places),
    '',
    ...legend,
    '',
    `${places.length} states, ${met} of them met in ${arrivals.runs} runs;`,
    `${runs} runs of cells: ${counts}`,
  ];
  let isBroken = table.count('broken') > 0;
  if (table.count('nobody') + table.count('unmet') > 0) {
    console.error('cells are neither run nor derived: more seeds may meet them (--seeds)');
  }
  write(lines);
  if (values['no-explore']) return isBroken ? 1 : 0;
  for (const size of ['small', 'large'] as const) {
    for (const exploration of explorations(size)) {
      lines.push(`- ${lineOf(exploration)}`);
      console.error(lineOf(exploration));
      isBroken ||= exploration.breaches.length > 0;
    }
  }
  write(lines);
  return isBroken ? 1 : 0;
}

/** Into the file, so far; without one, when it is over. */
function write(lines: readonly string[]): void {
  if (values.out !== undefined) writeFileSync(values.out, `${lines.join('\n')}\n`);
  else if (values['no-explore'] || lines.at(-1)!.startsWith('- ')) console.log(lines.join('\n'));
}

/** Looks for runs that come to each place, then does each harm there. */
function befall(places: readonly ChartPlace[]): { cells: Cell[]; arrivals: Arrivals } {
  const wanted = Number(values.runs);
  const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => i + 1);
  const arrivals = new Arrivals();
  const met = places.filter(({ kind }) => kind !== 'passes');
  const courses = coursesOf(seeds);
  for (let from = 0; from < courses.length; from += ROUND) {
    arrivals.explore(courses.slice(from, from + ROUND), met, 2 * wanted + 2);
    console.error(`${arrivals.runs} of at most ${courses.length} courses followed`);
  }
  const cells: Cell[] = [];
  for (const place of met) {
    for (const harm of harms.filter((one) => new RegExp(values.harms).test(one))) {
      const cell = runCell(place, harm, { arrivals: arrivals.of(place), wanted });
      cells.push(cell);
      if (markOf(cell) === 'broken') explain(cell, arrivals);
    }
    console.error(`${placeName(place)}: ${arrivals.of(place).length} arrivals`);
  }
  return { cells, arrivals };
}

function explain({ place, harm, runs }: Cell, arrivals: Arrivals): void {
  for (const run of runs.filter(({ broken }) => broken.length > 0)) {
    console.error(`${placeName(place)} × ${harm}, ${nameOf(run)}`);
    for (const line of run.broken.slice(0, 5)) console.error(`    ${line}`);
    if (!values.trace) continue;
    const arrival = arrivals.of(place).find(({ course }) => course.name === run.course)!;
    for (const line of runBlow(arrival, run.blow, true).trace) console.log(line);
    process.exit(1);
  }
}

function nameOf({ course, nth, blow: { after, isUrgent, isSingle } }: CellRun): string {
  const how = [
    ...(after > 0 ? [`${after} steps later`] : []),
    ...(isUrgent ? ['told at once'] : []),
    ...(isSingle ? ['one'] : []),
  ];
  return [`arrival ${nth} of course ${course}`, ...how].join(', ');
}
