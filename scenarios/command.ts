/** What `loom-serve scenario` runs; http loads this file by name, so that it builds without it. */
import { StatusError } from '../runtime/base/errors.js';
import type { Scenarios, ScenarioAsk } from '../http/cli/scenario.js';
import { allScenarios } from './all-scenarios.js';
import { reportLines } from './report.js';
import { runMany } from './run-many.js';
import { isBroken } from './run-scenario.js';

export const scenarios: Scenarios = {
  list: () => allScenarios.map(({ name, about }) => ({ name, about })),
  async run({ names, url, onLines }: ScenarioAsk) {
    const wanted = names.length === 0 ? allScenarios : names.map(find);
    const counts = { held: 0, failed: 0, skipped: 0 };
    await runMany(wanted, url, (report) => {
      onLines(reportLines(report, wanted.length > 1));
      if (report.skipped !== null) counts.skipped += 1;
      else if (isBroken(report)) counts.failed += 1;
      else counts.held += 1;
    });
    return counts;
  },
};

function find(name: string): (typeof allScenarios)[number] {
  const found = allScenarios.find((one) => one.name === name);
  if (found !== undefined) return found;
  throw new StatusError('notFound', `no scenario is called ${name}; --list names them all`);
}
