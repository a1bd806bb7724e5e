/**
 * `npm run matrix [-- --runs N] [--seeds N] [--places REGEXP] [--harms REGEXP] [--out FILE]`: every
 * state of every chart × what may befall it, each cell by simulated runs to their end, then all
 * reachable states of the charts in large scopes. Prints the table in Markdown, or writes it; exit
 * code 1 when a law is broken anywhere, with the runs that break it. `--trace` prints the first of
 * those event by event; `--no-explore` leaves the large scopes out.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { explorations, lineOf } from '../exploration/explorations.js';
import { Arrivals, coursesOf } from './arrivals.js';
import { runBlow, runCell, type Cell, type CellRun } from './cells.js';
import { chartPlaces, type ChartPlace } from './chart-places.js';
import { placeName } from './follower.js';
import { harms } from './harms.js';
import { legend, markOf, Table, type Mark } from './table.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '2' },
    seeds: { type: 'string', default: '30' },
    places: { type: 'string', default: '' },
    harms: { type: 'string', default: '' },
    out: { type: 'string' },
    trace: { type: 'boolean', default: false },
    'no-explore': { type: 'boolean', default: false },
  },
});

process.exitCode = await main();

async function main(): Promise<number> {
  const all = await chartPlaces();
  const places = all.filter((place) => new RegExp(values.places).test(placeName(place)));
  const { cells, arrivals } = befall(places);
  const table = new Table(places, cells);
  const marks: readonly Mark[] = ['holds', 'passes', 'nobody', 'unmet', 'broken'];
  const counts = marks.map((mark) => `${table.count(mark)} ${mark}`).join(', ');
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
  if (!values['no-explore']) {
    for (const size of ['small', 'large'] as const) {
      for (const exploration of explorations(size)) {
        lines.push(`- ${lineOf(exploration)}`);
        console.error(lineOf(exploration));
        isBroken ||= exploration.breaches.length > 0;
      }
    }
  }
  if (values.out === undefined) console.log(lines.join('\n'));
  else writeFileSync(values.out, `${lines.join('\n')}\n`);
  return isBroken ? 1 : 0;
}

/** Looks for runs that come to each place, then does each harm there. */
function befall(places: readonly ChartPlace[]): { cells: Cell[]; arrivals: Arrivals } {
  const wanted = Number(values.runs);
  const seeds = Array.from({ length: Number(values.seeds) }, (_, i) => i + 1);
  const arrivals = new Arrivals();
  const met = places.filter(({ kind }) => kind !== 'passes');
  arrivals.explore(coursesOf(seeds), met, 2 * wanted + 2);
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

function nameOf({ course, nth, blow: { isUrgent, isSingle } }: CellRun): string {
  const how = [...(isUrgent ? ['at once'] : []), ...(isSingle ? ['one'] : [])];
  return [`arrival ${nth} of course ${course}`, ...how].join(', ');
}
