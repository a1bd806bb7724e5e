/**
 * Runs the `check.def`s of a host program. Every launch runs on the reference device in check mode;
 * when a check has passed, its launches are repeated on every other device at hand and compared
 * bit for bit (any NaN equals any NaN). One check that fails says nothing of the others.
 */
import { StatusError, toStatus } from '../../base/errors.js';
import type { CommandProgram, HostProgram } from '../../loom/typed.js';
import type { CapabilityTable } from '../capability.js';
import { HostVm, type HostLimits } from '../host-vm.js';
import type { SymbolValue } from '../host-value.js';
import { positionOf } from '../program-error.js';
import type { CheckTarget } from './check-launch.js';
import { CheckModule, differenceOf, type RecordedLaunch } from './check-module.js';

/** Another device: runs a command program and leaves the results in `roots`. */
export interface Launcher {
  readonly name: string;
  launch(program: CommandProgram, roots: readonly Uint8Array[]): Promise<void>;
}

export interface ChecksOptions {
  readonly program: HostProgram;
  /** The kernel or command behind a symbol, under the configuration of the check. */
  readonly resolve: (symbol: SymbolValue) => CheckTarget;
  /** Capabilities beside `check`. */
  readonly capabilities?: CapabilityTable;
  readonly launchers?: readonly Launcher[];
  readonly limits?: Partial<HostLimits>;
  /** Rounds of loops and workgroups that all launches of one check may take. */
  readonly rounds?: number;
}

export interface CheckResult {
  readonly name: string;
  readonly ok: boolean;
  /** Why it failed; '' when it passed. */
  readonly message: string;
  /** Where it failed, or where the check is. */
  readonly position: string;
}

export async function runChecks(options: ChecksOptions): Promise<CheckResult[]> {
  const results: CheckResult[] = [];
  for (const check of options.program.checks) results.push(await runCheck(options, check));
  return results;
}

async function runCheck(
  options: ChecksOptions,
  { name, func }: HostProgram['checks'][number],
): Promise<CheckResult> {
  const { program } = options;
  const position = positionOf(program.files, program.functions[func]!.site);
  const module = new CheckModule(options.resolve, options.rounds);
  try {
    const vm = HostVm.create({
      program,
      executor: 'interpret',
      capabilities: bothOf(new Map(module.capabilities()), options.capabilities ?? new Map()),
      limits: options.limits,
    });
    vm.callFunction(func, []);
    for (const launcher of options.launchers ?? []) {
      for (const launch of module.launches) await repeat(launcher, launch);
    }
    return { name, ok: true, message: '', position };
  } catch (error) {
    const { message, where } = toStatus(error);
    return { name, ok: false, message, position: where ?? position };
  }
}

function bothOf(own: CapabilityTable, others: CapabilityTable): CapabilityTable {
  return {
    get: (name) => own.get(name) ?? others.get(name),
    keys: () => [...own.keys(), ...others.keys()],
  };
}

async function repeat(launcher: Launcher, launch: RecordedLaunch): Promise<void> {
  const roots = launch.roots();
  await launcher.launch(launch.command, roots);
  launch.outputs.forEach((root, i) => {
    const difference = differenceOf(withOneNan(roots[root]!), withOneNan(launch.results[i]!));
    if (!difference) return;
    const { name } = launch.command.roots[root]!;
    throw new StatusError(
      'internal',
      `${launch.command.name} on ${launcher.name} differs from the interpreter in '${name}': ${difference}`,
    );
  });
}

/** Payloads of NaN are unspecified: words that are NaN as f32 are made alike. */
function withOneNan(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const view = new DataView(copy.buffer);
  for (let at = 0; at + 4 <= copy.length; at += 4) {
    if ((view.getUint32(at, true) & 0x7fffffff) > 0x7f800000) view.setUint32(at, 0x7fc00000, true);
  }
  return copy;
}
