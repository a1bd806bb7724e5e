/**
 * Limits that packages set on the workspace of a stage (`prepare.workspace_limit`): all invocations
 * of the stage that are admitted at a time keep to it together, whichever generation of the
 * deployment they belong to. One that must wait holds up nobody but later ones of its stages.
 *
 * Holds: the bytes of a stage in use never exceed its limit; who waits for a stage starts in order.
 */
import { ChurnMap } from '../base/churn-map.js';
import { assert } from '../base/errors.js';

/** What one invocation takes of one stage's limit: at most the limit itself. */
export interface WorkspaceShare {
  /** Deployment and stage. */
  readonly stage: string;
  readonly bytes: number;
  readonly limitBytes: number;
}

interface Entry {
  readonly id: string;
  readonly shares: readonly WorkspaceShare[];
  readonly start: () => void;
}

export class WorkspaceLimits {
  readonly #used = new ChurnMap<string, number>();
  #waiting: Entry[] = [];

  /** Invocations that wait. */
  get waiting(): number {
    return this.#waiting.length;
  }

  usedBytes(stage: string): number {
    return this.#used.get(stage) ?? 0;
  }

  /** Calls `start` when the shares are taken: now, or when others have left. */
  enter(id: string, shares: readonly WorkspaceShare[], start: () => void): void {
    for (const { bytes, limitBytes, stage } of shares) {
      assert(bytes <= limitBytes, `the workspace of ${stage} to be within its limit when compiled`);
    }
    if (shares.length > 0) this.#waiting.push({ id, shares, start });
    else start();
    this.#settle();
  }

  /** False when it does not wait. */
  withdraw(id: string): boolean {
    const rest = this.#waiting.filter((entry) => entry.id !== id);
    if (rest.length === this.#waiting.length) return false;
    this.#waiting = rest;
    this.#settle();
    return true;
  }

  /** An invocation that was started has ended. */
  leave(shares: readonly WorkspaceShare[]): void {
    for (const { stage, bytes } of shares) {
      const left = (this.#used.get(stage) ?? 0) - bytes;
      assert(left >= 0, `the workspace of ${stage} to be given back once`);
      if (left === 0) this.#used.delete(stage);
      else this.#used.set(stage, left);
    }
    if (shares.length > 0) this.#settle();
  }

  #settle(): void {
    const blocked = new Set<string>();
    for (const entry of this.#waiting) {
      const fits = entry.shares.every(({ stage, bytes, limitBytes }) => {
        return !blocked.has(stage) && (this.#used.get(stage) ?? 0) + bytes <= limitBytes;
      });
      if (!fits) {
        for (const { stage } of entry.shares) blocked.add(stage);
        continue;
      }
      this.#waiting = this.#waiting.filter((other) => other !== entry);
      for (const { stage, bytes } of entry.shares) {
        this.#used.set(stage, (this.#used.get(stage) ?? 0) + bytes);
      }
      entry.start();
      // What it started may have changed the line.
      return this.#settle();
    }
  }
}
