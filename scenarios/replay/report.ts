/** A replay as lines for people. */
import type { ReplayReport } from './run-replay.js';
import type { Told } from './verdicts.js';

const LISTED = 20;

export function reportLines(mode: string, report: ReplayReport): readonly string[] {
  const { verdicts, first, warnings, seconds } = report;
  const { equal, dividedOtherwise, differing, incomplete, uncompared } = verdicts;
  const lines = [
    ...warnings.map((warning) => `warning: ${warning}`),
    `${mode}: ${verdicts.count} requests in ${seconds.toFixed(1)} s: ${equal} equal, ` +
      `${differing} different, ${incomplete} not complete in both`,
  ];
  if (dividedOtherwise > 0) {
    lines.push(`  ${dividedOtherwise} streams said the same in other events`);
  }
  for (const [reason, count] of uncompared) lines.push(`  ${count} not compared: ${reason}`);
  for (const [reason, { count, ids }] of verdicts.incompletes) {
    lines.push(`  ${count} not complete: ${reason}: ${idsOf(ids, count)}`);
  }
  lines.push(...differencesOf(verdicts.differences, differing));
  if (first === null) return lines;
  const { told, then, now } = first;
  lines.push(`first difference: ${told.id} ${told.what}`, `  ${told.says}`);
  lines.push(...wayOf('recorded', then), ...wayOf('now', now));
  return lines;
}

function idsOf(ids: readonly string[], count: number): string {
  const shown = ids.slice(0, LISTED).join(', ');
  return count > LISTED ? `${shown} and ${count - LISTED} more` : shown;
}

function differencesOf(told: readonly Told[], count: number): string[] {
  const lines = told
    .slice(0, LISTED)
    .map(({ id, what, says }) => `  different: ${id} ${what}: ${says}`);
  return count > LISTED ? [...lines, `  … and ${count - LISTED} more that differ`] : lines;
}

function wayOf(when: string, transitions: readonly string[]): string[] {
  if (transitions.length === 0) return [`  its transitions, ${when}: there are no records of it`];
  return [`  its transitions, ${when}:`, ...transitions.map((line) => `  ${line}`)];
}
