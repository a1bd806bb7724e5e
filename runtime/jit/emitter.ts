/**
 * What a code generator of the embedded device takes and gives. There is one now, for WebAssembly
 * (`compile-command.ts`, `compile-host.ts`); a native one takes the same typed tree and plan and
 * fills the same results, so nothing above the device can tell them apart.
 */
import type { CommandProgram, HostProgram, Type } from '../loom/typed.js';
import type { ExecutableReflection } from './reflection.js';
import type { SourceMap } from './wasm/module-builder.js';

export interface CompiledCommand {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly reflection: ExecutableReflection;
}

/** Plain data that the executor of a compiled host program needs beside its code. */
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

export interface Emitter {
  compileCommand(program: CommandProgram): CompiledCommand;
  compileHost(program: HostProgram): CompiledHost;
}
