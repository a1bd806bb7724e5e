/**
 * Ends a text before the first stop that is complete, wherever the pieces of the text were cut.
 * What may still become a stop is held back; everything else goes on at once.
 */
export class StopText {
  readonly #stops: readonly string[];
  #held = '';
  #isStopped = false;

  /** Empty stops stop nothing. */
  constructor(stops: readonly string[]) {
    this.#stops = stops.filter((stop) => stop !== '');
  }

  get isStopped(): boolean {
    return this.#isStopped;
  }

  /** Text that may be published now. After a stop there is none. */
  push(text: string): { readonly text: string; readonly isStopped: boolean } {
    if (this.#isStopped) return { text: '', isStopped: true };
    const whole = this.#held + text;
    const at = this.#firstStop(whole);
    this.#isStopped = at !== null;
    const end = at ?? whole.length - this.#openLength(whole);
    this.#held = this.#isStopped ? '' : whole.slice(end);
    return { text: whole.slice(0, end), isStopped: this.#isStopped };
  }

  /** No more text comes: what was held back was no stop. */
  end(): string {
    const rest = this.#held;
    this.#held = '';
    return rest;
  }

  /** Where the stop starts that is complete first; of several that end there, the longest. */
  #firstStop(text: string): number | null {
    let found: { start: number; end: number } | null = null;
    for (const stop of this.#stops) {
      const start = text.indexOf(stop);
      if (start < 0) continue;
      const end = start + stop.length;
      const isFirst =
        found === null || end < found.end || (end === found.end && start < found.start);
      if (isFirst) found = { start, end };
    }
    return found?.start ?? null;
  }

  /** How much of the text's end is the beginning of a stop. */
  #openLength(text: string): number {
    let longest = 0;
    for (const stop of this.#stops) {
      for (let length = Math.min(stop.length - 1, text.length); length > longest; length--) {
        if (text.endsWith(stop.slice(0, length))) longest = length;
      }
    }
    return longest;
  }
}
