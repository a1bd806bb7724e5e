/**
 * Compiles a host program to one WebAssembly module and the plain data that its executor needs.
 * Stateless and structured-clone safe, so it may run on any thread and its result be stored.
 */
import type { HostProgram, Type } from '../loom/typed.js';
import { hostFunctionBody } from './host/emit-host-function.js';
import { HostModule } from './host/host-module.js';
import type { SourceMap } from './wasm/module-builder.js';

export interface HostMetadata {
  /** To be written into the heap before the first call. */
  readonly literals: Uint8Array;
  /** Types that heap operations name by number. */
  readonly types: readonly Type[];
  /** Index of the program's first function in the module, as stack traces show it. */
  readonly functionBase: number;
  readonly sourceMap: SourceMap;
}

export interface CompiledHost {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly metadata: HostMetadata;
}

/** Functions are exported by their index. */
export function compileHost(program: HostProgram): CompiledHost {
  const module = new HostModule(program);
  program.functions.forEach((_, index) => {
    module.define(index, hostFunctionBody(module, index));
    module.builder.exportFunction(String(index), module.functionBase + index);
  });
  const { bytes, sourceMap } = module.builder.finish();
  const { literals, types, functionBase } = module;
  return { bytes, metadata: { literals: literals.image(), types, functionBase, sourceMap } };
}
