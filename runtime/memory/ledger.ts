/**
 * Who holds how many bytes of a device, and how many accepted works still use them. One ledger a
 * device, on the device thread; admission, metrics and the laws are read from it.
 *
 * Holds: a lease has one owner at a time and changes it only by `transfer`. A lease that is used by
 * an accepted work cannot be freed (law I1). The sum never exceeds the limit (law I7). When nothing
 * is running and all leases were given up, it reads zero (law I8). Only retirements free.
 */
import { ChurnMap } from '../base/churn-map.js';
import { assert } from '../base/errors.js';
import type { Owner, OwnerKind } from '../hal/submission.js';

export interface Lease {
  readonly id: number;
  readonly bytes: number;
  readonly owner: Owner;
  /** Accepted works that have not retired. */
  readonly uses: number;
}

type Entry = { -readonly [Key in keyof Lease]: Lease[Key] };

export class Ledger {
  readonly limitBytes: number;
  readonly #entries = new ChurnMap<number, Entry>();
  #next = 1;
  #bytes = 0;
  /** Called after each change of who holds how many bytes. */
  onChange: (() => void) | null = null;

  constructor(limitBytes: number) {
    this.limitBytes = limitBytes;
  }

  /** Bytes of all leases. */
  get bytes(): number {
    return this.#bytes;
  }

  get leases(): number {
    return this.#entries.size;
  }

  charge(owner: Owner, bytes: number): Lease {
    const entry: Entry = { id: this.#next++, bytes, owner, uses: 0 };
    this.#entries.set(entry.id, entry);
    this.#bytes += bytes;
    assert(this.#bytes <= this.limitBytes, `at most ${this.limitBytes} bytes to be held (I7)`);
    this.onChange?.();
    return entry;
  }

  /** From now on `owner` pays. */
  transfer(lease: Lease, owner: Owner): void {
    this.#entry(lease).owner = owner;
    this.onChange?.();
  }

  /** One more accepted work uses the bytes. */
  use(lease: Lease): void {
    this.#entry(lease).uses += 1;
  }

  /** A work that used the bytes has retired. */
  retire(lease: Lease): void {
    const entry = this.#entry(lease);
    assert(entry.uses > 0, 'a use to be retired once');
    entry.uses -= 1;
  }

  free(lease: Lease): void {
    const entry = this.#entry(lease);
    assert(entry.uses === 0, `no accepted work to use what is freed (I1), ${entry.uses} do`);
    this.#entries.delete(entry.id);
    this.#bytes -= entry.bytes;
    this.onChange?.();
  }

  /** Bytes by kind of owner and deployment, for metrics and reports. */
  totals(): { kind: OwnerKind; deployment: string; bytes: number }[] {
    const totals = new Map<string, { kind: OwnerKind; deployment: string; bytes: number }>();
    for (const { owner, bytes } of this.#entries.values()) {
      const key = `${owner.kind} ${owner.deployment}`;
      const total = totals.get(key) ?? { kind: owner.kind, deployment: owner.deployment, bytes: 0 };
      total.bytes += bytes;
      totals.set(key, total);
    }
    return [...totals.values()];
  }

  /** Leases as they stand, oldest first. */
  entries(): readonly Lease[] {
    return [...this.#entries.values()];
  }

  /** Asserts law I8. Called when nothing is accepted and every owner has gone. */
  assertZero(): void {
    const rest = this.entries().map(({ owner, bytes }) => `${owner.kind} ${owner.id}: ${bytes}`);
    assert(
      rest.length === 0 && this.#bytes === 0,
      `no bytes to be held (I8), but ${rest.join(', ')}`,
    );
  }

  #entry(lease: Lease): Entry {
    const entry = this.#entries.get(lease.id);
    assert(entry === lease, 'a lease that is still held');
    return entry as Entry;
  }
}
