/**
 * The seam between a VM instance and what runs its functions: the interpreter or an emitted
 * WebAssembly module. Both work on the same heap, charge the same fuel (`FUEL` word of the memory
 * map) and raise the same errors. The VM instance resets heap, fuel and depth before each call.
 */
import type { CapabilityImport, HostProgram, Type } from '../loom/typed.js';
import type { Heap } from './heap.js';
import type { HeapOperations } from './heap-operations.js';

/**
 * A value as executors pass it: i64 as bigint; bool (0 or 1), i32, u32 (unsigned), f32, f64 as
 * number; strings, buffers, lists, records, arrays, refs, cells as u32 addresses; symbols and
 * handles as u32; vectors as arrays of numbers. What comes out of WebAssembly signed (u32,
 * addresses) must be made unsigned by the executor.
 */
export type RawValue = number | bigint | readonly number[];

export interface Executor {
  /** Runs function `func`. Throws a ProgramError; the heap may then hold anything in the arena. */
  call(func: number, args: readonly RawValue[]): readonly RawValue[];
}

/** A capability that an import is bound to: raw values in, raw results out. Charges IMPORT_COST
 * itself. Throws a ProgramFault or a StatusError; the executor adds the position. */
export interface BoundCapability {
  readonly declared: CapabilityImport;
  run(args: readonly RawValue[]): readonly RawValue[];
}

export interface ExecutorHost {
  readonly heap: Heap;
  /** All operations on the heap; `types` gives the types that some of them name by number. */
  operations(types: readonly Type[]): HeapOperations;
  /** In the order of `program.imports`. */
  readonly capabilities: readonly BoundCapability[];
}

/** Made once a VM instance; writes the literals of the program into the heap. */
export type ExecutorFactory = (program: HostProgram, host: ExecutorHost) => Executor;
