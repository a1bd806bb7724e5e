/**
 * A seed that breaks a law, made small: calls, readers, mishaps and faults are left out as long as
 * the same law breaks. Then its trace, as lines and as a file that the console opens.
 */
import { SeedTrace } from './seed-trace.js';
import { shrink } from './shrink.js';
import { simulate, type Outcome, type SimulationOptions } from './simulation.js';

/** Runs that may be spent on it. */
const TRIES_MAX = 150;

export interface BrokenSeed {
  /** The smallest run that was found, with a trace. */
  readonly outcome: Outcome;
  readonly options: SimulationOptions;
  /** Parts of the run that broke first, and of this one. */
  readonly partsBefore: number;
  readonly parts: readonly string[];
  readonly trace: SeedTrace;
}

export function shrinkSeed(options: SimulationOptions, triesMax = TRIES_MAX): BrokenSeed {
  const first = simulate(options);
  const law = first.violations[0]!.law;
  const given = options.without ?? new Set<string>();
  const withOnly = (kept: readonly string[]): SimulationOptions => ({
    ...options,
    without: new Set([...given, ...first.parts.filter((part) => !kept.includes(part))]),
  });
  const breaks = (kept: readonly string[]): boolean =>
    simulate(withOnly(kept)).violations.some((one) => one.law === law);
  const { kept } = shrink(first.parts, breaks, triesMax);
  const trace = new SeedTrace();
  const smallest = withOnly(kept);
  const outcome = simulate({ ...smallest, withTrace: true, intruder: trace });
  return { outcome, options: smallest, partsBefore: first.parts.length, parts: kept, trace };
}
