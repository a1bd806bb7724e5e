/**
 * Runs one scenario on a ground, from serving its packages to a server at rest, and judges it.
 * Sessions that it opened are closed first, so that rows are given back.
 */
import { toStatus } from '../runtime/base/errors.js';
import { asked, type Ground } from './ground.js';
import { lawfulStreams, restFault } from './laws.js';
import { jsonOf, Outcomes, type Outcome } from './outcome.js';
import { registers } from './packages.js';
import { Play } from './play.js';
import {
  hasFaults,
  hasHolds,
  isCall,
  isFault,
  needsTransitions,
  type Act,
  type PackageNeed,
  type Scenario,
} from './scenario.js';

export interface Verdict {
  readonly says: string;
  /** Null: it holds. */
  readonly fault: string | null;
}

export interface ScenarioReport {
  readonly scenario: Scenario;
  readonly outcomes: Outcomes;
  /** Since the beginning, by act. */
  readonly startMs: number;
  readonly verdicts: readonly Verdict[];
  /** Why it was not run; null when it was. */
  readonly skipped: string | null;
}

export const isBroken = ({ verdicts }: ScenarioReport): boolean =>
  verdicts.some(({ fault }) => fault !== null);

/** `served` knows by id what serves on this ground already, and is told. */
export async function runScenario(
  scenario: Scenario,
  ground: Ground,
  served: Map<string, string>,
): Promise<ScenarioReport> {
  const skipped = reasonToSkip(scenario, ground);
  if (skipped !== null) return report(scenario, { skipped });
  const verdicts: Verdict[] = [];
  for (const need of scenario.packages) {
    const fault = await serve(need, ground, served);
    if (fault !== null) verdicts.push({ says: `package ${need.id} serves`, fault });
  }
  if (scenario.acts.some(changesPackages)) served.clear();
  if (verdicts.length > 0) return report(scenario, { verdicts });
  if (needsTransitions(scenario)) await ground.transitions!.begin();
  const startMs = ground.clock.now();
  const play = new Play(scenario, ground);
  const hang = await play.run().then(
    () => null,
    (error: unknown) => toStatus(error).message,
  );
  verdicts.push({ says: 'every act has ended', fault: hang });
  if (hang !== null) return report(scenario, { outcomes: play.outcomes, verdicts, startMs });
  for (const { says, fault } of [...scenario.expects, lawfulStreams]) {
    verdicts.push({ says, fault: fault(play.outcomes) });
  }
  await closeSessions(play.outcomes, ground);
  verdicts.push({ says: 'the server comes to rest', fault: await restFault(ground) });
  return report(scenario, { outcomes: play.outcomes, verdicts, startMs });
}

function report(scenario: Scenario, known: Partial<ScenarioReport>): ScenarioReport {
  return { scenario, outcomes: new Outcomes(), verdicts: [], skipped: null, startMs: 0, ...known };
}

function reasonToSkip(scenario: Scenario, { harm, hold, transitions }: Ground): string | null {
  if (hasFaults(scenario) && harm === null)
    return 'it harms the server, and this one is not its own';
  if (needsTransitions(scenario) && transitions === null) {
    return 'it acts at transitions, and those of this server cannot be had';
  }
  if (hasHolds(scenario) && hold === null) {
    return 'it holds up the server, and this one is not its own';
  }
  return null;
}

const changesPackages = ({ does }: Act): boolean =>
  isFault(does) || (isCall(does) && does.method !== 'GET' && does.path.startsWith('/admin/models'));

async function serve(
  need: PackageNeed,
  ground: Ground,
  served: Map<string, string>,
): Promise<string | null> {
  const wanted = JSON.stringify(need);
  if (served.get(need.id) === wanted) return null;
  const { status, text } = await asked(ground, registers(need));
  if (status !== 200) return text;
  served.set(need.id, wanted);
  return null;
}

/** Whatever an act that opened one has answered. */
async function closeSessions(outcomes: Outcomes, ground: Ground): Promise<void> {
  const opened = outcomes.all.flatMap((outcome) => sessionOf(outcome) ?? []);
  for (const id of new Set(opened)) {
    const path = `/v1/sessions/${encodeURIComponent(id)}`;
    await asked(ground, { method: 'DELETE', path });
  }
}

function sessionOf(outcome: Outcome): string | null {
  const { object, id } = (jsonOf(outcome) ?? {}) as { object?: string; id?: string };
  return object === 'session' && id !== undefined ? id : null;
}
