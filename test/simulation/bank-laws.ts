/**
 * Law B, about parameter banks on a device, by bookkeeping of its own around the table of banks: a
 * bank is there from its activation until it leaves, and leaves when no admitted invocation uses
 * it; loading fills only the bank's own storage and staging, which comes back; a bank is activated
 * only for somebody, so evictions make progress; pins and users never leave for others' needs.
 */
import { rangesOverlap, type DeviceRange } from '../../runtime/hal/buffer.js';
import { accessOf } from '../../runtime/hal/command.js';
import type { WorkRequest } from '../../runtime/hal/queue.js';
import type { BankCalls } from '../../runtime/memory/bank-calls.js';
import type { BankSpec, BankTable } from '../../runtime/memory/bank-table.js';
import { override } from './override.js';

/** Labels of the works that load a bank: tensors, by a policy, and the field that they fill. */
const LOADING = /^\S+ by @\S+: \w+$/;

type BankState = 'absent' | 'activating' | 'resident' | 'leaving';

interface Bank {
  readonly spec: BankSpec;
  state: BankState;
  users: number;
  storage: DeviceRange | null;
  staging: readonly DeviceRange[];
}

export interface BankLawParts {
  readonly report: (law: string, detail: string) => void;
  /**
   * Leases of a bank in the ledger: its storage, its two staging buffers. Those that somebody uses
   * may be of an earlier activation: they come back with their last use.
   */
  readonly leases: (bank: string) => { readonly used: number; readonly idle: number };
}

export class BankLaws {
  readonly #parts: BankLawParts;
  readonly #banks = new Map<string, Bank>();
  #isMakingRoom = false;
  activations = 0;
  /** Because others needed the room. */
  evictions = 0;

  constructor(table: BankTable, parts: BankLawParts) {
    this.#parts = parts;
    this.#watchLifecycle(table);
    this.#watchUsers(table);
    this.#watchEvictions(table);
  }

  /** A work that the queue was given. */
  checkWork({ label, commands }: WorkRequest): void {
    const { reads, writes } = accessOf(commands);
    const filled = this.#touched(writes);
    const [only] = filled;
    if (LOADING.test(label) && filled.length !== 1) {
      this.#add(`${label} loads into ${filled.length} banks`);
    }
    if (only !== undefined) {
      const { spec, state, storage, staging } = only;
      const own = [storage!, ...staging];
      const strays = writes.some((range) => !own.some((whole) => isWithin(range, whole)));
      if (strays || filled.length > 1) this.#add(`${label} writes beyond bank ${spec.id}`);
      if (state !== 'activating') this.#add(`${label} writes to bank ${spec.id}, ${state}`);
    }
    for (const { spec, state, users } of LOADING.test(label) ? [] : this.#touched(reads)) {
      const isThere = state === 'resident' || state === 'leaving';
      if (!isThere || users === 0) this.#add(`${label} reads bank ${spec.id}, ${state}`);
    }
  }

  /** Between any two steps. */
  checkNow(): void {
    for (const { spec, state, users } of this.#banks.values()) {
      if (state === 'activating' && users === 0) this.#add(`${spec.id} is activated for nobody`);
    }
  }

  /** When nothing is left to do and models serve. */
  checkIdle(): void {
    for (const { spec, state, users } of this.#banks.values()) {
      const isSettled = state === 'absent' || state === 'resident';
      if (!isSettled || users > 0) this.#add(`${spec.id} is ${state}, ${users} users, at rest`);
    }
  }

  /** When every model is gone. */
  checkGone(): void {
    for (const { spec, state } of this.#banks.values()) this.#add(`${spec.id} is left, ${state}`);
  }

  #add(detail: string): void {
    this.#parts.report('B', detail);
  }

  #touched(ranges: readonly DeviceRange[]): readonly Bank[] {
    return [...this.#banks.values()].filter(({ storage, staging }) =>
      [...(storage === null ? [] : [storage]), ...staging].some((own) =>
        ranges.some((range) => rangesOverlap(range, own)),
      ),
    );
  }

  #watchLifecycle(table: BankTable): void {
    const { register, unregister, activated, failed, left } = bound(table);
    override(table, {
      register: (spec: BankSpec, calls: BankCalls): void => {
        const bank: Bank = { spec, state: 'absent', users: 0, storage: null, staging: [] };
        const onActivate: BankCalls['onActivate'] = (storage, staging) => {
          if (bank.state !== 'absent') this.#add(`${spec.id} is activated while ${bank.state}`);
          Object.assign(bank, { state: 'activating', storage, staging });
          this.activations += 1;
          calls.onActivate(storage, staging);
        };
        register(spec, { ...calls, onActivate });
        this.#banks.set(spec.id, bank);
      },
      unregister: (id) => {
        const { state, users } = this.#banks.get(id)!;
        if (state !== 'absent' || users > 0) this.#add(`${id} ends ${state}, ${users} users`);
        this.#banks.delete(id);
        unregister(id);
      },
      activated: (id) => this.#step(id, ['activating', 'resident'], () => activated(id)),
      failed: (id, status) => {
        this.#step(id, ['activating', 'absent'], () => failed(id, status));
      },
      left: (id) => {
        const { users } = this.#banks.get(id)!;
        if (users > 0) this.#add(`${id} leaves, ${users} invocations use it`);
        this.#step(id, ['leaving', 'absent'], () => left(id));
      },
    });
  }

  #step(id: string, [from, to]: readonly [BankState, BankState], act: () => void): void {
    const bank = this.#banks.get(id)!;
    if (bank.state !== from) this.#add(`${id} is ${bank.state} instead of ${from}`);
    bank.state = to;
    bank.staging = [];
    if (to === 'absent') bank.storage = null;
    act();
    // Bytes that came back may have begun its next activation, or others' need may have ended it.
    if (bank.state !== to) return;
    const { used, idle } = this.#parts.leases(id);
    const isRight = to === 'absent' ? idle === 0 : idle <= 1 && used + idle > 0;
    if (!isRight) this.#add(`${id} is ${to} and has ${idle} idle leases: staging stays`);
  }

  #watchUsers(table: BankTable): void {
    const { use, release } = bound(table);
    override(table, {
      use: (ids) => {
        for (const id of ids) {
          const bank = this.#banks.get(id)!;
          if (bank.state === 'absent' || bank.state === 'leaving') {
            this.#add(`${id} is used while ${bank.state}`);
          }
          bank.users += 1;
        }
        return use(ids);
      },
      release: (ids) => {
        for (const id of ids) this.#banks.get(id)!.users -= 1;
        release(ids);
      },
    });
  }

  #watchEvictions(table: BankTable): void {
    const { evict, idle } = bound(table);
    override(table, {
      idle: (keep) =>
        idle(keep).map((one) => ({
          ...one,
          leave: () => {
            this.#isMakingRoom = true;
            one.leave();
            this.#isMakingRoom = false;
          },
        })),
      evict: (id) => {
        const bank = this.#banks.get(id);
        const isForced = this.#isMakingRoom && bank !== undefined;
        if (isForced && (bank.users > 0 || bank.spec.pinned)) {
          this.#add(`${id} has to leave for others, ${bank.users} users`);
        }
        const isLeaving = evict(id);
        if (isLeaving) bank!.state = 'leaving';
        if (isLeaving && isForced) this.evictions += 1;
        return isLeaving;
      },
    });
  }
}

const isWithin = (part: DeviceRange, whole: DeviceRange): boolean =>
  part.slab === whole.slab &&
  part.offset >= whole.offset &&
  part.offset + part.length <= whole.offset + whole.length;

/** The table's own methods, before they are watched. */
function bound(table: BankTable) {
  return {
    register: table.register.bind(table),
    unregister: table.unregister.bind(table),
    activated: table.activated.bind(table),
    failed: table.failed.bind(table),
    left: table.left.bind(table),
    use: table.use.bind(table),
    release: table.release.bind(table),
    evict: table.evict.bind(table),
    idle: table.idle.bind(table),
  };
}
