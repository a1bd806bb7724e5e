/**
 * Tests that answer for a machine or a book beside the laws: charts that are stepped, books that
 * are kept, without actors. A mutant that no simulated seed shows must fail one of them, which is
 * tried by running them, in a process of their own, with the mutant in force.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const here = import.meta.dirname;
const SCRIPT = 'mutated-tests.script.js';
const LIMIT_MS = 900_000;
/** By the first word of a mutant's name, up to a dot. */
const owners: Readonly<Record<string, readonly string[]>> = {
  server: ['actors/system/server.machine.test.js'],
  device: ['actors/system/device.machine.test.js'],
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
  Ledger: ['runtime/memory/ledger.test.js'],
  Budget: ['runtime/memory/budget.test.js'],
  Reservation: ['runtime/memory/budget.test.js'],
  SlabPool: ['runtime/memory/slab-pool.test.js'],
  SlabAllocator: ['runtime/memory/slab-allocator.test.js'],
  BankTable: ['runtime/memory/bank-table.test.js'],
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

/** The test that fails under each of the mutants that some test notices. */
export function noticedBy(mutants: readonly string[]): ReadonlyMap<string, string> {
  const noticed = new Map<string, string>();
  for (const file of new Set(Object.values(owners).flat())) {
    const own = mutants.filter((name) => !noticed.has(name) && ownersOf(name).includes(file));
    for (const name of brokenUnder(own, join(here, '..', file))) noticed.set(name, file);
  }
  return noticed;
}

function ownersOf(mutant: string): readonly string[] {
  return owners[mutant.split(/[ .]/)[0]!] ?? [];
}

function brokenUnder(mutants: readonly string[], file: string): string[] {
  if (!existsSync(file)) throw new Error(`no ${file}`);
  const broken: string[] = [];
  let rest = mutants;
  while (rest.length > 0) {
    const { output } = spawnSync(process.execPath, [join(here, SCRIPT), file], {
      input: rest.join('\n'),
      stdio: ['pipe', 'ignore', 'ignore', 'pipe'],
      timeout: LIMIT_MS,
    });
    const verdicts = String(output[3] ?? '');
    broken.push(...rest.filter((_, i) => verdicts[i] === '1'));
    // A mutant under which the tests do not even end has been noticed.
    broken.push(...rest.slice(verdicts.length, verdicts.length + 1));
    rest = rest.slice(verdicts.length + 1);
  }
  return broken;
}
