/**
 * Whole servers with a mutant in force: it is simulated under seeds that take the changed
 * transition, one after another, until a law breaks; what throws out of a simulation has been
 * noticed too.
 */
import { SeededRandom } from '../../runtime/system/seeded-random.js';
import { bookMutants } from './book-mutants.js';
import { machineMutants, transitionCounts, type Mutant } from './machine-mutants.js';
import { profiles } from './profiles.js';
import { simulate, type SimulationOptions } from './simulation.js';

/** Faults after which laws are lenient. */
const isLoss = /^kill|loss|unopened|clock/;

/** Small ones of each profile first; `seeds` of each, and an eighth as many of everything. */
export function variedRuns(seeds: number, from = 1): SimulationOptions[] {
  const { embeddings, text, mixed } = profiles;
  const some = (count: number, profile: Partial<SimulationOptions>): SimulationOptions[] =>
    Array.from({ length: count }, (_, i) => ({ ...profile, asked: 1, seed: from + i }));
  return [...some(seeds, embeddings), ...some(seeds, text), ...some(Math.ceil(seeds / 8), mixed)];
}

export interface MutantRunsOptions {
  /** In at most this many runs each mutant is tried. */
  readonly tries: number;
  /** Before each run. */
  readonly onRun: () => void;
}

export class MutantRuns {
  readonly #runs: readonly SimulationOptions[];
  readonly #tries: number;
  readonly #onRun: () => void;
  /** Runs by the transitions that they take. */
  readonly #taking = new Map<string, SimulationOptions[]>();

  constructor(runs: readonly SimulationOptions[], { tries, onRun }: MutantRunsOptions) {
    this.#tries = tries;
    this.#onRun = onRun;
    const losses = new Map<SimulationOptions, number>();
    for (const run of runs) {
      onRun();
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

  /** The law that breaks first; null: none. */
  lawAgainst({ place, apply }: Mutant): string | null {
    const runs = place === null ? this.#runs : (this.#taking.get(place) ?? []);
    const undo = apply();
    try {
      for (const run of runs.slice(0, place === null ? 4 * this.#tries : this.#tries)) {
        this.#onRun();
        const law = brokenLaw(run);
        if (law !== null) return law;
      }
    } finally {
      undo();
    }
    return null;
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
