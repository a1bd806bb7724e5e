/**
 * One cell of the matrix: a harm befalls an actor in a state, in several runs, each played to the
 * end: whatever was accepted ends, the server serves again, and when it is drained nothing is left.
 * All laws of simulations judge.
 */
import { simulate } from '../simulation/simulation.js';
import type { Course, CourseArrival } from './arrivals.js';
import { Follower, placeName, type Blow, type Place } from './follower.js';
import { MOMENT_MS, type Harm } from './harms.js';

export interface CellRun {
  readonly course: string;
  readonly nth: number;
  readonly outcome: 'harmed' | 'nobody' | 'missed';
  /** It served again afterwards; false where it had been drained, or had never had its device. */
  readonly servesAgain: boolean;
  /** What broke. */
  readonly broken: readonly string[];
  readonly blow: Blow;
}

export interface Cell {
  readonly place: Place;
  readonly harm: Harm;
  readonly runs: readonly CellRun[];
}

/** So many runs more to find one in which the server is asked to serve again. */
const SPARE_RUNS = 6;
/** Where the harm finds nobody so often, that nobody is ever there is left to the exploration. */
const VAIN_RUNS = 36;

/** Runs a cell until the harm has found somebody `wanted` times, or seems to find nobody. */
export function runCell(
  place: Place,
  harm: Harm,
  { arrivals, wanted }: { arrivals: readonly CourseArrival[]; wanted: number },
): Cell {
  const runs: CellRun[] = [];
  for (const [index, arrival] of arrivals.entries()) {
    const harmed = runs.filter(({ outcome }) => outcome === 'harmed');
    const enough = harmed.some(({ servesAgain }) => servesAgain) ? wanted : wanted + SPARE_RUNS;
    if (harmed.length >= enough || (harmed.length === 0 && index >= VAIN_RUNS)) break;
    const after = Math.floor((arrival.stay * (index % 3)) / 3);
    const isUrgent = index % 3 !== 2;
    runs.push(runBlow(arrival, { arrival, harm, after, isUrgent, isSingle: index % 2 === 1 }));
  }
  return { place, harm, runs };
}

/** The same run up to the arrival; from then on another. */
export function runBlow(
  { course, nth }: CourseArrival,
  blow: Blow,
  withTrace = false,
): CellRun & { readonly trace: readonly string[] } {
  const follower = new Follower(blow, course.isStillborn);
  const deadlineMs = blow.harm === 'deadline' ? timeOf(blow, course) + MOMENT_MS / 2 : undefined;
  const about = { course: course.name, nth, blow };
  try {
    const run = { ...course.options, deadlineMs, intruder: follower, withTrace };
    const { violations, trace, wasAsked } = simulate(run);
    const broken = violations.map(({ law, detail }) => `${law}: ${detail}`);
    const outcome = follower.hit ?? 'missed';
    if (outcome === 'missed') broken.push(`${placeName(blow.arrival)} did not come again`);
    return { ...about, outcome, servesAgain: wasAsked, broken, trace };
  } catch (error) {
    const broken = [`it throws: ${(error as Error).stack ?? String(error)}`];
    const outcome = follower.hit ?? 'missed';
    return { ...about, outcome, servesAgain: false, broken, trace: [] };
  }
}

/** Deadlines are said beforehand: where the blow does not fall at once, the run tells when. */
function timeOf({ arrival, after }: Blow, course: Course): number {
  if (after === 0) return arrival.atMs;
  const blow = { arrival, harm: null, after, isUrgent: false, isSingle: false };
  const follower = new Follower(blow, course.isStillborn);
  simulate({ ...course.options, intruder: follower });
  return Math.max(arrival.atMs, follower.struckMs);
}
