/** One function, case or scenario of a package, checked. Plain data, for reports. */
import { toStatus } from '../base/errors.js';

export interface CheckItem {
  readonly kind: 'function' | 'case' | 'scenario';
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped: sentences, rendered diagnostics, positions. */
  readonly details: readonly string[];
}

/** What an error says, for a report: its message, then its details where they say more. */
export function failureLines(error: unknown): readonly string[] {
  const { message, details = [] } = toStatus(error);
  return details.some((line) => line.includes(message)) ? details : [message, ...details];
}
