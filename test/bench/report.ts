/**
 * What a benchmark prints: one line of JSON at the end of its output, read by test/bench/run.ts.
 * Anything before it is for people.
 */
export interface BenchRow {
  readonly name: string;
  readonly value: number;
  /** `ms`, `us`, `req/s`, `x` for a ratio, … */
  readonly unit: string;
  readonly better: 'lower' | 'higher';
  /** What must hold, where something must. */
  readonly goal?: number;
}

export interface BenchReport {
  readonly name: string;
  readonly rows: readonly BenchRow[];
}

export function printReport(report: BenchReport): void {
  console.log(JSON.stringify(report));
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const high = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? NaN) + high) / 2;
}
