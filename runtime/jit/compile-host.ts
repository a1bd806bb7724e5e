/**
 * Compiles a host program to one WebAssembly module and the plain data that its executor needs.
 * Stateless and structured-clone safe, so it may run on any thread and its result be stored.
 */
import type { Emitter, HostMetadata } from './emitter.js';
import { hostFunctionBody } from './host/emit-host-function.js';
import { HostModule } from './host/host-module.js';

export type { HostMetadata };

/** Functions are exported by their index. */
export const compileHost: Emitter['compileHost'] = (program) => {
  const module = new HostModule(program);
  program.functions.forEach((_, index) => {
    module.define(index, hostFunctionBody(module, index));
    module.builder.exportFunction(String(index), module.functionBase + index);
  });
  const { bytes, sourceMap } = module.builder.finish();
  const { literals, types, functionBase } = module;
  return { bytes, metadata: { literals: literals.image(), types, functionBase, sourceMap } };
};
