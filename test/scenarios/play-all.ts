/** Plays scenarios on real threads, a test each, on as few servers as they need. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { reportLines } from '../../scenarios/report.js';
import { runMany } from '../../scenarios/run-many.js';
import { isBroken, type ScenarioReport } from '../../scenarios/run-scenario.js';
import type { Scenario } from '../../scenarios/scenario.js';

export function playAll(scenarios: readonly Scenario[]): void {
  const reports = new Map<string, ScenarioReport>();
  test.before(() =>
    runMany(scenarios, null, (report) => void reports.set(report.scenario.name, report)),
  );
  for (const { name, about } of scenarios) {
    test(`${name}: ${about}`, () => {
      const report = reports.get(name)!;
      assert.not.ok(isBroken(report), reportLines(report, false).join('\n'));
      assert.is(report.skipped, null);
    });
  }
  test.run();
}
