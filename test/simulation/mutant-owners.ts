/**
 * Tests that answer for a machine or a book beside the laws: charts that are stepped, books that
 * are kept, without actors. A mutant that no simulated seed shows must fail one of them, which is
 * tried by running them, each in a process of its own, with the mutant in force.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
/** By the first word of a mutant's name, up to a dot. */
const owners: Readonly<Record<string, readonly string[]>> = {
  server: ['actors/system/server.machine.test.js'],
  deployment: ['actors/model/deployment.machine.test.js'],
  preparation: ['actors/model/preparation.machine.test.js'],
  generation: ['actors/model/generation.machine.test.js'],
  specialization: ['actors/model/specialization.machine.test.js'],
  deviceQueue: ['actors/model/device-queue.machine.test.js'],
  cohort: ['actors/serving/cohort.machine.test.js'],
  finiteRequest: ['actors/serving/finite-request.machine.test.js'],
  Ledger: ['runtime/memory/ledger.test.js'],
  Budget: ['runtime/memory/budget.test.js'],
  Reservation: ['runtime/memory/budget.test.js'],
  SlabPool: ['runtime/memory/slab-pool.test.js'],
  SlabAllocator: ['runtime/memory/slab-allocator.test.js'],
  InvocationRunner: ['runtime/memory/invocation-runner.test.js'],
  Scheduler: ['actors/policy/scheduler.test.js'],
  SpecializationCache: ['actors/policy/specialization-cache.test.js'],
  OpenAsks: ['runtime/system/asks.test.js', 'runtime/system/cancels.test.js'],
  PendingAsks: ['runtime/system/asks.test.js'],
  Watches: ['runtime/system/watches.test.js'],
};

/** The test that fails under the mutant; null when none does. */
export function noticedBy(mutant: string): string | null {
  const owner = mutant.split(/[ .]/)[0]!;
  return (owners[owner] ?? []).find((file) => isBroken(mutant, join(here, '..', file))) ?? null;
}

function isBroken(mutant: string, file: string): boolean {
  if (!existsSync(file)) throw new Error(`no ${file}`);
  const script = join(here, 'mutated-test.script.js');
  const { status } = spawnSync(process.execPath, [script, mutant, file], {
    stdio: 'ignore',
    timeout: 60_000,
  });
  if (status === 2) throw new Error(`no mutant '${mutant}'`);
  return status !== 0;
}
