/**
 * Rows of text models on a device: pages and states of one generation are storage that is there as
 * a whole or not at all. It decides and keeps the books; the lifecycle is the row memory's actor,
 * which is told through `RowCalls` and answers with `left`.
 *
 * Holds: rows in use (a turn runs) never leave; others who need their room ask for an end of that.
 * Rows that rest leave, least recently used first, like banks; who has them knows what they held
 * and computes it again. Rows and the banks that their epochs bind come in one step, with room for
 * one epoch beside them, so nobody holds one part while it waits for another.
 */
import { assert, StatusError } from '../base/errors.js';
import type { Owner } from '../hal/submission.js';
import type { BankTable } from './bank-table.js';
import type { Idle } from './room-maker.js';
import { StorageTable, type PlacedStorage, type StorageRequest } from './storage-table.js';

export interface RowSpec {
  /** Unique on the device. */
  readonly id: string;
  readonly deployment: string;
  readonly storages: readonly { readonly key: string; readonly bytes: number }[];
  /** Banks that stay as long as the rows are in use. */
  readonly banks: readonly string[];
  /** What an epoch may need beside them. */
  readonly epochBytes: number;
  /** Once there they stay until they are unregistered. */
  readonly pinned: boolean;
}

export interface RowCalls {
  /** Others wait for their room: end what runs, and rest. Told once a use. */
  onWanted(): void;
  /** They rest, and their room is needed: say `left`. */
  onEvict(): void;
}

export type RowState = 'absent' | 'inUse' | 'resting' | 'leaving';

interface Rows {
  readonly spec: RowSpec;
  readonly calls: RowCalls;
  state: RowState;
  isWanted: boolean;
  storages: readonly PlacedStorage[];
  lastUse: number;
  /** How often they had to leave. */
  evictions: number;
}

export interface RowSummary {
  readonly id: string;
  readonly deployment: string;
  readonly state: RowState;
  readonly bytes: number;
  /** In use, and others wait for their room. */
  readonly isWanted: boolean;
  readonly pinned: boolean;
  readonly evictions: number;
}

export interface RowTableOptions {
  readonly storage: StorageTable;
  readonly banks: BankTable;
  readonly now: () => number;
  /** Tries admission again. */
  readonly settle: () => void;
  /** Throws for bytes that can never fit. */
  readonly forecast: (bytes: number, label: string) => void;
}

export class RowTable {
  readonly #options: RowTableOptions;
  readonly #rows = new Map<string, Rows>();

  constructor(options: RowTableOptions) {
    this.#options = options;
  }

  /** Throws where they could not even be there alone, with their banks and an epoch. */
  checkFits(spec: RowSpec): void {
    if (this.#rows.has(spec.id)) {
      throw new StatusError('alreadyExists', `rows '${spec.id}' are registered already`);
    }
    const label = `model '${spec.deployment}', with its rows, their banks and one epoch,`;
    const { banks, forecast } = this.#options;
    forecast(bytesOf(spec) + spec.epochBytes + banks.mostBytes(spec.banks), label);
  }

  register(spec: RowSpec, calls: RowCalls): void {
    this.#rows.set(spec.id, {
      ...{ spec, calls, state: 'absent', isWanted: false },
      ...{ storages: [], lastUse: 0, evictions: 0 },
    });
  }

  has(id: string): boolean {
    return this.#rows.has(id);
  }

  /** They go, whatever state they are in; their bytes go back with their last accepted use. */
  unregister(id: string): void {
    const rows = this.#find(id);
    if (rows.state === 'inUse') this.rest(id);
    this.#drop(rows);
    this.#rows.delete(id);
    this.#options.settle();
  }

  /** What an admission has to find for them, room for an epoch included. */
  missingBytes(id: string): number {
    const rows = this.#rows.get(id);
    if (rows === undefined) return 0;
    return (isAway(rows) ? bytesOf(rows.spec) : 0) + rows.spec.epochBytes;
  }

  mostBytes(id: string): number {
    const { spec } = this.#find(id);
    return bytesOf(spec) + spec.epochBytes;
  }

  banksOf(id: string): readonly string[] {
    return this.#find(id).spec.banks;
  }

  /** Storage to place so that none is missing; null while they are on their way out. */
  missing(id: string): readonly StorageRequest[] | null {
    const rows = this.#find(id);
    assert(rows.state !== 'inUse', `rows '${id}' to be begun once`);
    if (rows.state === 'leaving') return null;
    const { deployment, storages } = rows.spec;
    if (rows.state === 'resting') return [];
    return storages.map(({ key, bytes }) => {
      const owner: Owner = { kind: 'row', deployment, id: key };
      return { key, bytes, owner, contents: 'zeros' };
    });
  }

  /** Somebody uses them from now on, until `rest`; `placed` is what was missing. */
  begin(id: string, placed: readonly PlacedStorage[]): void {
    const rows = this.#find(id);
    if (placed.length > 0) rows.storages = placed;
    rows.state = 'inUse';
    rows.isWanted = false;
    this.#options.banks.hold(rows.spec.banks);
  }

  rest(id: string): void {
    const rows = this.#find(id);
    assert(rows.state === 'inUse', `rows '${id}' to be in use when they come to rest`);
    rows.state = 'resting';
    rows.isWanted = false;
    rows.lastUse = this.#options.now();
    this.#options.banks.letGo(rows.spec.banks);
    this.#options.settle();
  }

  isInUse(id: string): boolean {
    return this.#rows.get(id)?.state === 'inUse';
  }

  isThere(id: string): boolean {
    return !isAway(this.#find(id));
  }

  /** Of the rows in use, those that one of these storages is of. */
  ofStorage(keys: readonly string[]): string | null {
    for (const { spec, state } of this.#rows.values()) {
      if (state !== 'inUse') continue;
      if (spec.storages.some(({ key }) => keys.includes(key))) return spec.id;
    }
    return null;
  }

  get leavingBytes(): number {
    const leaving = [...this.#rows.values()].filter(({ state }) => state === 'leaving');
    return leaving.reduce((sum, { spec }) => sum + bytesOf(spec), 0);
  }

  /** Those that may leave when others need their room. */
  idle(keep: string | null): readonly Idle[] {
    const resting = [...this.#rows.values()].filter(({ spec, state }) => {
      return state === 'resting' && !spec.pinned && spec.id !== keep;
    });
    return resting.map((rows) => ({
      bytes: bytesOf(rows.spec),
      lastUse: rows.lastUse,
      leave: () => this.evict(rows.spec.id),
    }));
  }

  evict(id: string): void {
    const rows = this.#find(id);
    assert(rows.state === 'resting', `rows '${id}' to rest when they have to leave`);
    rows.state = 'leaving';
    rows.evictions += 1;
    rows.calls.onEvict();
  }

  /** Asks for rows in use, until so many bytes will come; the bytes. */
  want(bytes: number, keep: string | null): number {
    let promised = 0;
    const mayCome = [...this.#rows.values()].filter(({ spec, state }) => {
      return state === 'inUse' && !spec.pinned && spec.id !== keep;
    });
    mayCome.sort((left, right) => Number(right.isWanted) - Number(left.isWanted));
    for (const rows of mayCome) {
      if (promised >= bytes) break;
      promised += bytesOf(rows.spec);
      this.#wantOne(rows);
    }
    return promised;
  }

  /** Whoever holds one of these banks is asked to let go of it. */
  wantHolders(banks: readonly string[]): void {
    for (const rows of this.#rows.values()) {
      const holds = rows.spec.banks.some((bank) => banks.includes(bank));
      if (rows.state === 'inUse' && holds) this.#wantOne(rows);
    }
  }

  #wantOne(rows: Rows): void {
    if (rows.isWanted) return;
    rows.isWanted = true;
    rows.calls.onWanted();
  }

  /** They have left. */
  left(id: string): void {
    const rows = this.#find(id);
    assert(rows.state === 'leaving', `rows '${id}' to be asked to leave before they leave`);
    this.#drop(rows);
    this.#options.settle();
  }

  describe(): readonly RowSummary[] {
    return [...this.#rows.values()].map(({ spec, state, isWanted, evictions }) => {
      const { id, deployment, pinned } = spec;
      return { id, deployment, state, bytes: bytesOf(spec), isWanted, pinned, evictions };
    });
  }

  #drop(rows: Rows): void {
    for (const storage of rows.storages) this.#options.storage.giveUp(storage);
    rows.storages = [];
    rows.state = 'absent';
  }

  #find(id: string): Rows {
    const rows = this.#rows.get(id);
    if (!rows) throw new StatusError('notFound', `no rows '${id}' are registered`);
    return rows;
  }
}

const bytesOf = ({ storages }: RowSpec): number => StorageTable.bytesFor(storages);

const isAway = ({ state }: Rows): boolean => state === 'absent' || state === 'leaving';
