/**
 * Facts of the local device, for the elaborator and for whoever compiles before a device is open.
 * The same on every machine that runs this code, except what the WebAssembly engine offers.
 */
import type { TargetFacts } from '../../base/target-facts.js';

/** A module of one function that uses `i32x4.relaxed_dot_i8x16_i7x16_add_s`. */
const relaxedProbe = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15,
  65, 2, 253, 15, 253, 146, 2, 11,
]);

export function localFacts(overrides: Partial<TargetFacts> = {}): TargetFacts {
  return {
    simt: false,
    lanes: 4,
    subgroups: false,
    software: false,
    registers: 16,
    binding_bytes: 2 ** 31 - 1,
    shared_bytes: 16_384,
    workgroup_bytes: 65_536,
    views: 16,
    relaxed: WebAssembly.validate(relaxedProbe),
    dot8: true,
    // Twelve live vectors: more spills on 16 registers and halves the speed.
    tile_m: 4,
    tile_n: 8,
    ...overrides,
  };
}
