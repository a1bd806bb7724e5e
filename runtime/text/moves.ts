/**
 * What has to be done on the device before the next epoch, in order: copies of pages and states,
 * and states that become those of an empty row. Listed here, run by whoever submits.
 */
export type Move =
  | { readonly kind: 'page'; readonly from: number; readonly to: number; readonly bytes: number }
  | { readonly kind: 'state'; readonly from: number; readonly to: number; readonly bytes: number }
  | { readonly kind: 'clear'; readonly state: number };

export class MoveList {
  readonly #pageBytes: number;
  readonly #stateBytes: number;
  #pending: Move[] = [];
  #copiedBytes = 0;

  constructor(bytes: { readonly pageBytes: number; readonly stateBytes: number }) {
    this.#pageBytes = bytes.pageBytes;
    this.#stateBytes = bytes.stateBytes;
  }

  get pending(): readonly Move[] {
    return this.#pending;
  }

  /** Bytes of all copies that were ever listed. */
  get copiedBytes(): number {
    return this.#copiedBytes;
  }

  copyPage(from: number, to: number): void {
    this.#copiedBytes += this.#pageBytes;
    this.#pending.push({ kind: 'page', from, to, bytes: this.#pageBytes });
  }

  copyState(from: number, to: number): void {
    this.#copiedBytes += this.#stateBytes;
    this.#pending.push({ kind: 'state', from, to, bytes: this.#stateBytes });
  }

  clear(state: number): void {
    this.#pending.push({ kind: 'clear', state });
  }

  /** A submission has them now. */
  drain(): readonly Move[] {
    const moves = this.#pending;
    this.#pending = [];
    return moves;
  }
}
