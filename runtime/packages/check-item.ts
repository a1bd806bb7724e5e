/** One function, case or scenario of a package, checked. Plain data, for reports. */
export interface CheckItem {
  readonly kind: 'function' | 'case' | 'scenario';
  readonly name: string;
  readonly outcome: 'passed' | 'failed' | 'skipped';
  /** Why it failed or was skipped: sentences, rendered diagnostics, positions. */
  readonly details: readonly string[];
}
