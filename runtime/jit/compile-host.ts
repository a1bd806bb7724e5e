/**
 * Compiles a host program to one WebAssembly module and the plain data that its executor needs.
 * Stateless and structured-clone safe, so it may run on any thread and its result be stored.
 */
import type { Emitter, HostMetadata } from './emitter.js';
import { hostFunctionBody } from './host/emit-host-function.js';
import { HostModule } from './host/host-module.js';
import { positionOf } from '../vm/program-error.js';
import { checkBody } from './wasm/body-limits.js';

export type { HostMetadata };

/** Functions are exported by their index. */
export const compileHost: Emitter['compileHost'] = (program) => {
  const module = new HostModule(program);
  program.functions.forEach(({ name, site }, index) => {
    const body = hostFunctionBody(module, index);
    checkBody(body, `${name} (${positionOf(program.files, site)})`);
    module.define(index, body);
    module.builder.exportFunction(String(index), module.functionBase + index);
  });
  const { bytes, sourceMap } = module.builder.finish();
  const { literals, types, functionBase } = module;
  return { bytes, metadata: { literals: literals.image(), types, functionBase, sourceMap } };
};
