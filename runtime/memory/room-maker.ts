/**
 * Who leaves when an admission lacks bytes: idle banks and rows that rest, in one order, least
 * recently used first. Where they do not suffice, and what runs will not give enough either, those
 * who use rows are asked to come to rest.
 */
import type { BankTable } from './bank-table.js';
import type { RoomOutlook } from './budget.js';
import type { RowTable } from './row-table.js';

/** What may leave when room is needed. */
export interface Idle {
  readonly bytes: number;
  readonly lastUse: number;
  leave(): void;
}

/** What whoever asks needs itself. */
export interface Kept {
  readonly banks: ReadonlySet<string>;
  readonly rows: string | null;
}

export interface RoomMakerOptions {
  readonly banks: BankTable;
  readonly rows: RowTable;
  /** Bytes that invocations give back when they end. */
  readonly runningBytes: () => number;
}

export class RoomMaker {
  readonly #options: RoomMakerOptions;

  constructor(options: RoomMakerOptions) {
    this.#options = options;
  }

  make(bytes: number, kept: Kept): RoomOutlook {
    const { banks, rows, runningBytes } = this.#options;
    let coming = banks.leavingBytes + rows.leavingBytes;
    const idle = [...banks.idle(kept.banks), ...rows.idle(kept.rows)];
    idle.sort((left, right) => left.lastUse - right.lastUse);
    for (const one of idle) {
      if (coming >= bytes) return 'soon';
      coming += one.bytes;
      one.leave();
    }
    coming += runningBytes();
    if (coming >= bytes) return 'soon';
    const promised = rows.want(bytes - coming, kept.rows);
    if (promised > 0) return 'inUse';
    return coming > 0 || banks.isActivating ? 'soon' : 'never';
  }
}
