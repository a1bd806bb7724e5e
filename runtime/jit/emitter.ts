/**
 * The interface of code generators for the embedded device. There is one now, for WebAssembly; a
 * native one takes the same typed tree and plan and fills the same result.
 */
import type { CommandProgram, HostProgram } from '../loom/typed.js';
import { compileCommand, type CompiledCommand } from './compile-command.js';
import { compileHost, type CompiledHost } from './compile-host.js';

export interface Emitter {
  readonly name: string;
  compileCommand(program: CommandProgram): CompiledCommand;
  compileHost(program: HostProgram): CompiledHost;
}

export const wasmEmitter: Emitter = { name: 'wasm', compileCommand, compileHost };
