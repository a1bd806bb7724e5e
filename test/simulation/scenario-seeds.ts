/** Scenarios under many seeds: each until its first broken one, with what that says. */
import { allScenarios } from '../../scenarios/all-scenarios.js';
import { reportLines } from '../../scenarios/report.js';
import { isBroken } from '../../scenarios/run-scenario.js';
import type { Scenario } from '../../scenarios/scenario.js';
import { DiskPackages } from './disk-packages.js';
import { playSeed } from './scenario-runs.js';

export interface PlayedSeeds {
  readonly scenario: string;
  readonly played: number;
  /** Of the first broken seed; empty when all hold. */
  readonly lines: readonly string[];
}

/** `name` is that of a scenario, or `all`. */
export async function* playSeeds(
  name: string,
  seeds: readonly number[],
  withTrace: boolean,
): AsyncGenerator<PlayedSeeds> {
  const packages = new DiskPackages();
  const wanted = allScenarios.filter((one) => name === 'all' || one.name === name);
  if (wanted.length === 0) yield { scenario: name, played: 0, lines: ['no such scenario'] };
  for (const scenario of wanted) yield played(scenario, seeds, { packages, withTrace });
}

async function played(
  scenario: Scenario,
  seeds: readonly number[],
  options: { readonly packages: DiskPackages; readonly withTrace: boolean },
): Promise<PlayedSeeds> {
  const { name, onlyReal } = scenario;
  if (onlyReal !== undefined) return { scenario: `${name} (${onlyReal})`, played: 0, lines: [] };
  for (const [index, seed] of seeds.entries()) {
    const { report, trace } = await playSeed(scenario, seed, options);
    if (!isBroken(report)) continue;
    const lines = [...trace, ...reportLines(report, false)];
    const again = `again: npm run sim -- --scenario ${name} --from ${seed} --seeds 1 --trace`;
    return { scenario: name, played: index + 1, lines: [...lines, again] };
  }
  return { scenario: name, played: seeds.length, lines: [] };
}
