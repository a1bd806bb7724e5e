/**
 * Facts of a device that programs may read as `target.NAME`. Reading one puts it in the key of the
 * specialization, so code is never shared between devices that differ in it. Plain data.
 */
export interface TargetFacts {
  /** Kernels run as flat SIMT threads (a GPU), not as one worker over vectors. */
  readonly simt: boolean;
  /** Lanes that run together in hardware. */
  readonly lanes: number;
  /** Groups of `lanes` threads exchange values without memory. */
  readonly subgroups: boolean;
  /** A GPU that the CPU plays: slow in other places than a real one. */
  readonly software: boolean;
  /** Vector registers that a register array may use before it spills. */
  readonly registers: number;
  /** Longest range that one view may bind, in bytes. */
  readonly binding_bytes: number;
  /** Bytes that the shared arrays of one kernel may take. */
  readonly shared_bytes: number;
  /** Bytes of a workgroup in all: shared arrays, and what reductions need beside them. */
  readonly workgroup_bytes: number;
  /** Views that one kernel may have. */
  readonly views: number;
  /** Relaxed SIMD is there (used for the exact 7-bit dot only). */
  readonly relaxed: boolean;
  /** Packed 8-bit dots are fast. */
  readonly dot8: boolean;
  /** Rows and columns of the register tile that runs best. */
  readonly tile_m: number;
  readonly tile_n: number;
}
