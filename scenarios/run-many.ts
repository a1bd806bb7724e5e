/**
 * Runs scenarios one after another. Those that want the same of a server share one, where packages
 * are registered once; what harms a server keeps to one of its own. With a URL all go there.
 */
import { createServer } from 'node:net';
import { StatusError } from '../runtime/base/errors.js';
import { asked } from './ground.js';
import { httpGround } from './http-ground.js';
import { startOwnServer } from './own-server.js';
import { runScenario, type ScenarioReport } from './run-scenario.js';
import { hasFaults, type Scenario } from './scenario.js';

type OnReport = (report: ScenarioReport) => void;

export async function runMany(
  scenarios: readonly Scenario[],
  url: string | null,
  onReport: OnReport,
): Promise<void> {
  if (url === null) {
    for (const alike of likes(scenarios)) await runOnOwn(alike, onReport);
    return;
  }
  const ground = httpGround(url.replace(/\/$/, ''), {
    harm: null,
    hold: null,
    transitions: null,
  });
  const served = new Map<string, string>();
  // Timers do not keep a process alive, and between two calls nothing else would.
  const alive = createServer().listen(0, '127.0.0.1');
  try {
    await asked(ground, { method: 'GET', path: '/livez' }).catch((error: Error) => {
      const why = (error.cause as Error | undefined)?.message ?? error.message;
      throw new StatusError('unavailable', `${url} cannot be reached: ${why}`);
    });
    for (const scenario of scenarios) onReport(await runScenario(scenario, ground, served));
  } finally {
    alive.close();
  }
}

/** In the order of the first of each kind. */
function likes(scenarios: readonly Scenario[]): Scenario[][] {
  const kinds = new Map<string, Scenario[]>();
  for (const scenario of scenarios) {
    const kind = JSON.stringify([scenario.settings ?? {}, hasFaults(scenario)]);
    kinds.set(kind, [...(kinds.get(kind) ?? []), scenario]);
  }
  return [...kinds.values()];
}

async function runOnOwn(scenarios: readonly Scenario[], onReport: OnReport): Promise<void> {
  const server = await startOwnServer(scenarios[0]?.settings ?? {});
  const served = new Map<string, string>();
  try {
    for (const scenario of scenarios) {
      onReport(await runScenario(scenario, server.ground, served));
    }
  } finally {
    await server.close();
  }
}
