/**
 * Where runs lead: the states that actors come into under seeds of several kinds, so that a harm
 * can be done to one that is in any of them. Calm seeds come first: laws are strictest there.
 */
import { simulate, type FaultKind, type SimulationOptions } from '../simulation/simulation.js';
import { Follower, placeName, type Arrival, type Place } from './follower.js';

/** A run that can be repeated, up to any of its arrivals. */
export interface Course {
  readonly name: string;
  readonly kind: string;
  readonly options: SimulationOptions;
  /** Its device thread dies before the device has opened. */
  readonly isStillborn: boolean;
}

export interface CourseArrival extends Arrival {
  readonly course: Course;
}

const commands: readonly FaultKind[] = ['replace', 'remove', 'warm', 'deactivate'];
const callers: readonly FaultKind[] = ['cancel', 'deadline', 'wicked', 'queue'];
const losses: readonly FaultKind[] = [
  ...(['failure', 'read', 'loss', 'unopened'] as const),
  ...(['kill-model', 'kill-preparation', 'kill-device'] as const),
];

/** Names, options, and how many times as many seeds it takes to meet what they are for. */
const kinds: readonly (readonly [string, Omit<SimulationOptions, 'seed'>, number?])[] = [
  ['calm', { only: 'finite', faults: [...commands, ...callers] }],
  ['texts', { only: 'text', faults: [...commands, ...callers] }],
  ['tight', { only: 'finite', faults: [...commands, ...callers, 'memory'] }],
  ['drained', { only: 'finite', faults: [...commands, ...callers, 'drain'] }],
  ['drained texts', { only: 'text', faults: [...callers, 'drain'] }],
  // Its readers have time to fall behind.
  ['slow texts', { only: 'text', faults: callers, lastsMs: 400 }],
  ['tight texts', { only: 'text', faults: ['memory', 'cancel', 'replace'], lastsMs: 200 }],
  // What is lost is due to come back before the device has.
  ['losses', { only: 'finite', faults: ['loss', 'unopened', 'replace'], lastsMs: 1_000 }, 3],
  // Most are not drained, and most drains end in time.
  ['cut short', { only: 'finite', faults: ['drain'] }, 6],
  ['stillborn', { only: 'finite', faults: [] }],
  ['lossy', { only: 'finite', faults: [...commands, ...callers, ...losses] }],
  ['lossy texts', { only: 'text', faults: [...commands, ...callers, ...losses] }],
];

export function coursesOf(seeds: readonly number[]): Course[] {
  return kinds.flatMap(([name, options, times = 1]) => {
    const more = Array.from({ length: times - 1 }, (_, i) =>
      seeds.map((seed) => 1_000 * (i + 1) + seed),
    );
    return [...seeds, ...more.flat()].map((seed) => {
      const isStillborn = name === 'stillborn';
      return { name: `${name} ${seed}`, kind: name, options: { ...options, seed }, isStillborn };
    });
  });
}

export class Arrivals {
  /** By place; of each course some, spread over its run. */
  readonly #byPlace = new Map<string, CourseArrival[]>();
  runs = 0;

  /** Follows the courses until each of `places` was met often enough, or there are no more. */
  explore(courses: readonly Course[], places: readonly Place[], enough: number): void {
    const isMet = (place: Place): boolean => this.of(place).length >= enough;
    for (const course of courses) {
      if (places.every(isMet)) return;
      this.runs += 1;
      const follower = new Follower(null, course.isStillborn);
      simulate({ ...course.options, intruder: follower });
      for (const arrival of pickOf(follower.arrivals, course.options.seed)) {
        const name = placeName(arrival);
        const known = this.#byPlace.get(name) ?? [];
        this.#byPlace.set(name, known);
        known.push({ ...arrival, course });
      }
    }
  }

  /** Of each kind of courses one, then the next of each: so few of them are of many kinds. */
  of(place: Place): readonly CourseArrival[] {
    const all = this.#byPlace.get(placeName(place)) ?? [];
    const seen = new Map<string, number>();
    const turns = all.map((arrival) => {
      const turn = seen.get(arrival.course.kind) ?? 0;
      seen.set(arrival.course.kind, turn + 1);
      return { arrival, turn };
    });
    return turns.sort((one, other) => one.turn - other.turn).map(({ arrival }) => arrival);
  }
}

/** One arrival in each place; which one, the seed says. */
function pickOf(arrivals: readonly Arrival[], seed: number): Arrival[] {
  const byPlace = new Map<string, Arrival[]>();
  for (const arrival of arrivals) {
    const name = placeName(arrival);
    byPlace.set(name, [...(byPlace.get(name) ?? []), arrival]);
  }
  return [...byPlace.values()].map((list) => list[(seed * 7) % list.length]!);
}
