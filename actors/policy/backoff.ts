/**
 * How long to wait before the next attempt to bring back what was lost: doubles with each attempt
 * in a row, up to a bound. Whoever counts the attempts forgets them after a steady while.
 */
export interface Backoff {
  readonly initialMs: number;
  readonly maxMs: number;
  /** What ran this long without a loss starts to count anew. */
  readonly steadyMs: number;
}

/** `attempts` from 1. */
export function backoffMs({ initialMs, maxMs }: Backoff, attempts: number): number {
  return Math.min(maxMs, initialMs * 2 ** Math.max(0, attempts - 1));
}
