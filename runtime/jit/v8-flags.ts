/**
 * How V8 must compile WebAssembly here. Every entry of a thread calls `useOptimizedWasm` before it
 * compiles a module; flags are per process, so calling it twice changes nothing.
 *
 * `--no-liftoff`: on Node 20 a function starts in the baseline compiler and is replaced between
 * calls only, never inside a loop that is running. A kernel that is entered once would spend all
 * its time in baseline code; without that compiler the first code is the optimised one.
 * `--no-wasm-lazy-compilation`: Node 20 compiles a function at its first call. That would put the
 * optimising compiler into the first request; compiled at once it is part of preparation.
 */
import { setFlagsFromString } from 'node:v8';

export const wasmFlags = ['--no-liftoff', '--no-wasm-lazy-compilation'] as const;

export function useOptimizedWasm(): void {
  for (const flag of wasmFlags) setFlagsFromString(flag);
}
