/**
 * Admission to a device's memory: whoever needs bytes asks once for all of them and is admitted in
 * order of arrival, so nobody holds one part while it waits for another.
 *
 * Holds: bytes in the ledger plus bytes reserved never exceed the limit (law I7). What can never
 * fit is refused at once. Nobody overtakes an ask that waits for what ends by itself: a smaller one
 * behind it waits. One that waits for rows in use is passed by whoever fits meanwhile, for those
 * who use the rows are among them; it is the first again when they have been given up.
 * Called by the device thread; whoever frees bytes calls `settle`.
 */
import { assert, StatusError } from '../base/errors.js';
import type { Owner } from '../hal/submission.js';
import type { Lease, Ledger } from './ledger.js';

/**
 * Where lacking bytes come from: from what leaves or ends by itself, from rows that somebody uses,
 * or from nowhere as things are.
 */
export type RoomOutlook = 'soon' | 'inUse' | 'never';

export interface Ask {
  /** Read anew at each try: what it lacks may have come or gone while it waited. */
  readonly bytes: number;
  /** The most that it may ever need; default: `bytes`. Beyond the limit it is refused at once. */
  readonly mostBytes?: number;
  /**
   * Told how many bytes are lacking, or are needed in one piece: what is idle may leave then.
   * Without it they come soon.
   */
  readonly makeRoom?: (bytes: number) => RoomOutlook;
  /** No bytes will come, as things are; without it, it waits on. It has left the line. */
  readonly onStuck?: () => void;
  /** What asks, for messages. */
  readonly label: string;
  /**
   * The bytes are reserved: place them and charge them, or keep the reservation for later. False
   * when they cannot be placed now (the room is in pieces): the ask then stays at the head.
   */
  readonly admit: (reservation: Reservation) => boolean;
}

/** Bytes set aside for one ask, until they are charged or given up. */
export class Reservation {
  readonly #budget: Budget;
  #bytes: number;

  constructor(budget: Budget, bytes: number) {
    this.#budget = budget;
    this.#bytes = bytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Turns reserved bytes into a lease. */
  charge(owner: Owner, bytes: number): Lease {
    assert(bytes <= this.#bytes, 'at most what was reserved to be charged');
    this.#bytes -= bytes;
    return this.#budget.charge(owner, bytes);
  }

  /** Gives up what was not charged. */
  release(): void {
    this.#budget.giveUp(this.#bytes);
    this.#bytes = 0;
  }
}

export class Budget {
  readonly ledger: Ledger;
  readonly #waiting: Ask[] = [];
  #reserved = 0;
  #settling = false;

  constructor(ledger: Ledger) {
    this.ledger = ledger;
  }

  get limitBytes(): number {
    return this.ledger.limitBytes;
  }

  get reservedBytes(): number {
    return this.#reserved;
  }

  /** Asks that are not admitted yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Refuses what can never fit, with the limit and the knob. */
  forecast(bytes: number, label: string): void {
    if (bytes <= this.limitBytes) return;
    throw new StatusError(
      'resourceExhausted',
      `${label} needs ${bytes} bytes of device memory; the limit is ${this.limitBytes} (--memory)`,
    );
  }

  /** Admits now or later, in order. Throws when it can never fit. */
  ask(ask: Ask): void {
    this.forecast(ask.mostBytes ?? ask.bytes, ask.label);
    this.#waiting.push(ask);
    this.settle();
  }

  /** Takes back an ask that was not admitted; false when it was admitted already. */
  withdraw(ask: Ask): boolean {
    const index = this.#waiting.indexOf(ask);
    if (index < 0) return false;
    this.#waiting.splice(index, 1);
    this.settle();
    return true;
  }

  /**
   * Admits from the head as far as bytes reach. To be called after every change that frees some.
   */
  settle(): void {
    if (this.#settling) return;
    this.#settling = true;
    try {
      while (this.#admitNext());
    } finally {
      this.#settling = false;
    }
  }

  charge(owner: Owner, bytes: number): Lease {
    this.#reserved -= bytes;
    return this.ledger.charge(owner, bytes);
  }

  giveUp(bytes: number): void {
    this.#reserved -= bytes;
    this.settle();
  }

  #free(): number {
    return this.limitBytes - this.ledger.bytes - this.#reserved;
  }

  /** False: nobody can be admitted now. */
  #admitNext(): boolean {
    for (const ask of [...this.#waiting]) {
      const outcome = this.#tryOne(ask);
      if (outcome === 'admitted') return true;
      if (outcome === 'never' && ask.onStuck !== undefined) {
        this.#waiting.splice(this.#waiting.indexOf(ask), 1);
        ask.onStuck();
        return true;
      }
      if (outcome !== 'inUse') return false;
    }
    return false;
  }

  #tryOne(ask: Ask): 'admitted' | RoomOutlook {
    const short = ask.bytes - this.#free();
    const outlook = short > 0 ? (ask.makeRoom?.(short) ?? 'soon') : 'soon';
    const { bytes } = ask;
    if (bytes > this.#free()) return outlook;
    const at = this.#waiting.indexOf(ask);
    this.#waiting.splice(at, 1);
    this.#reserved += bytes;
    const reservation = new Reservation(this, bytes);
    if (ask.admit(reservation)) return 'admitted';
    assert(reservation.bytes === bytes, 'nothing to be charged of an ask that was put back');
    this.#reserved -= bytes;
    this.#waiting.splice(at, 0, ask);
    return ask.makeRoom?.(bytes) ?? 'soon';
  }
}
