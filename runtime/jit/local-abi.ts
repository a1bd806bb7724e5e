/**
 * How the local device's driver calls a compiled command program: one WebAssembly module, one
 * export `run(worker: i32, workers: i32, args: i32)` that every compute worker calls for the same
 * submission. All addresses are unsigned 32-bit offsets into the one shared memory (import
 * `env.memory`). The module has no other imports, keeps no state and never traps.
 *
 * The argument block (u32 words, 16-byte aligned, filled by the device thread):
 */
export const ARGS = {
  /** Address of the sync block, 128 bytes, zeroed before each submission. */
  sync: 0,
  /** Address of one u32 chunk counter a dispatch step, zeroed before each submission. */
  counters: 4,
  /** Address of the zero page: ZERO_PAGE_BYTES of zeros, where out-of-range reads go. */
  zeroPage: 8,
  /** Scratch of worker w: scratch + w * scratchStride; SINK_BYTES of sink, then shared/private. */
  scratch: 12,
  scratchStride: 16,
  /** Address of the workspace allocation. */
  workspace: 20,
  /** Part to run (0 first). */
  part: 24,
  /** Upper bound of counted back-edges a worker may take in this submission (u32). */
  budget: 28,
  /** MAX_ROOTS pairs {address, length in bytes}. */
  roots: 32,
  /** Pairs {address, length} of bank fields, all banks one after another. */
  banks: 96,
} as const;

export const MAX_ROOTS = 8;
export const ZERO_PAGE_BYTES = 1024 * 1024 + 64;
export const SINK_BYTES = 1024 * 1024 + 64;

/**
 * The sync block (u32 words). A barrier waits for shares that were begun, not for workers: one that
 * the system has put aside between two shares holds up nobody. A poisoned worker frees all others.
 */
export const SYNC = {
  /** 0, or one of POISON; the first writer wins (compare-exchange). */
  poison: 0,
  /** Step (dispatch index) that poisoned. */
  poisonStep: 4,
  /** A value that explains it (an extent, a length). */
  poisonDetail: 8,
  /** Shares of steps (chunks of grids) that are done, over the whole submission. */
  done: 64,
  /** Workers that sleep in a barrier, so that nobody is woken needlessly. */
  sleepers: 72,
} as const;

export const POISON = {
  /** Set by the driver when a worker died. */
  workerLost: 1,
  /** A grid extent above 65535. */
  gridTooLarge: 2,
  /** The back-edge budget was spent ("ran too long"). */
  ranTooLong: 3,
} as const;

/** Loads a waiting worker spins before it sleeps in `memory.atomic.wait32`, and how long it then
 * sleeps before it looks at the poison word again (ns). */
export const BARRIER_SPINS = 20_000;
export const BARRIER_WAIT_NS = 50_000_000n;
export const BACK_EDGES_MAX = 2 ** 28;
