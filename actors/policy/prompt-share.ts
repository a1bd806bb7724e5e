/**
 * How many tokens of prompts an epoch may have while turns speak: as many as make it about
 * `STRETCH` times as long as one without prompts. Both are learned from the epochs that were, since
 * they depend on the model, the device and how far into a row a prompt has come. Until an epoch
 * without prompts was seen the share is the most, half of an epoch; the first after that are few
 * tokens, to learn what they cost.
 *
 * It never falls below `LEAST`, so a prompt ends after at most its length / `LEAST` epochs. Who is
 * in an epoch with how many tokens changes no result, so time may decide it.
 */

/** Tokens of an epoch by what they are for. */
export interface EpochMix {
  /** Turns that speak, proposals included. */
  readonly speaking: number;
  readonly prompt: number;
}

const MOST = 0.5;
const LEAST = 2;
const PROBE = 16;
const STRETCH = 2;
/** How much of a new measurement counts. */
const FRESH = 0.25;

export class PromptShare {
  readonly #most: number;
  /** Of an epoch in which nobody but speakers was; 0: not known. */
  #quietMs = 0;
  /** What a token of a prompt adds; 0: not known. */
  #tokenMs = 0;
  #running: { readonly mix: EpochMix; readonly sinceMs: number } | null = null;

  /** `tokens` of a whole epoch. */
  constructor(tokens: number) {
    this.#most = Math.max(1, Math.ceil(tokens * MOST));
  }

  get tokens(): number {
    if (this.#quietMs <= 0) return this.#most;
    if (this.#tokenMs <= 0) return Math.min(this.#most, PROBE);
    const fitting = Math.floor(((STRETCH - 1) * this.#quietMs) / this.#tokenMs);
    return Math.min(this.#most, Math.max(LEAST, fitting));
  }

  begin(mix: EpochMix, nowMs: number): void {
    this.#running = { mix, sinceMs: nowMs };
  }

  /** The epoch failed: how long it took says nothing. */
  forget(): void {
    this.#running = null;
  }

  end(nowMs: number): void {
    if (this.#running === null) return;
    const { mix, sinceMs } = this.#running;
    this.#running = null;
    const tookMs = nowMs - sinceMs;
    if (mix.speaking === 0 || tookMs <= 0) return;
    if (mix.prompt === 0) this.#quietMs = mixed(this.#quietMs, tookMs);
    else if (this.#quietMs > 0) {
      const added = Math.max(tookMs - this.#quietMs, tookMs / 100) / mix.prompt;
      this.#tokenMs = mixed(this.#tokenMs, added);
    }
  }
}

const mixed = (known: number, fresh: number): number =>
  known === 0 ? fresh : known + (fresh - known) * FRESH;
