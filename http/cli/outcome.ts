/**
 * How a command ends: exit codes, and errors as lines. 0 is success, 1 what the command found wrong
 * (a program, a check, a port in use), 2 a mistake on the command line.
 */
import { CommanderError } from 'commander';
import { StatusError, toStatus } from '../../runtime/base/errors.js';
import { paint } from './terminal.js';
import type { Terminal } from './terminal.js';

export const exitCodes = { success: 0, failure: 1, usage: 2 } as const;

/** Runs a command to its exit code; whatever it throws is shown once. */
export async function settle(terminal: Terminal, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } catch (error) {
    // Commander has printed its own, and help and version are no failures.
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
    }
    showError(terminal, error);
    return exitCodes.failure;
  }
}

export function showError(terminal: Terminal, error: unknown): void {
  const record = toStatus(error);
  const details = record.details ?? [];
  const summary = summaryOf(record.message, details);
  if (summary !== record.message) terminal.err(details.join('\n\n'));
  if (summary !== null) terminal.err(`${paint(terminal, 'red', 'error:')} ${summary}`);
  if (summary === record.message) details.forEach((line) => terminal.err(`  ${line}`));
  if (!(error instanceof StatusError) && error instanceof Error && error.stack !== undefined) {
    terminal.err(paint(terminal, 'dim', error.stack));
  }
}

/** Diagnostics say the message and more; repeating it would say the first of them twice. */
function summaryOf(message: string, details: readonly string[]): string | null {
  const [first] = details[0]?.split('\n', 1) ?? [];
  if (first === undefined || !message.startsWith(first)) return message;
  return details.length > 1 ? `${details.length} problems` : null;
}
