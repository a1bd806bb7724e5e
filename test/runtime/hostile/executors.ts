/** Host programs from text as instances under both executors. */
import { compileHost } from '../../../runtime/jit/compile-host.js';
import { wasmExecutor } from '../../../runtime/jit/host-executor.js';
import { StatusError } from '../../../runtime/base/errors.js';
import type { CapabilityTable } from '../../../runtime/vm/capability.js';
import type { SealedState } from '../../../runtime/vm/heap.js';
import { HostVm, type HostLimits } from '../../../runtime/vm/host-vm.js';
import { hostProgram } from '../loom/elaborate/programs.js';

export interface InstanceOptions {
  readonly state?: SealedState;
  readonly limits?: Partial<HostLimits>;
  readonly capabilities?: CapabilityTable;
}

export const executors = ['interpret', 'wasm'] as const;

export function instance(
  text: string,
  executor: (typeof executors)[number],
  { capabilities = new Map(), ...options }: InstanceOptions = {},
): HostVm {
  const program = hostProgram(text);
  if (executor === 'interpret')
    return HostVm.create({ program, executor, capabilities, ...options });
  const { bytes, metadata } = compileHost(program);
  const module = new WebAssembly.Module(bytes as Uint8Array<ArrayBuffer>);
  return HostVm.create({
    program,
    executor: wasmExecutor({ module, metadata }),
    capabilities,
    ...options,
  });
}

/** The error of a program; throws when there is none, or one of another kind. */
export function errorOf(run: () => unknown): StatusError {
  try {
    run();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('expected an error of the program');
}
