/**
 * The linear memory of a host program, the same under the interpreter and under WebAssembly, so a
 * state sealed by one is read by the other without translation.
 *
 *   0        … 1023        null page and control words (below)
 *   1024     … FROZEN_BASE literals of the program (strings), written once when it is loaded
 *   FROZEN_BASE …          the frozen state image, byte for byte as `prepare` sealed it
 *   then, aligned to 16    retained cells, then the arena of the running call
 *
 * Values in locals, fields and elements (little-endian, natural alignment, at most 16):
 *   bool i32 u32: 4 bytes · i64 f64: 8 · f32: 4 · x2 vectors: 8 · x4 vectors: 16
 *   string, buffer, list, record, array, ref, cell: u32 address · symbol, handles: u32
 * Objects:
 *   string  { length u32, bytes… }                     UTF-8, immutable
 *   buffer  { address u32, length u32, writable u32, 0 }  a slice; stores also need an address at
 *           or above WRITABLE_BASE, so frozen bytes never change
 *   list    { data u32, length u32, capacity u32, frozen u32 }  elements packed at their size; a
 *           list with `frozen` set (sealed state) takes no push and no set
 *   record  fields in order, each aligned to its size; immutable
 *   array   elements packed; copied when stored: `set` of a local, a field of `record.new`, an
 *           item of `array.new`, a list or array element (arrays in it too); not when passed or
 *           returned. A stored `array.new` needs no copy: nothing else can name it
 *   ref     { fingerprint u32, record u32 }            fingerprint of the record type (structural);
 *           fingerprint 0: not a record but a value of the server, `record` is its handle
 *   cell    { record u32, 0 }
 */
export const ARENA_POINTER = 16; // u32 word: next free arena byte (always a multiple of 8)
export const ARENA_LIMIT = 20; // u32 word: first byte past the arena of this call
export const WRITABLE_BASE = 24; // u32 word: lowest address that a store may touch
export const FUEL = 28; // i32 word: units that this call may still spend; below 0 it has run out
export const CALL_DEPTH = 32; // u32 word: calls that are open now
export const LITERALS_BASE = 1024;
export const FROZEN_BASE = 2 * 1024 * 1024;
export const PAGE = 65536;

/** Limits of LOOM 14, in bytes or units; deployments may raise the ones marked (knob). */
export const ARENA_BYTES = 64 * 1024 * 1024; // (knob)
/** The state and the arena share one 32-bit address space. */
export const ARENA_BYTES_MAX = 3 * 1024 ** 3;
export const FROZEN_BYTES_MAX = 256 * 1024 * 1024;
export const FUEL_DEFAULT = 10_000_000; // (knob)
export const CALL_DEPTH_MAX = 256;
/** Objects in objects of one sealed graph: it is walked recursively. */
export const SEAL_DEPTH_MAX = 256;
/** Fuel beside Block.cost: copied or searched bytes / 16, and a flat price of a capability call. */
export const COPY_SHIFT = 4;
export const IMPORT_COST = 32;
export const MESSAGE_BYTES_MAX = 1024;
