/** What the bank table tells the actor that fills a bank, and asks it. */
import type { DeviceRange } from '../hal/buffer.js';

export interface BankCalls {
  /** Storage is placed: fill it, then say `activated` or `failed`. */
  onActivate(storage: DeviceRange, staging: readonly DeviceRange[]): void;
  /** Room is needed or it was asked to leave: say `left` when nobody uses it any more. */
  onEvict(): void;
  /** The last invocation that used it has retired. */
  onUnused(): void;
  /** Of the activation that runs, or ran last. */
  progress(): BankProgress;
}

export interface BankProgress {
  readonly loadedBytes: number;
  readonly totalBytes: number;
  /** NaN and infinity among the values that were decoded. */
  readonly nonFinite: number;
}
