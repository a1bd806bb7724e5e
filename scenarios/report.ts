/** A report as lines: what happened, act by act, and what had to hold. */
import { tellMoment } from './check-acts.js';
import { endOf } from './expectations.js';
import type { Outcome } from './outcome.js';
import { isBroken, type ScenarioReport } from './run-scenario.js';
import { isCall, type Act } from './scenario.js';

/** Acts that are told one by one; of a crowd the first ones. */
const ACTS_MAX = 24;

export function reportLines(report: ScenarioReport, isBrief: boolean): string[] {
  const { scenario, verdicts, skipped } = report;
  const { name, about, acts } = scenario;
  if (skipped !== null) return [`skipped ${name}: ${skipped}`];
  const broken = isBroken(report);
  const head = `${broken ? 'FAILED ' : 'holds  '} ${name}`;
  if (isBrief && !broken) return [head];
  const told = acts.slice(0, ACTS_MAX).map((act) => actLine(act, report));
  const more = acts.length > ACTS_MAX ? [`  and ${acts.length - ACTS_MAX} acts more`] : [];
  const held = verdicts.map(({ says, fault }) =>
    fault === null ? `  holds: ${says}` : `  FAILED: ${says}\n          ${fault}`,
  );
  return [head, `  ${about}`, ...told, ...more, ...held];
}

function actLine(act: Act, { outcomes, startMs }: ScenarioReport): string {
  const { name, does } = act;
  const what = isCall(does) ? `${does.method} ${does.path}` : `${does.kind} ${detailOf(does)}`;
  const outcome = outcomes.all.find((one) => one.name === name) ?? null;
  const when = act.when === undefined ? '' : ` after ${tellMoment(act.when)}`;
  const leaves = act.leaves === undefined ? '' : `, leaves after ${tellMoment(act.leaves)}`;
  return `  ${timesOf(outcome, startMs)} ${name}: ${what}${when}${leaves}: ${resultOf(act, outcome)}`;
}

const detailOf = (fault: object): string => ('thread' in fault ? String(fault.thread) : '');

function timesOf(outcome: Outcome | null, startMs: number): string {
  if (outcome === null) return '   –        ';
  const [from, to] = [outcome.sentMs, outcome.endedMs].map((ms) => Math.round(ms - startMs));
  return `${from}–${to} ms`.padEnd(12);
}

function resultOf({ does }: Act, outcome: Outcome | null): string {
  if (outcome === null) return 'has not ended';
  if (!isCall(does)) return 'done';
  const { events } = outcome;
  return events.length === 0 ? endOf(outcome) : `${endOf(outcome)}, ${events.length} events`;
}
