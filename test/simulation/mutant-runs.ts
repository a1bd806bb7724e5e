/**
 * Who notices a mutant: it is simulated under seeds that take the changed transition, one after
 * another, until a law breaks; what throws out of a simulation has been noticed too. Where no law
 * breaks, the tests that own the machine or the book are run with the mutant in force.
 */
import { SeededRandom } from '../../runtime/system/seeded-random.js';
import { bookMutants } from './book-mutants.js';
import { machineMutants, transitionCounts, type Mutant } from './machine-mutants.js';
import { noticedBy } from './mutant-owners.js';
import { profiles } from './profiles.js';
import { simulate, type SimulationOptions } from './simulation.js';

/** Faults after which laws are lenient. */
const isLoss = /^kill|loss|unopened|clock/;

export interface Verdict {
  readonly mutant: string;
  /** The law that broke first, or the test that failed; null: it survived. */
  readonly by: string | null;
  /** Runs that were tried. */
  readonly tried: number;
}

/** Small ones of each profile first; `seeds` of each, and an eighth as many of everything. */
export function variedRuns(seeds: number, from = 1): SimulationOptions[] {
  const { embeddings, text, mixed } = profiles;
  const some = (count: number, profile: Partial<SimulationOptions>): SimulationOptions[] =>
    Array.from({ length: count }, (_, i) => ({ ...profile, asked: 1, seed: from + i }));
  return [...some(seeds, embeddings), ...some(seeds, text), ...some(Math.ceil(seeds / 8), mixed)];
}

export class MutantRuns {
  readonly #runs: readonly SimulationOptions[];
  readonly #tries: number;
  /** Runs by the transitions that they take. */
  readonly #taking = new Map<string, SimulationOptions[]>();

  /** Each mutant is tried in at most `tries` of the runs. */
  constructor(runs: readonly SimulationOptions[], tries: number) {
    this.#tries = tries;
    const losses = new Map<SimulationOptions, number>();
    for (const run of runs) {
      const play = (): void => {
        const { faults } = simulate(run);
        losses.set(run, faults.filter((fault) => isLoss.test(fault)).length);
      };
      for (const [place, count] of transitionCounts(play)) {
        if (count === 0) continue;
        const taking = this.#taking.get(place) ?? [];
        taking.push(run);
        this.#taking.set(place, taking);
      }
    }
    // Calm ones first: what is wrong shows where nothing else explains it.
    const byCalm = (one: SimulationOptions, other: SimulationOptions): number =>
      losses.get(one)! - losses.get(other)!;
    this.#runs = [...runs].sort(byCalm);
    for (const taking of this.#taking.values()) taking.sort(byCalm);
  }

  /** Transitions that no run takes. */
  untaken(): string[] {
    const places = new Set(machineMutants().flatMap(({ place }) => place ?? []));
    return [...places].filter((place) => !this.#taking.has(place));
  }

  /** The laws first, then the tests of what they did not notice. */
  async judge(mutants: readonly Mutant[]): Promise<Verdict[]> {
    const verdicts = mutants.map((mutant) => this.#simulate(mutant));
    const silent = verdicts.filter(({ by }) => by === null);
    const noticed = await noticedBy(silent.map(({ mutant }) => mutant));
    return verdicts.map((one) => ({ ...one, by: one.by ?? noticed.get(one.mutant) ?? null }));
  }

  #simulate(mutant: Mutant): Verdict {
    const { name, place } = mutant;
    const runs = place === null ? this.#runs : (this.#taking.get(place) ?? []);
    const tried = runs.slice(0, place === null ? 4 * this.#tries : this.#tries);
    const undo = mutant.apply();
    try {
      for (const [i, run] of tried.entries()) {
        const law = brokenLaw(run);
        if (law !== null) return { mutant: name, by: law, tried: i + 1 };
      }
    } finally {
      undo();
    }
    return { mutant: name, by: null, tried: tried.length };
  }
}

export function allMutants(): Mutant[] {
  return [...machineMutants(), ...bookMutants()];
}

/** Some of them, as a seed says. */
export function sample<One>(mutants: readonly One[], count: number, seed: number): One[] {
  const random = new SeededRandom(seed);
  const rest = [...mutants];
  return Array.from({ length: count }, () => rest.splice(random.below(rest.length), 1)[0]!);
}

function brokenLaw(run: SimulationOptions): string | null {
  try {
    return simulate(run).violations[0]?.law ?? null;
  } catch {
    return 'an assertion';
  }
}
