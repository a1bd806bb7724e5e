/**
 * How many tokens of prompts an epoch may have while turns speak: as many as make it about
 * `STRETCH` times as long as one without prompts. Both are learned from the epochs that were, since
 * they depend on the model, the device, how many speak and how far into a row a prompt has come.
 * Until an epoch without prompts was seen the share is the most, half of an epoch; the first after
 * that are few tokens, to learn what they cost.
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
  /** Of epochs in which nobody but speakers was, by their number: 1, 2, up to 4, up to 8, … */
  readonly #quietMs: (number | undefined)[] = [];
  /** What prompts have added to epochs, and their tokens: a mean of each. No tokens: not known. */
  #addedMs = 0;
  #addedTokens = 0;
  #running: { readonly mix: EpochMix; readonly sinceMs: number } | null = null;

  /** `tokens` of a whole epoch. */
  constructor(tokens: number) {
    this.#most = Math.max(1, Math.ceil(tokens * MOST));
  }

  /** For prompts beside so many tokens of turns that speak. */
  tokensBeside(speaking: number): number {
    const quietMs = this.#quietOf(speaking);
    if (quietMs === undefined) return this.#most;
    if (this.#addedTokens <= 0) return Math.min(this.#most, PROBE);
    const fitting = Math.floor(((STRETCH - 1) * quietMs) / this.#tokenMs(quietMs));
    // What far more tokens would cost is not known from few: delays of another kind hide it.
    const tried = Math.max(PROBE, Math.ceil(2 * this.#addedTokens));
    return Math.min(this.#most, tried, Math.max(LEAST, fitting));
  }

  /** What a token of a prompt adds, at least something. */
  #tokenMs(quietMs: number): number {
    return Math.max(this.#addedMs, quietMs / 100) / this.#addedTokens;
  }

  /** Where none with as many was seen, of the nearest with fewer, else of those with more. */
  #quietOf(speaking: number): number | undefined {
    const size = sizeOf(speaking);
    const fewer = this.#quietMs.slice(0, size + 1).findLast((ms) => ms !== undefined);
    return fewer ?? this.#quietMs.find((ms) => ms !== undefined);
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
    const size = sizeOf(mix.speaking);
    const quietMs = this.#quietMs[size];
    if (mix.prompt === 0) this.#quietMs[size] = mixed(quietMs, tookMs);
    else if (quietMs !== undefined)
      this.#learn(Math.max(tookMs - quietMs, tookMs / 100), mix.prompt);
    else if (this.#addedTokens > 0) {
      // No epoch with so many speakers may be without prompts for long: what is left is theirs.
      const left = tookMs - mix.prompt * this.#tokenMs(tookMs);
      this.#quietMs[size] = Math.max(tookMs / STRETCH, left);
    }
  }

  /**
   * Not a mean of quotients: what else delays an epoch would weigh most where tokens are few, and
   * would keep them few. An epoch that was shorter than one without prompts adds something all the
   * same, or prompts would seem to cost nothing.
   */
  #learn(addedMs: number, tokens: number): void {
    const isFirst = this.#addedTokens === 0;
    this.#addedMs = mixed(isFirst ? undefined : this.#addedMs, addedMs);
    this.#addedTokens = mixed(isFirst ? undefined : this.#addedTokens, tokens);
  }
}

/** Epochs whose speaking tokens are equally many to a factor of two take about as long. */
const sizeOf = (speaking: number): number => Math.ceil(Math.log2(Math.max(1, speaking)));

const mixed = (known: number | undefined, fresh: number): number =>
  known === undefined ? fresh : known + (fresh - known) * FRESH;
