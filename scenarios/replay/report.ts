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
  lines.push(...listOf('not complete', verdicts.incompletes, incomplete));
  lines.push(...listOf('different', verdicts.differences, differing));
  if (first === null) return lines;
  const { told, then, now } = first;
  lines.push(`first difference: ${told.id} ${told.what}`, `  ${told.says}`);
  lines.push(...wayOf('recorded', then), ...wayOf('now', now));
  return lines;
}

function listOf(what: string, told: readonly Told[], count: number): string[] {
  const lines = told.slice(0, LISTED).map((one) => `  ${what}: ${one.id} ${one.what}: ${one.says}`);
  return count > LISTED ? [...lines, `  … and ${count - LISTED} more ${what}`] : lines;
}

function wayOf(when: string, transitions: readonly string[]): string[] {
  if (transitions.length === 0) return [`  its transitions, ${when}: there are no records of it`];
  return [`  its transitions, ${when}:`, ...transitions.map((line) => `  ${line}`)];
}
