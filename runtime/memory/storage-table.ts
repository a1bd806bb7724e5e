/**
 * Placed storage of a device: the range, its lease in the ledger, and for what outlives an
 * invocation (rows, shared conditioning, results) the key under which others find it.
 *
 * Holds: the bytes go back to the pool when the owner has given them up and the last accepted
 * invocation that uses them has retired, whichever comes later (law I1). A key names one storage.
 */
import { ChurnMap } from '../base/churn-map.js';
import { assert, StatusError } from '../base/errors.js';
import type { DeviceRange } from '../hal/buffer.js';
import type { Pool, StorageContents } from '../hal/pool.js';
import type { Owner } from '../hal/submission.js';
import type { Reservation } from './budget.js';
import type { Lease, Ledger } from './ledger.js';
import { roundUp } from './slab-allocator.js';
import type { PlacementRetry } from './placement-retry.js';

export interface PlacedStorage {
  readonly key: string | null;
  /** As allocated: the asked bytes rounded up. */
  readonly range: DeviceRange;
  /** As asked. */
  readonly bytes: number;
  readonly lease: Lease;
}

export interface StorageRequest {
  readonly key: string | null;
  readonly owner: Owner;
  readonly bytes: number;
  /** Default: any. */
  readonly contents?: StorageContents;
}

export class StorageTable {
  readonly #pool: Pool;
  readonly #ledger: Ledger;
  readonly #retry: Pick<PlacementRetry, 'refused'>;
  readonly #keyed = new ChurnMap<string, PlacedStorage>();
  /** Given up by their owners; freed with their last use. */
  readonly #givenUp = new Set<PlacedStorage>();

  constructor(pool: Pool, ledger: Ledger, retry: Pick<PlacementRetry, 'refused'>) {
    this.#pool = pool;
    this.#ledger = ledger;
    this.#retry = retry;
  }

  /** What `place` takes out of a reservation for these requests. */
  static bytesFor(requests: readonly { readonly bytes: number }[]): number {
    return requests.reduce((sum, { bytes }) => sum + roundUp(bytes), 0);
  }

  has(key: string): boolean {
    return this.#keyed.has(key);
  }

  find(key: string): PlacedStorage {
    const storage = this.#keyed.get(key);
    if (!storage) throw new StatusError('notFound', `no storage '${key}' is on the device`);
    return storage;
  }

  /** Places all or none; null when the pool has no room for one of them now: it is told again. */
  place(
    reservation: Reservation,
    requests: readonly StorageRequest[],
  ): readonly PlacedStorage[] | null {
    const ranges: DeviceRange[] = [];
    for (const { bytes, owner, contents } of requests) {
      const family = owner.kind === 'bank' ? 'constant' : 'mutable';
      const range = this.#pool.allocate(bytes, owner.deployment, family, contents);
      if (!range) {
        for (const placed of ranges) this.#pool.release(placed, null);
        this.#retry.refused();
        return null;
      }
      ranges.push(range);
    }
    return requests.map(({ key, owner, bytes }, index) => {
      const range = ranges[index]!;
      const storage = { key, range, bytes, lease: reservation.charge(owner, range.length) };
      assert(key === null || !this.#keyed.has(key), 'a key to name one storage');
      if (key !== null) this.#keyed.set(key, storage);
      return storage;
    });
  }

  /** An accepted invocation uses the bytes. */
  use(storage: PlacedStorage): void {
    this.#ledger.use(storage.lease);
  }

  /** That invocation's last work has retired. */
  retire(storage: PlacedStorage): void {
    this.#ledger.retire(storage.lease);
    this.#freeUnused(storage);
  }

  transfer(storage: PlacedStorage, owner: Owner): void {
    this.#ledger.transfer(storage.lease, owner);
  }

  /** The owner needs it no more; newcomers do not find it. Again is harmless while it is in use. */
  giveUp(storage: PlacedStorage): void {
    if (storage.key !== null) this.#keyed.delete(storage.key);
    this.#givenUp.add(storage);
    this.#freeUnused(storage);
  }

  #freeUnused(storage: PlacedStorage): void {
    if (storage.lease.uses > 0 || !this.#givenUp.delete(storage)) return;
    this.#ledger.free(storage.lease);
    this.#pool.release(storage.range, null);
  }
}
