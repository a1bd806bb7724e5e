/**
 * What waits before it is admitted to a device: invocations that keep to a limit of their stages,
 * then everything that asks the budget for bytes. Whoever waits is told exactly once: admitted, or
 * why not.
 */
import { ChurnMap } from '../base/churn-map.js';
import { assert, StatusError, toStatus, type StatusRecord } from '../base/errors.js';
import type { BankTable } from './bank-table.js';
import type { Ask, Budget, Reservation, RoomOutlook } from './budget.js';
import type { RoomMaker } from './room-maker.js';
import type { RowTable } from './row-table.js';
import { WorkspaceLimits, type WorkspaceShare } from './workspace-limits.js';

interface Waiting {
  readonly ask: Ask;
  readonly banks: ReadonlySet<string>;
  readonly onFailed: (status: StatusRecord) => void;
}
/** What an ask needs: its own bytes, and banks whether they are there or not. */
export interface Need extends Pick<Ask, 'label' | 'admit'> {
  readonly bytes: number;
  readonly banks: ReadonlySet<string>;
  /** Rows that it is about: they are not to leave for it. */
  readonly rows: string | null;
  /** `missing`: the rows themselves are to come. `used`: it works on rows in use. */
  readonly about?: 'missing' | 'used';
}

/** Where whoever waits looks for what it lacks. */
export interface LineTables {
  readonly banks: BankTable;
  readonly rows: RowTable;
  readonly room: RoomMaker;
}

export const NO_BANKS: ReadonlySet<string> = new Set();

/**
 * Its own bytes and those of the banks and rows that are away when its turn comes. A class: V8
 * keeps a getter of an object literal, with all that it reaches, until the next full collection.
 */
class NeedAsk implements Ask {
  readonly label: string;
  readonly mostBytes: number;
  readonly onStuck: (() => void) | undefined;
  readonly admit: Ask['admit'];
  readonly #need: Need;
  readonly #tables: LineTables;
  readonly #ownRows: string | null;

  constructor(need: Need, tables: LineTables, onStuck: () => void) {
    const { banks, rows } = tables;
    const own = need.about === 'missing' ? need.rows! : null;
    this.label = need.label;
    this.mostBytes =
      need.bytes + banks.mostBytes(need.banks) + (own === null ? 0 : rows.mostBytes(own));
    // Others may wait for the rows that it holds: it must not wait for what nobody gives.
    this.onStuck = need.about === 'used' ? onStuck : undefined;
    this.admit = need.admit;
    this.#need = need;
    this.#tables = tables;
    this.#ownRows = own;
  }

  get bytes(): number {
    const { banks, rows } = this.#tables;
    const own = this.#ownRows;
    const missing = banks.missingBytes(this.#need.banks);
    return this.#need.bytes + missing + (own === null ? 0 : rows.missingBytes(own));
  }

  makeRoom(short: number): RoomOutlook {
    return this.#tables.room.make(short, this.#need);
  }
}

interface Parked {
  readonly id: string;
  readonly shares: readonly WorkspaceShare[];
  /** Its shares are taken; `giveBack` them at its end. */
  readonly start: () => void;
  readonly onFailed: (status: StatusRecord) => void;
}

/** Who waits, for who asks why. */
export interface LineDetails {
  /** In the order in which they are admitted; nobody overtakes the first. */
  readonly asking: readonly {
    readonly id: string;
    /** Those of its banks that are away included. */
    readonly bytes: number;
    readonly banksAway: readonly string[];
  }[];
  readonly parked: readonly {
    readonly id: string;
    readonly stages: readonly (WorkspaceShare & { readonly usedBytes: number })[];
  }[];
}

export class AdmissionLine {
  readonly #budget: Budget;
  readonly #tables: LineTables;
  readonly #refusal: () => StatusRecord | null;
  /** By invocation id, or by key for storage. */
  readonly #asking = new ChurnMap<string, Waiting>();
  readonly #parked = new ChurnMap<string, Parked>();
  readonly #limits = new WorkspaceLimits();

  /** `refusal` says why the device takes nothing; null while it does. */
  constructor(budget: Budget, tables: LineTables, refusal: () => StatusRecord | null) {
    this.#budget = budget;
    this.#tables = tables;
    this.#refusal = refusal;
  }

  get ids(): readonly string[] {
    return [...this.#parked.keys(), ...this.#asking.keys()];
  }

  get waiting(): number {
    return this.#asking.size + this.#parked.size;
  }

  describe(): LineDetails {
    return {
      asking: [...this.#asking].map(([id, { ask, banks }]) => {
        return { id, bytes: ask.bytes, banksAway: this.#tables.banks.away(banks) };
      }),
      parked: [...this.#parked].map(([id, { shares }]) => ({
        id,
        stages: shares.map((share) => {
          return { ...share, usedBytes: this.#limits.usedBytes(share.stage) };
        }),
      })),
    };
  }

  /** Runs a step of whoever waits: what it raises, or the device's refusal, is its end. */
  guard(onFailed: (status: StatusRecord) => void, step: () => void): void {
    try {
      const refusal = this.#refusal();
      if (refusal) throw StatusError.from(refusal);
      step();
    } catch (error) {
      if (!(error instanceof StatusError)) throw error;
      onFailed(toStatus(error));
    }
  }

  /** Asks the budget; `need.admit` says `leave` when it has taken the place. */
  ask(id: string, need: Need, onFailed: (status: StatusRecord) => void): void {
    this.#checkNew(id);
    const admit = (reservation: Reservation): boolean => {
      let admitted = true;
      this.guard(
        (status) => {
          this.#asking.delete(id);
          reservation.release();
          onFailed(status);
        },
        () => (admitted = need.admit(reservation)),
      );
      return admitted;
    };
    const onStuck = (): void => {
      this.#asking.delete(id);
      onFailed(this.#stuck(ask));
    };
    const ask = new NeedAsk({ ...need, admit }, this.#tables, onStuck);
    this.#asking.set(id, { ask, banks: need.banks, onFailed });
    try {
      this.#budget.ask(ask);
    } catch (error) {
      this.#asking.delete(id);
      throw error;
    }
  }

  /** Waits for a limit of its stages. */
  park(entry: Parked): void {
    const { id, shares, start } = entry;
    this.#checkNew(id);
    this.#parked.set(id, entry);
    this.#limits.enter(id, shares, () => {
      assert(this.#parked.delete(id), 'who waits for a limit to start once');
      start();
    });
  }

  giveBack(shares: readonly WorkspaceShare[]): void {
    this.#limits.leave(shares);
  }

  /** It was admitted. */
  leave(id: string): void {
    this.#asking.delete(id);
  }

  /** False when it does not wait (any more). */
  cancel(id: string): boolean {
    return this.#refuse(id, {
      code: 'cancelled',
      message: `'${id}' was cancelled before admission`,
    });
  }

  refuseAll(status: StatusRecord): void {
    for (const id of [...this.#parked.keys(), ...this.#asking.keys()]) this.#refuse(id, status);
  }

  #refuse(id: string, status: StatusRecord): boolean {
    const parked = this.#parked.get(id);
    if (parked !== undefined) {
      this.#parked.delete(id);
      this.#limits.withdraw(id);
      parked.onFailed(status);
      return true;
    }
    const asking = this.#asking.get(id);
    // Gone from the line means that it is being admitted; the queue will refuse it.
    if (!asking || !this.#budget.withdraw(asking.ask)) return false;
    this.#asking.delete(id);
    asking.onFailed(status);
    return true;
  }

  #stuck({ label, bytes }: Ask): StatusRecord {
    const { limitBytes, ledger } = this.#budget;
    return {
      code: 'resourceExhausted',
      message:
        `${label} needs ${bytes} bytes of device memory beside ${ledger.bytes} that nobody will` +
        ` give back as things are; the limit is ${limitBytes} (--memory)`,
      retryAfterS: 1,
    };
  }

  #checkNew(id: string): void {
    if (!this.#asking.has(id) && !this.#parked.has(id)) return;
    throw new StatusError('alreadyExists', `'${id}' is waiting already`);
  }
}
