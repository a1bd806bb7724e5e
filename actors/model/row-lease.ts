/**
 * What a text generation has of the device: whether its rows are there and its own to use. Owned by
 * the generation, on its thread; the device decides (`row-memory.machine.ts`).
 *
 * Holds: nothing of the rows is submitted unless the lease is held; they do not leave before it is
 * given up.
 */
import type { StatusRecord } from '../../runtime/base/errors.js';
import { storageBytes, type StorageKeys } from '../../runtime/packages/epoch-storage.js';
import type { ActorSelf } from '../../runtime/system/actor.js';
import type { Reply } from '../../runtime/system/envelope.js';
import type { NameRows, PreparedText, RegisterRows } from '../protocol.js';

/** As long as a timer can: each turn has a deadline of its own. */
const USE_DEADLINE_MS = 2 ** 31 - 1;
const REGISTER_DEADLINE_MS = 60_000;

/** `resting`: also where they have left. */
export type LeaseState = 'resting' | 'asked' | 'held';

export interface RowLeaseDetails {
  /** As the device knows who waits. */
  readonly id: string;
  readonly state: LeaseState;
  /** Others wait for the room: turns that come now run later. */
  readonly isWanted: boolean;
  /** How often all that its rows held had to leave. */
  readonly evictions: number;
}

export class RowLease {
  readonly #self: ActorSelf;
  readonly #device: string;
  readonly #id: string;
  #state: LeaseState = 'resting';
  #isWithdrawn = false;
  #isWanted = false;
  #evictions = 0;

  constructor(self: ActorSelf, device: string, id: string) {
    this.#self = self;
    this.#device = device;
    this.#id = id;
  }

  get isHeld(): boolean {
    return this.#state === 'held';
  }

  /** As the device knows who waits for them; null where nobody does. */
  get waiting(): string | null {
    return this.#state === 'asked' ? this.#id : null;
  }

  details(): RowLeaseDetails {
    return {
      id: this.#id,
      state: this.#state,
      isWanted: this.#isWanted,
      evictions: this.#evictions,
    };
  }

  /** 'rows.registered' follows. */
  register(rows: Omit<RegisterRows, 'id'>): void {
    const deadlineMs = this.#self.now() + REGISTER_DEADLINE_MS;
    const register: RegisterRows = { ...rows, id: this.#id };
    this.#self.ask(this.#device, 'rows.register', register, { deadlineMs, as: 'rows.registered' });
  }

  /** 'rows.granted' follows, unless it is held or asked for. */
  use(): void {
    if (this.#state !== 'resting') return;
    this.#state = 'asked';
    const deadlineMs = this.#self.now() + USE_DEADLINE_MS;
    this.#self.ask(this.#device, 'rows.use', this.#name, { deadlineMs, as: 'rows.granted' });
  }

  /** Why it is not held; null when it is, or when nobody wants it any more. */
  granted({ status }: Reply): StatusRecord | null {
    this.#state = status === null ? 'held' : 'resting';
    const isTakenBack = this.#isWithdrawn && status?.code === 'cancelled';
    this.#isWithdrawn = false;
    return isTakenBack ? null : status;
  }

  wanted(): void {
    this.#isWanted = this.isHeld;
  }

  evicted(): void {
    this.#evictions += 1;
  }

  /** No turn runs: the rows may leave, or nobody waits for them any more. */
  rest(): void {
    if (this.#state === 'asked' && !this.#isWithdrawn) {
      this.#isWithdrawn = true;
      this.#self.tell(this.#device, 'rows.withdraw', this.#name);
    }
    if (this.#state !== 'held') return;
    this.#state = 'resting';
    this.#isWanted = false;
    this.#self.tell(this.#device, 'rows.rest', this.#name);
  }

  unregister(): void {
    this.#self.tell(this.#device, 'rows.unregister', this.#name);
  }

  get #name(): NameRows {
    return { id: this.#id };
  }
}

/** What the device has to know of the rows, and of the epochs that work on them. */
export function rowsOf(prepared: PreparedText, keys: StorageKeys): Omit<RegisterRows, 'id'> {
  const { geometry, stages, parameters, document } = prepared;
  const bytes = storageBytes(geometry);
  const { metadataBytes, inputBytes, residualBytes, stateBytes } = geometry;
  const workspace = Math.max(0, ...stages.map(({ reflection }) => reflection.workspaceBytes));
  return {
    deployment: prepared.id,
    storages: [
      { key: keys.pages, bytes: bytes.pages },
      { key: keys.states, bytes: bytes.states },
    ],
    banks: parameters.banks,
    epochBuffers: [metadataBytes, inputBytes, residualBytes, stateBytes, workspace],
    pinned: document.deployment.pin ?? false,
  };
}
