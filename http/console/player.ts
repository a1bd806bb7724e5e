/**
 * Moves the cursor of a history with time: plays a recording at some speed, and pauses. It has no
 * clock: whoever draws says how much time has passed.
 */
import type { History } from './history.js';

export const speeds = [0.001, 0.01, 0.1, 0.5, 1, 2, 10] as const;

/** Nothing happens in longer pauses; they are shortened to this, in milliseconds at speed 1. */
const pauseMs = 1000;

export class Player {
  isPlaying = false;
  speed = 1;
  #playedMs = 0;

  /** From the start, when the end is reached. */
  play(history: History): void {
    if (history.cursor === history.entries.length) history.seek(0);
    history.isFollowing = false;
    this.#playedMs = Math.max(history.span.fromMs, history.nowMs);
    this.isPlaying = true;
  }

  pause(history: History): void {
    this.isPlaying = false;
    history.isFollowing = false;
  }

  /** Gives whether something changed. */
  pass(history: History, elapsedMs: number): boolean {
    if (!this.isPlaying) return false;
    const before = history.cursor;
    this.#playedMs += elapsedMs * this.speed;
    const nextMs = history.nextMs();
    if (nextMs === null) {
      this.isPlaying = false;
      return true;
    }
    const wait = pauseMs * Math.min(1, this.speed);
    if (nextMs - this.#playedMs > wait) this.#playedMs = nextMs - wait;
    history.advance(this.#playedMs);
    return history.cursor !== before;
  }
}
