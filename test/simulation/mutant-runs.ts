/**
 * Whether the laws notice a mutant: it is simulated seed after seed until a law breaks. What throws
 * out of a simulation has been noticed too.
 */
import { SeededRandom } from '../../runtime/system/seeded-random.js';
import { bookMutants } from './book-mutants.js';
import { machineMutants, type Mutant } from './machine-mutants.js';
import { simulate } from './simulation.js';

export interface Verdict {
  readonly mutant: string;
  /** The law that broke first, or null: it survived. */
  readonly law: string | null;
  readonly seed: number;
}

export function allMutants(): Mutant[] {
  return [...machineMutants(), ...bookMutants()];
}

/** A sample that a seed determines. */
export function sampleMutants(count: number, seed: number): Mutant[] {
  const random = new SeededRandom(seed);
  const rest = allMutants();
  return Array.from({ length: count }, () => rest.splice(random.below(rest.length), 1)[0]!);
}

export function judge(mutant: Mutant, seeds: readonly number[]): Verdict {
  const undo = mutant.apply();
  try {
    for (const seed of seeds) {
      const law = brokenLaw(seed);
      if (law !== null) return { mutant: mutant.name, law, seed };
    }
  } finally {
    undo();
  }
  return { mutant: mutant.name, law: null, seed: seeds.at(-1)! };
}

function brokenLaw(seed: number): string | null {
  try {
    return simulate({ seed }).violations[0]?.law ?? null;
  } catch {
    return 'an assertion';
  }
}
