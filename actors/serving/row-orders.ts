/**
 * Rows that are to be read, or filled with what came from outside, in order. Owned by the
 * generation, which carries one out instead of an epoch.
 *
 * Holds: each is carried out or fails, once, whatever becomes of the rows before its turn.
 */
import type { StatusRecord } from '../../runtime/base/errors.js';
import type { RowOrder } from './row-transfer.js';
import type { TurnTable } from './turn-table.js';

export interface RowOrdersHost {
  readonly turns: () => TurnTable;
  /** Of one row. */
  readonly stateBytes: number;
  /** Tells a session. */
  readonly tell: (session: string, kind: string, payload: object) => void;
}

export class RowOrders {
  readonly #host: RowOrdersHost;
  #waiting: RowOrder[] = [];
  /** Of those, the ones that may be carried out; Infinity: all. */
  #due = Infinity;

  constructor(host: RowOrdersHost) {
    this.#host = host;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Some may be carried out now. */
  get isDue(): boolean {
    return Math.min(this.#due, this.#waiting.length) > 0;
  }

  push(order: RowOrder): void {
    this.#waiting.push(order);
  }

  next(): RowOrder | null {
    if (!this.isDue) return null;
    this.#due -= 1;
    return this.#waiting.shift()!;
  }

  /** Those that come from now on wait until the rows have been given up and come back. */
  shut(): void {
    this.#due = Math.min(this.#due, this.#waiting.length);
  }

  open(): void {
    this.#due = Infinity;
  }

  /** The rows cannot be had. */
  fail(status: StatusRecord): void {
    for (const { session } of this.#waiting.splice(0)) {
      this.#host.tell(session, 'row.failed', { status });
    }
  }

  /**
   * What the rows held is gone: one that was to be filled gets its pages anew, or reads its ids
   * later; of one that was to be read the ids are left, if they are.
   */
  evicted(): void {
    this.#waiting = this.#waiting.filter((order) => {
      if (order.image !== null) return this.#refill(order);
      this.#giveIds(order);
      return false;
    });
  }

  #giveIds({ row, session }: RowOrder): void {
    const { turns, stateBytes, tell } = this.#host;
    const status = turns().rows.lossOf(row);
    if (status !== null) tell(session, 'row.failed', { status });
    else tell(session, 'row.read', { bytes: new Uint8Array(stateBytes) });
  }

  #refill({ row, session, image }: RowOrder): boolean {
    const { rows } = this.#host.turns();
    if (rows.refill(row, image!)) return true;
    this.#host.tell(session, 'row.written', {});
    return false;
  }
}
