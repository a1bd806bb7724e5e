/**
 * Who notices a mutant: it is simulated under seeds that take the changed transition, one after
 * another, until a law breaks; what throws out of a simulation has been noticed too. Where no law
 * breaks, the tests that own the machine or the book are run with the mutant in force.
 */
import { SeededRandom } from '../../runtime/system/seeded-random.js';
import { bookMutants } from './book-mutants.js';
import { machineMutants, transitionCounts, type Mutant } from './machine-mutants.js';
import { noticedBy } from './mutant-owners.js';
import { simulate } from './simulation.js';

/** Faults after which laws are lenient. */
const isLoss = /^kill|loss|unopened/;

export interface Verdict {
  readonly mutant: string;
  /** The law that broke first, or the test that failed; null: it survived. */
  readonly by: string | null;
  /** Seeds that were tried. */
  readonly tried: number;
}

export class MutantRuns {
  readonly #seeds: readonly number[];
  readonly #tries: number;
  /** Seeds by the transitions that they take. */
  readonly #taking = new Map<string, number[]>();

  /** Each mutant is tried under at most `tries` of the seeds. */
  constructor(seeds: readonly number[], tries: number) {
    this.#tries = tries;
    const losses = new Map<number, number>();
    for (const seed of seeds) {
      const run = (): void => {
        const { faults } = simulate({ seed });
        losses.set(seed, faults.filter((fault) => isLoss.test(fault)).length);
      };
      for (const [place, count] of transitionCounts(run)) {
        if (count === 0) continue;
        const taking = this.#taking.get(place) ?? [];
        taking.push(seed);
        this.#taking.set(place, taking);
      }
    }
    // Calm ones first: what is wrong shows where nothing else explains it.
    const byCalm = (one: number, other: number): number => losses.get(one)! - losses.get(other)!;
    this.#seeds = [...seeds].sort(byCalm);
    for (const taking of this.#taking.values()) taking.sort(byCalm);
  }

  /** Transitions that no seed takes. */
  untaken(): string[] {
    const places = new Set(machineMutants().flatMap(({ place }) => place ?? []));
    return [...places].filter((place) => !this.#taking.has(place));
  }

  /** The laws first, then the tests of what they did not notice. */
  judge(mutants: readonly Mutant[]): Verdict[] {
    const verdicts = mutants.map((mutant) => this.#simulate(mutant));
    const silent = verdicts.filter(({ by }) => by === null);
    const noticed = noticedBy(silent.map(({ mutant }) => mutant));
    return verdicts.map((one) => ({ ...one, by: one.by ?? noticed.get(one.mutant) ?? null }));
  }

  #simulate(mutant: Mutant): Verdict {
    const { name, place } = mutant;
    const seeds = place === null ? this.#seeds : (this.#taking.get(place) ?? []);
    const tried = seeds.slice(0, place === null ? 8 * this.#tries : this.#tries);
    const undo = mutant.apply();
    try {
      for (const [i, seed] of tried.entries()) {
        const law = brokenLaw(seed);
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
export function sample(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const random = new SeededRandom(seed);
  const rest = [...mutants];
  return Array.from({ length: count }, () => rest.splice(random.below(rest.length), 1)[0]!);
}

function brokenLaw(seed: number): string | null {
  try {
    return simulate({ seed }).violations[0]?.law ?? null;
  } catch {
    return 'an assertion';
  }
}
