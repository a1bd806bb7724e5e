/**
 * Requests that are being answered, by id, so that one can be ended by another; and streams that
 * are being written, for what they hold. Whoever enters something takes it out again, however it
 * ends.
 */

import { ChurnMap } from '../runtime/base/churn-map.js';
/** Something that holds bytes for a reader. */
export interface HeldBytes {
  readonly heldBytes: number;
}

export class OpenRequests {
  /** Clients choose ids, so several requests may share one. */
  readonly #cancels = new ChurnMap<string, Set<() => void>>();
  readonly #streams = new Set<HeldBytes>();

  /** `cancel` ends the request; gives back how to take it out. */
  enter(id: string, cancel: () => void): () => void {
    const cancels = this.#cancels.get(id) ?? new Set();
    this.#cancels.set(id, cancels.add(cancel));
    return () => {
      cancels.delete(cancel);
      if (cancels.size === 0) this.#cancels.delete(id);
    };
  }

  /** How many requests with this id were told to end. */
  cancel(id: string): number {
    const cancels = [...(this.#cancels.get(id) ?? [])];
    for (const cancel of cancels) cancel();
    return cancels.length;
  }

  enterStream(stream: HeldBytes): () => void {
    this.#streams.add(stream);
    return () => void this.#streams.delete(stream);
  }

  /** Ids under which requests are open. */
  get requests(): number {
    return this.#cancels.size;
  }

  get streams(): number {
    return this.#streams.size;
  }

  get heldBytes(): number {
    return [...this.#streams].reduce((sum, stream) => sum + stream.heldBytes, 0);
  }
}
