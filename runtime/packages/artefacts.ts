/**
 * What cold preparation makes and tasks exchange: plain data, structured-clone safe (a compiled
 * module is shared between threads, not copied).
 */
import type { TargetFacts } from '../base/target-facts.js';
import type { HostMetadata } from '../jit/compile-host.js';
import type { ExecutableReflection } from '../jit/reflection.js';
import type { WgslProgram } from '../jit/wgsl/wgsl-program.js';
import type { HostProgram } from '../loom/typed.js';
import type { HeapMemories } from '../vm/heap-memories.js';
import type { StageDeclaration } from '../modules/declaration-recorder.js';

export type { StageDeclaration };

/** One program file of a package, text or bytecode, by its name in diagnostics. */
export interface PackageSource {
  readonly file: string;
  readonly bytes: Uint8Array;
}

/** Configuration bindings of the whole package: full or short key, value in textual syntax. */
export type Bindings = readonly (readonly [key: string, value: string])[];

/** Input of the task `compile-stage`. */
export interface CompileStageInput {
  readonly sources: readonly PackageSource[];
  readonly declaration: StageDeclaration;
  readonly bindings: Bindings;
  readonly facts: TargetFacts;
}

/** Code for the device that the facts are of: one of the two. */
export interface StageArtefact {
  readonly module: WebAssembly.Module | null;
  readonly wgsl: WgslProgram | null;
  readonly reflection: ExecutableReflection;
}

/** Input of the task `compile-control`. `primary` is the control file's name. */
export interface CompileControlInput {
  readonly sources: readonly PackageSource[];
  readonly primary: string;
  readonly profile: string;
  /** Name of the entry that estimates memory; null without. */
  readonly forecast: string | null;
  readonly bindings: Bindings;
  readonly facts: TargetFacts;
}

export interface HostArtefact {
  readonly module: WebAssembly.Module;
  readonly metadata: HostMetadata;
  readonly program: HostProgram;
  /** No data, and does not travel: given by who runs many servers one after another. */
  readonly memories?: HeapMemories;
}
