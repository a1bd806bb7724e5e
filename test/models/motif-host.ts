/** Host functions of shared libraries, compiled as in the server, called from a test. */
import { compileHost } from '../../runtime/jit/compile-host.js';
import { wasmExecutor } from '../../runtime/jit/host-executor.js';
import { bufferFunctions } from '../../runtime/modules/buffer.js';
import { capabilityTable } from '../../runtime/modules/modules.js';
import { HostVm } from '../../runtime/vm/host-vm.js';
import type { HostValue } from '../../runtime/vm/host-value.js';
import { hostProgram } from '../runtime/loom/elaborate/programs.js';

export interface HostCalls {
  call(entry: string, ...args: readonly HostValue[]): HostValue;
  /** Units of fuel that the last call took. */
  fuelSpent(): number;
}

/** `text` exports what is called and uses the libraries, whose texts come by file name. */
export function hostCalls(
  text: string,
  libraries: Readonly<Record<string, string>>,
  fuel: number,
): HostCalls {
  const program = hostProgram({ 'sample.loom': text, ...libraries });
  const { bytes, metadata } = compileHost(program);
  const vm = HostVm.create({
    program,
    executor: wasmExecutor({ module: new WebAssembly.Module(bytes), metadata }),
    capabilities: capabilityTable('a test', { buffer: bufferFunctions }),
    limits: { fuel },
  });
  return {
    call: (entry, ...args) => vm.call(entry, args)[0]!,
    fuelSpent: () => vm.fuelSpent,
  };
}
