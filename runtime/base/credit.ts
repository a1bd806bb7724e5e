/**
 * Permission to move data one way: so much may be on the way at once, and no more. The same piece
 * serves both directions. Towards a client (output credit) it is taken when something is published
 * and given back when the client has read it; from a client (input credit) it is taken when a
 * packet is accepted and given back when the last work that reads it has retired.
 *
 * Holds: what is taken never exceeds the limit and never falls below zero, so the bytes that a slow
 * end can pile up are the limit, whatever it does. Whoever lacks credit waits outside: nothing here
 * queues, blocks or calls back. At the end of a stream everything has been given back (`isWhole`).
 */
import { assert, StatusError } from './errors.js';

export class Credit {
  readonly limit: number;
  readonly #what: string;
  #taken = 0;

  /** `what` names the unit and the direction in messages: 'bytes of audio input'. */
  constructor(limit: number, what: string) {
    assert(Number.isSafeInteger(limit) && limit > 0, `a credit of at least 1, not ${limit}`);
    this.limit = limit;
    this.#what = what;
  }

  get available(): number {
    return this.limit - this.#taken;
  }

  get taken(): number {
    return this.#taken;
  }

  /** Whether nothing is on the way. */
  get isWhole(): boolean {
    return this.#taken === 0;
  }

  /** Takes all of `amount` or nothing. What could never be taken is an error, not a wait. */
  acquire(amount: number): boolean {
    assert(Number.isSafeInteger(amount) && amount >= 0, `an amount of credit, not ${amount}`);
    if (amount > this.limit) {
      throw new StatusError(
        'resourceExhausted',
        `${amount} ${this.#what} at once; at most ${this.limit} may be on the way`,
      );
    }
    if (amount > this.available) return false;
    this.#taken += amount;
    return true;
  }

  return(amount: number): void {
    const isTaken = Number.isSafeInteger(amount) && amount >= 0 && amount <= this.#taken;
    assert(isTaken, `at most ${this.#taken} ${this.#what} to be given back, not ${amount}`);
    this.#taken -= amount;
  }
}
