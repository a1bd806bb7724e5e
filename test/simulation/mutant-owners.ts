/**
 * Tests that answer for a machine or a book beside the laws: charts that are stepped, books that
 * are kept, without actors.
 */
/** By the first word of a mutant's name, up to a dot. */
const owners: Readonly<Record<string, readonly string[]>> = {
  server: ['actors/system/server.machine.test.js'],
  deployment: ['actors/model/deployment.machine.test.js'],
  preparation: ['actors/model/preparation.machine.test.js'],
  generation: ['actors/model/generation.machine.test.js'],
  specialization: ['actors/model/specialization.machine.test.js'],
  deviceQueue: ['actors/model/device-queue.machine.test.js'],
  bank: ['actors/model/bank.machine.test.js'],
  gather: ['actors/model/gather.machine.test.js'],
  cohort: ['actors/serving/cohort.machine.test.js'],
  finiteRequest: ['actors/serving/finite-request.machine.test.js'],
  session: ['actors/serving/session.machine.test.js'],
  epoch: ['actors/serving/epoch.machine.test.js'],
  rowMemory: ['actors/model/row-memory.machine.test.js'],
  device: ['actors/system/device.machine.test.js'],
  Ledger: ['runtime/memory/ledger.test.js'],
  Budget: ['runtime/memory/budget.test.js'],
  Reservation: ['runtime/memory/budget.test.js'],
  SlabPool: ['runtime/memory/slab-pool.test.js'],
  SlabAllocator: ['runtime/memory/slab-allocator.test.js'],
  BankTable: ['runtime/memory/bank-table.test.js'],
  RowTable: ['runtime/memory/row-table.test.js'],
  RoomMaker: ['runtime/memory/row-table.test.js', 'runtime/memory/bank-table.test.js'],
  WorkspaceLimits: ['runtime/memory/workspace-limits.test.js'],
  AdmissionLine: ['runtime/memory/admission-line.test.js'],
  SourceTable: ['runtime/parameters/source-table.test.js'],
  Executable: ['runtime/hal/executable.test.js'],
  InvocationRunner: ['runtime/memory/invocation-runner.test.js'],
  Scheduler: ['actors/policy/scheduler.test.js'],
  SpecializationCache: ['actors/policy/specialization-cache.test.js'],
  OpenAsks: ['runtime/system/asks.test.js', 'runtime/system/cancels.test.js'],
  PendingAsks: ['runtime/system/pending-asks.test.js', 'runtime/system/asks.test.js'],
  Watches: ['runtime/system/watches.test.js'],
};

/** Below the folder of the tests. */
export function ownersOf(mutant: string): readonly string[] {
  return owners[mutant.split(/[ .]/)[0]!] ?? [];
}
