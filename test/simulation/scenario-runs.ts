/**
 * A scenario under a seed: played in simulation with every law, from a server that starts to one
 * that is drained and holds nothing.
 */
import { unregisters } from '../../scenarios/packages.js';
import { asked } from '../../scenarios/ground.js';
import { runScenario, type ScenarioReport } from '../../scenarios/run-scenario.js';
import type { Scenario } from '../../scenarios/scenario.js';
import type { DiskPackages } from './disk-packages.js';
import { laws } from './laws.js';
import { ScenarioWorld } from './scenario-world.js';

/** Actors that no server ends. */
const outside = [/^main:\/(pool|files|streams)$/];

export interface SeedOutcome {
  readonly seed: number;
  /** With the laws among what had to hold. */
  readonly report: ScenarioReport;
  /** Of every step. */
  readonly steps: readonly string[];
  readonly trace: readonly string[];
}

export async function playSeed(
  scenario: Scenario,
  seed: number,
  { packages, withTrace = false }: { packages: DiskPackages; withTrace?: boolean },
): Promise<SeedOutcome> {
  const settings = scenario.settings ?? {};
  const world = new ScenarioWorld({ seed, settings, packages, withTrace });
  const { ground, server, watch } = world;
  const play = async (): Promise<ScenarioReport> => {
    await world.ready();
    const report = await runScenario(scenario, ground, new Map());
    for (const { id } of scenario.packages) await asked(ground, unregisters(id));
    return report;
  };
  const report = await world.run(play());
  await world.drain();
  server.world.run({ stepsMax: 10_000 });
  watch.checkRest(server, outside);
  const broken = watch.collected.violations.map(({ law, detail }) => ({
    says: `law ${law}: ${laws[law]}`,
    fault: detail,
  }));
  return {
    seed,
    report: { ...report, verdicts: [...report.verdicts, ...broken] },
    steps: server.world.trace,
    trace: watch.lines ?? [],
  };
}
