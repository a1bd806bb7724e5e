/**
 * What was taken from a run: threads, the driver, commands, reads, memory, time. Laws ask it,
 * because an answer that would be a bug in a healthy run is the right one after a loss.
 */
export type LostThing = 'clock' | 'command' | 'driver' | 'memory' | 'read' | 'thread';

export class Losses {
  readonly #times: { readonly what: LostThing; readonly atMs: number }[] = [];

  add(what: LostThing, atMs: number): void {
    this.#times.push({ what, atMs });
  }

  /** Whether any of these happened up to now. */
  any(...things: readonly LostThing[]): boolean {
    return this.#times.some(({ what }) => things.includes(what));
  }

  /** Whether the process stood still for a while that began between these two. */
  stoodStill(fromMs: number, toMs: number): boolean {
    return this.#times.some(({ what, atMs }) => what === 'clock' && atMs >= fromMs && atMs <= toMs);
  }
}
