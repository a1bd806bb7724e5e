/**
 * A part of the cancel matrix (`npm run matrix` has all of it): cells of every harm, drawn evenly
 * over the states of all charts, each with one run to its end under all laws.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Arrivals, coursesOf, type CourseArrival } from './arrivals.js';
import { runCell, type Cell } from './cells.js';
import { chartPlaces } from './chart-places.js';
import { Follower, placeName } from './follower.js';
import { harms, type Harm } from './harms.js';
import { allMarks, markOf, Table } from './table.js';
import { simulate } from '../simulation/simulation.js';

const places = await chartPlaces();
const courses = coursesOf([1, 2]);
const arrivals = new Arrivals();
arrivals.explore(courses, places, 99);

/** Each state that the courses come to, with a harm of its own: all harms in turn. */
const drawn = places
  .filter((place) => arrivals.of(place).length > 0)
  .map((place, i) => ({ place, harm: harms[(3 * i) % harms.length]! }));

const cells: Cell[] = [];
const held = (cell: Cell): boolean => ['holds', 'ends'].includes(markOf(cell));

for (const harm of harms) {
  test(`${harm}: nobody waits for ever, nothing is left, every law holds`, () => {
    const mine = drawn.filter((one) => one.harm === harm);
    const run = mine.map(({ place }) =>
      runCell(place, harm, { arrivals: arrivals.of(place).slice(0, 2), wanted: 1 }),
    );
    cells.push(...run);
    const broken = run.filter((cell) => markOf(cell) === 'broken');
    assert.equal(broken.map(lineOf), []);
    assert.ok(run.some((cell) => held(cell)));
  });
}

const lineOf = ({ place, harm, runs }: Cell): string =>
  `npm run matrix -- --places '^${placeName(place)}$' --harms '${harm}': ` +
  runs.flatMap(({ broken }) => broken).join('; ');

test('a warm-up goes on when its operator gives it up', () => {
  const place = { machine: 'specialization', state: 'failed' };
  const met = new Arrivals();
  met.explore(coursesOf([24]).slice(0, 1), [place], 1);
  const cell = runCell(place, 'deadline', { arrivals: met.of(place), wanted: 1 });
  assert.is(markOf(cell), 'holds', lineOf(cell));
});

test('most of what was drawn was struck, and in the states that it was drawn for', () => {
  assert.ok(drawn.length > 60, `${drawn.length} states are met`);
  const struck = cells.filter(held);
  assert.ok(struck.length > drawn.length * 0.7, `${struck.length} of ${drawn.length}`);
  const missed = cells.flatMap(({ runs }) => runs).filter(({ outcome }) => outcome === 'missed');
  assert.equal(missed, []);
});

test('no cell of a table is empty', () => {
  const table = new Table(places, cells);
  const lines = table.lines(places);
  assert.is(lines.length, places.length + 2);
  assert.not.ok(lines.slice(2).some((line) => /\| *\|/.test(line)));
  const all = allMarks.map((mark) => table.count(mark));
  assert.is(
    all.reduce((sum, count) => sum + count, 0),
    places.length * harms.length,
  );
});

test('what finds nobody is spared where the exploration says so; who serves no more has ended', () => {
  const place = { machine: 'device', state: 'recovering' };
  const [shown] = places.filter((one) => placeName(one) === placeName(place));
  const [arrival] =
    arrivals.of(place).length > 0 ? arrivals.of(place) : arrivals.of(drawn[0]!.place);
  const harm = 'device lost';
  const run = { course: '', nth: 1, servesAgain: false, broken: [] };
  const blow = { arrival: arrival!, harm, after: 0, isUrgent: true, isSingle: false } as const;
  const signOf = (outcome: 'nobody' | 'harmed', isSpared: boolean): string => {
    const cell: Cell = { place, harm, runs: [{ ...run, outcome, blow }] };
    return new Table([shown!], [cell], () => isSpared).lines([shown!])[2]!.split('|')[5]!.trim();
  };
  assert.is(signOf('nobody', true), '–');
  assert.is(signOf('nobody', false), '∅');
  assert.is(signOf('harmed', true), '■');
});

test('a law that breaks after a harm breaks its cell', () => {
  const [place] = places.filter(
    ({ machine, state }) => `${machine}.${state}` === 'cohort.executing',
  );
  const [arrival] = arrivals.of(place!);
  const cell = withLoudWatch(arrival!, 'client cancel');
  assert.is(markOf(cell), 'broken');
});

/** A run whose follower reports a breach after the blow. */
function withLoudWatch(arrival: CourseArrival, harm: Harm): Cell {
  const blow = { arrival, harm, after: 0, isUrgent: true, isSingle: false };
  const follower = new Follower(blow, false);
  const { violations } = simulate({
    ...arrival.course.options,
    intruder: {
      enter(ground) {
        follower.enter(ground);
        const { onStep } = ground.laws;
        ground.laws.onStep = () => {
          onStep();
          if (follower.hit === 'harmed') ground.laws.report('H', 'somebody waits');
        };
      },
    },
  });
  const broken = violations.map(({ law, detail }) => `${law}: ${detail}`);
  const { course, nth } = arrival;
  const outcome = follower.hit ?? 'missed';
  return {
    place: arrival,
    harm,
    runs: [{ course: course.name, nth, outcome, servesAgain: true, broken, blow }],
  };
}

test.run();
