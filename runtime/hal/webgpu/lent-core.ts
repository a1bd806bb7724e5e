/**
 * Dawn looks for what is done in every turn of the event loop, so a thread that waits for it takes
 * a whole core. Of a software adapter that core is half the device, or more: while there is no
 * news, the thread sleeps between turns.
 *
 * Holds: it sleeps for a share of the time since the last news, never longer than a fixed time, and
 * not at all at first. So what is done is seen that much later at most, and short works at once.
 */
import { afterEventLoop, burstMs } from '../../base/event-loop.js';

/** Without news for so long it only looks: shorter works are not worth a sleep. */
const AT_ONCE_MS = 0.25;
/** Of the time without news. */
const SHARE = 1 / 8;
/** Whatever else the thread has to do waits as long. */
const SLEEP_MS_MAX = 0.25;

/** What a lent core needs of its thread; tests bring their own. */
export interface Thread {
  now(): number;
  sleep(ms: number): void;
  afterTurn(action: () => void): void;
}

function thisThread(): Thread {
  const nobodyWakes = new Int32Array(new SharedArrayBuffer(4));
  return {
    now: burstMs,
    sleep: (ms) => void Atomics.wait(nobodyWakes, 0, 0, ms),
    afterTurn: afterEventLoop,
  };
}

export class LentCore {
  readonly #thread: Thread;
  #waits = 0;
  #isLooking = false;
  #newsMs = 0;

  constructor(thread: Thread = thisThread()) {
    this.#thread = thread;
  }

  /** One more thing is waited for. */
  begin(): void {
    if (this.#waits === 0) this.#newsMs = this.#thread.now();
    this.#waits += 1;
    if (this.#isLooking) return;
    this.#isLooking = true;
    this.#thread.afterTurn(this.#look);
  }

  /** One of them is there. */
  end(): void {
    this.#waits -= 1;
    this.#newsMs = this.#thread.now();
  }

  readonly #look = (): void => {
    if (this.#waits === 0) {
      this.#isLooking = false;
      return;
    }
    const quietMs = this.#thread.now() - this.#newsMs;
    if (quietMs > AT_ONCE_MS) this.#thread.sleep(Math.min(quietMs * SHARE, SLEEP_MS_MAX));
    this.#thread.afterTurn(this.#look);
  };
}
