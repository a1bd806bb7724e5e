/**
 * Parameter banks of a device: whose bytes are there, who uses them, who leaves when room is
 * needed. It decides and keeps the books; loading bytes and the lifecycle are the bank actor's,
 * which is told through `BankCalls` and answers with `activated`, `failed` and `left`.
 *
 * Holds: a bank that an accepted or admitted invocation uses, or that is pinned, never leaves
 * (DESIGN 8). An invocation is admitted with all of its banks at once, so nobody holds one bank
 * while it waits for another.
 */
import { assert, StatusError, type StatusRecord } from '../base/errors.js';
import { subRange, type DeviceRange } from '../hal/buffer.js';
import type { Owner } from '../hal/submission.js';
import type { BankCalls, BankProgress } from './bank-calls.js';
import type { Idle } from './room-maker.js';
import { StorageTable, type PlacedStorage, type StorageRequest } from './storage-table.js';

export interface BankSpec {
  /** Unique on the device; also the key of its storage. */
  readonly id: string;
  readonly deployment: string;
  readonly bytes: number;
  /** Bytes of each of the two buffers that loading needs besides; 0 when it needs none. */
  readonly stagingBytes: number;
  readonly fields: readonly { readonly offset: number; readonly bytes: number }[];
  /** Once there it stays until it is unregistered. */
  readonly pinned: boolean;
}

type BankState = 'absent' | 'activating' | 'resident' | 'deactivating';

interface Bank {
  readonly spec: BankSpec;
  readonly calls: BankCalls;
  state: BankState;
  /** To be unregistered as soon as it is absent. */
  isRetired: boolean;
  /** Its actor has ended: it is forgotten with its last user. */
  isGone: boolean;
  storage: PlacedStorage | null;
  /** Where its fields lie while storage is placed: each launch binds all of them. */
  fields: readonly DeviceRange[];
  staging: readonly PlacedStorage[];
  /** Admitted invocations that have not retired, and holders. */
  users: number;
  /** Who keeps it from one invocation to the next. */
  holders: number;
  /** To leave when nobody holds it any more. */
  isDismissed: boolean;
  lastUse: number;
  /** Invocations that wait until it is resident. */
  waiting: ((failure: StatusRecord | null) => void)[];
}

export interface BankSummary extends BankProgress {
  readonly id: string;
  readonly deployment: string;
  readonly state: BankState;
  readonly bytes: number;
  /** Admitted invocations that use it, and rows in use that keep it. */
  readonly users: number;
  readonly pinned: boolean;
}

export class BankTable {
  readonly #storage: StorageTable;
  readonly #now: () => number;
  readonly #settle: () => void;
  readonly #forecast: (bytes: number, label: string) => void;
  readonly #banks = new Map<string, Bank>();

  /**
   * `settle` tries admission again: called whenever bytes or a bank became free. `forecast` throws
   * for bytes that can never fit.
   */
  constructor(options: {
    storage: StorageTable;
    now: () => number;
    settle: () => void;
    forecast: (bytes: number, label: string) => void;
  }) {
    this.#storage = options.storage;
    this.#now = options.now;
    this.#settle = options.settle;
    this.#forecast = options.forecast;
  }

  /** Throws when not even the bank alone could ever fit, at its registration and not at its use. */
  checkFits(spec: BankSpec): void {
    this.#forecast(StorageTable.bytesFor(requestsOf({ spec })), `bank '${spec.id}'`);
  }

  register(spec: BankSpec, calls: BankCalls): void {
    if (this.#banks.has(spec.id)) {
      throw new StatusError('alreadyExists', `bank '${spec.id}' is registered already`);
    }
    this.#banks.set(spec.id, {
      spec,
      calls,
      state: 'absent',
      isRetired: false,
      isGone: false,
      storage: null,
      fields: [],
      staging: [],
      users: 0,
      holders: 0,
      isDismissed: false,
      lastUse: 0,
      waiting: [],
    });
  }

  /** Its generation has ended: what is admitted goes on, nobody new gets it. */
  retire(id: string): void {
    this.#find(id).isRetired = true;
  }

  /** It must be absent: its actor has seen it leave. */
  unregister(id: string): void {
    const bank = this.#find(id);
    assert(bank.state === 'absent', `bank ${id} to be absent when it is unregistered`);
    bank.isGone = true;
    // Of an invocation for which it was not filled others may be filled still.
    if (bank.users === 0) this.#banks.delete(id);
  }

  /**
   * Bytes that these banks need beside what is there now. One whose generation has ended meanwhile
   * needs none: whoever still asks for it is refused when its turn comes.
   */
  missingBytes(ids: Iterable<string>): number {
    const known = [...ids].flatMap((id) => this.#banks.get(id) ?? []);
    return bytesOf(known.filter((bank) => isAway(bank) && !bank.isGone));
  }

  /** Those of them that are not there, and not on their way. */
  away(ids: Iterable<string>): readonly string[] {
    return [...ids].filter((id) => {
      const bank = this.#banks.get(id);
      return bank !== undefined && isAway(bank);
    });
  }

  /** Those of them that are being filled. */
  activating(ids: Iterable<string>): readonly string[] {
    return [...ids].filter((id) => this.#banks.get(id)?.state === 'activating');
  }

  /** Bytes that they need when none of them is there. */
  mostBytes(ids: Iterable<string>): number {
    return bytesOf([...ids].map((id) => this.#find(id)));
  }

  /**
   * Storage to place so that none is missing. Null while one of them is on its way out; throws for
   * one that has gone for good.
   */
  missing(ids: Iterable<string>): readonly StorageRequest[] | null {
    const banks = [...ids].map((id) => this.#find(id));
    for (const { spec, isRetired } of banks) if (isRetired) throw unknown(spec.id);
    if (banks.some(({ state }) => state === 'deactivating')) return null;
    return banks.filter(isAway).flatMap(requestsOf);
  }

  /** Takes storage that was placed for `missing` of the same ids. */
  adopt(ids: Iterable<string>, placed: readonly PlacedStorage[]): void {
    const rest = [...placed];
    const started: Bank[] = [];
    for (const bank of [...ids].map((id) => this.#find(id)).filter(isAway)) {
      const [storage, ...staging] = rest.splice(0, requestsOf(bank).length);
      assert(storage, 'storage for each bank that was missing');
      const fields = bank.spec.fields.map(({ offset, bytes }) =>
        subRange(storage.range, offset, bytes),
      );
      Object.assign(bank, { state: 'activating', storage, fields, staging });
      started.push(bank);
    }
    for (const { calls, storage, staging, spec } of started) {
      const range = subRange(storage!.range, 0, spec.bytes);
      calls.onActivate(
        range,
        staging.map((each) => subRange(each.range, 0, spec.stagingBytes)),
      );
    }
  }

  /** An admitted invocation uses them from now until `release`. Returns their storage. */
  use(ids: Iterable<string>): readonly PlacedStorage[] {
    return [...ids].map((id) => {
      const bank = this.#find(id);
      assert(bank.storage, `bank ${id} to be there or on its way when it is used`);
      bank.users += 1;
      return bank.storage;
    });
  }

  /** Until `letGo` they stay between invocations, too. They are there or on their way. */
  hold(ids: readonly string[]): void {
    this.use(ids);
    for (const id of ids) this.#find(id).holders += 1;
  }

  letGo(ids: readonly string[]): void {
    for (const id of ids) {
      const bank = this.#find(id);
      bank.holders -= 1;
      this.release([id]);
      if (bank.holders > 0 || !bank.isDismissed) continue;
      bank.isDismissed = false;
      this.evict(id);
    }
  }

  /** Calls back once: when all are resident, or when the last is decided and one has failed. */
  whenReady(ids: Iterable<string>, onReady: (failure: StatusRecord | null) => void): void {
    let open = 1;
    let failure: StatusRecord | null = null;
    const ready = (status: StatusRecord | null): void => {
      failure ??= status;
      open -= 1;
      if (open === 0) onReady(failure);
    };
    for (const id of ids) {
      const bank = this.#find(id);
      if (bank.state !== 'activating') continue;
      open += 1;
      bank.waiting.push(ready);
    }
    ready(null);
  }

  release(ids: Iterable<string>): void {
    for (const id of ids) {
      const bank = this.#find(id);
      assert(bank.users > 0, `bank ${id} to be released as often as used`);
      bank.users -= 1;
      bank.lastUse = this.#now();
      if (bank.users > 0) continue;
      if (bank.isGone) this.#banks.delete(id);
      else bank.calls.onUnused();
    }
  }

  /** Fields of the banks in order: what a launch binds. */
  fields(ids: readonly string[]): readonly DeviceRange[] {
    const [first, ...others] = ids;
    if (first === undefined) return [];
    const fields = this.#fieldsOf(first);
    return others.length === 0 ? fields : fields.concat(...others.map((id) => this.#fieldsOf(id)));
  }

  #fieldsOf(id: string): readonly DeviceRange[] {
    const { storage, fields } = this.#find(id);
    assert(storage, `bank ${id} to be resident when it is bound`);
    return fields;
  }

  activated(id: string): void {
    const bank = this.#find(id);
    assert(bank.state === 'activating', `bank ${id} to be activated once`);
    bank.state = 'resident';
    bank.lastUse = this.#now();
    this.#dropStaging(bank);
    for (const ready of bank.waiting.splice(0)) ready(null);
    this.#settle();
  }

  /** Loading failed: whoever waits for it is told, its bytes go back. */
  failed(id: string, status: StatusRecord): void {
    const bank = this.#find(id);
    assert(bank.state === 'activating', `bank ${id} to fail while it is activated`);
    this.#dropStaging(bank);
    this.#dropStorage(bank);
    for (const ready of bank.waiting.splice(0)) ready(status);
    this.#settle();
  }

  /** It has left: nobody uses it, its bytes go back. */
  left(id: string): void {
    const bank = this.#find(id);
    assert(bank.users === 0, `bank ${id} to leave when nobody uses it`);
    assert(bank.state === 'deactivating', `bank ${id} to be asked to leave before it leaves`);
    this.#dropStorage(bank);
    this.#settle();
  }

  /** Asks a resident bank to leave as soon as nobody uses it; false when it is not resident. */
  evict(id: string): boolean {
    const bank = this.#banks.get(id);
    if (bank?.state !== 'resident') return false;
    bank.state = 'deactivating';
    bank.calls.onEvict();
    return true;
  }

  /**
   * As `evict`, at somebody's wish: a pin stays until it is unregistered, and one that is held
   * leaves when its holders let go. Whoever holds it must be able to use it until then.
   */
  dismiss(id: string): boolean {
    const bank = this.#banks.get(id);
    if (bank === undefined || bank.spec.pinned) return false;
    if (bank.holders === 0) return this.evict(id);
    bank.isDismissed = bank.state === 'resident';
    return bank.isDismissed;
  }

  /** Bytes that are on their way back. */
  get leavingBytes(): number {
    const leaving = this.#all().filter(({ state }) => state === 'deactivating');
    return leaving.reduce((sum, bank) => sum + residentBytes(bank), 0);
  }

  /** Whether one is being filled: whoever waits for it gets on by itself. */
  get isActivating(): boolean {
    return this.#all().some(({ state }) => state === 'activating');
  }

  /** Banks that may leave when others need their room; those in `keep` are needed by who asks. */
  idle(keep: ReadonlySet<string>): readonly Idle[] {
    const mayGo = this.#all().filter(({ spec, state, users }) => {
      return state === 'resident' && users === 0 && !spec.pinned && !keep.has(spec.id);
    });
    return mayGo.map((bank) => ({
      bytes: residentBytes(bank),
      lastUse: bank.lastUse,
      leave: () => void this.evict(bank.spec.id),
    }));
  }

  fieldBytes(id: string): readonly number[] {
    return this.#find(id).spec.fields.map(({ bytes }) => bytes);
  }

  users(id: string): number {
    return this.#find(id).users;
  }

  describe(): readonly BankSummary[] {
    return this.#all().map(({ spec, calls, state, users }) => ({
      id: spec.id,
      deployment: spec.deployment,
      state,
      bytes: spec.bytes,
      users,
      pinned: spec.pinned,
      ...calls.progress(),
    }));
  }

  #dropStaging(bank: Bank): void {
    for (const storage of bank.staging) this.#storage.giveUp(storage);
    bank.staging = [];
  }

  #dropStorage(bank: Bank): void {
    bank.state = 'absent';
    if (bank.storage) this.#storage.giveUp(bank.storage);
    bank.storage = null;
    bank.fields = [];
  }

  #all(): readonly Bank[] {
    return [...this.#banks.values()];
  }

  #find(id: string): Bank {
    const bank = this.#banks.get(id);
    if (!bank) throw unknown(id);
    return bank;
  }
}

const unknown = (id: string): StatusError =>
  new StatusError('notFound', `no bank '${id}' is registered`);

const residentBytes = ({ spec }: Bank): number => StorageTable.bytesFor([spec]);

const bytesOf = (banks: readonly Bank[]): number =>
  StorageTable.bytesFor(banks.flatMap(requestsOf));

const isAway = ({ state }: Bank): boolean => state === 'absent' || state === 'deactivating';

/** The storage of a bank, then its two staging buffers where it needs them. */
function requestsOf({ spec }: Pick<Bank, 'spec'>): readonly StorageRequest[] {
  const { id, deployment, bytes, stagingBytes } = spec;
  const owner: Owner = { kind: 'bank', deployment, id };
  const staging = { key: null, owner, bytes: stagingBytes };
  const storage = { key: id, owner, bytes };
  return stagingBytes === 0 ? [storage] : [storage, staging, staging];
}
