/**
 * Runs scenarios one after another. Those that need nothing special share a server, with packages
 * registered once; each that does has one of its own. With a URL all go to the server there.
 */
import { httpGround } from './http-ground.js';
import { startOwnServer, type OwnServer } from './own-server.js';
import { runScenario, type ScenarioReport } from './run-scenario.js';
import { needsOwnServer, type Scenario } from './scenario.js';

export async function runMany(
  scenarios: readonly Scenario[],
  url: string | null,
  onReport: (report: ScenarioReport) => void,
): Promise<void> {
  if (url !== null) {
    const ground = httpGround(url.replace(/\/$/, ''), { harm: null, transitions: null });
    const served = new Map<string, string>();
    for (const scenario of scenarios) onReport(await runScenario(scenario, ground, served));
    return;
  }
  let shared: OwnServer | null = null;
  const served = new Map<string, string>();
  try {
    for (const scenario of scenarios) {
      if (needsOwnServer(scenario)) onReport(await onItsOwn(scenario));
      else {
        shared ??= await startOwnServer({});
        onReport(await runScenario(scenario, shared.ground, served));
      }
    }
  } finally {
    await shared?.close();
  }
}

async function onItsOwn(scenario: Scenario): Promise<ScenarioReport> {
  const server = await startOwnServer(scenario.settings ?? {});
  try {
    return await runScenario(scenario, server.ground, new Map());
  } finally {
    await server.close();
  }
}
