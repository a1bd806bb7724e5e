/**
 * Single changes to the books: an update of a ledger, a budget, a pool, a queue or a table left
 * out, in the class itself, and taken back afterwards.
 */
import { Scheduler } from '../../actors/policy/scheduler.js';
import { SpecializationCache } from '../../actors/policy/specialization-cache.js';
import { Executable } from '../../runtime/hal/executable.js';
import { ExecutableTable } from '../../runtime/hal/executable-table.js';
import { AdmissionLine } from '../../runtime/memory/admission-line.js';
import { BankTable } from '../../runtime/memory/bank-table.js';
import { Budget, Reservation } from '../../runtime/memory/budget.js';
import { InvocationRunner } from '../../runtime/memory/invocation-runner.js';
import { Ledger } from '../../runtime/memory/ledger.js';
import { RoomMaker } from '../../runtime/memory/room-maker.js';
import { RowTable } from '../../runtime/memory/row-table.js';
import { SlabAllocator } from '../../runtime/memory/slab-allocator.js';
import { SlabPool } from '../../runtime/memory/slab-pool.js';
import { StorageTable } from '../../runtime/memory/storage-table.js';
import { WorkspaceLimits } from '../../runtime/memory/workspace-limits.js';
import { SourceTable } from '../../runtime/parameters/source-table.js';
import { OpenAsks } from '../../runtime/system/open-asks.js';
import { PendingAsks } from '../../runtime/system/pending-asks.js';
import { Watches } from '../../runtime/system/watches.js';
import type { Mutant } from './machine-mutants.js';

type Made = abstract new (...args: never[]) => object;

/** What is left out, and what the call yields instead. */
const omissions: readonly (readonly [owner: Made, method: string, yields?: unknown])[] = [
  [Ledger, 'use'],
  [Ledger, 'retire'],
  [Ledger, 'free'],
  [Budget, 'giveUp'],
  [Budget, 'settle'],
  [Budget, 'withdraw', true],
  [Reservation, 'release'],
  [StorageTable, 'use'],
  [StorageTable, 'retire'],
  [StorageTable, 'giveUp'],
  [SlabPool, 'release'],
  [SlabAllocator, 'release'],
  [BankTable, 'missing', []],
  [BankTable, 'release'],
  [BankTable, 'activated'],
  [BankTable, 'failed'],
  [BankTable, 'left'],
  [BankTable, 'evict', false],
  [BankTable, 'dismiss', false],
  [BankTable, 'letGo'],
  [RoomMaker, 'make', 'soon'],
  [RowTable, 'rest'],
  [RowTable, 'evict'],
  [RowTable, 'left'],
  [RowTable, 'unregister'],
  [RowTable, 'want', 0],
  [RowTable, 'wantHolders'],
  [BankTable, 'retire'],
  [BankTable, 'unregister'],
  [WorkspaceLimits, 'leave'],
  [WorkspaceLimits, 'withdraw', true],
  [AdmissionLine, 'giveBack'],
  [AdmissionLine, 'leave'],
  [AdmissionLine, 'cancel', false],
  [AdmissionLine, 'refuseAll'],
  [SourceTable, 'release', true],
  [SourceTable, 'releaseAll'],
  [InvocationRunner, 'refuseWaiting'],
  [Executable, 'unload'],
  [ExecutableTable, 'unload', true],
  [Scheduler, 'withdraw', 0],
  [SpecializationCache, 'use'],
  [SpecializationCache, 'release'],
  [SpecializationCache, 'forget'],
  [SpecializationCache, 'surplus', []],
  [OpenAsks, 'close', true],
  [OpenAsks, 'move', true],
  [OpenAsks, 'closeAllOf', []],
  [PendingAsks, 'dropOf'],
  [PendingAsks, 'heldIn', []],
  [Watches, 'targetsIn', []],
  [Watches, 'watchersOf', []],
];

export function bookMutants(): Mutant[] {
  return omissions.map(([owner, method, yields]) => ({
    name: `${owner.name}.${method}: left out`,
    machine: null,
    place: null,
    apply() {
      const prototype = owner.prototype as Record<string, unknown>;
      const before = prototype[method];
      prototype[method] = () => yields;
      return () => void (prototype[method] = before);
    },
  }));
}
