/**
 * What a command program becomes for a WebGPU device: plain data, structured-clone safe, that a
 * driver turns into pipelines, bind groups and one compute pass for each part. Everything that does
 * not depend on a submission is decided here; nothing in it names a device.
 *
 * **Bind group 0.** Storage bindings 0 … n - 1 as `kernel.bindings` lists them, then at n the
 * uniform slot of the dispatch (256 bytes). The entry point is `main`, the workgroup
 * (workgroupSize, 1, 1).
 *
 * **Ranges.** A binding covers `offset` … `offset + length` bytes of its base (`length` null: to
 * the end of what is bound there). Bases start at multiples of 256 bytes of their buffer; a driver
 * that holds one elsewhere copies it. It binds from the range's start rounded down to the device's
 * offset alignment (at most 256) to its end rounded up to 4 bytes, and at least `bytesMin`.
 *
 * **Uniform slot**, words of 4 bytes, little-endian:
 *   2k      base of view parameter k: bytes from the start of its binding to its own first byte,
 *           divided by `kernel.views[k].unit`
 *   2k + 1  its length in elements: floor(bytes / kernel.views[k].elementBytes)
 *   2v + j  scalar parameter j (v: how many views): i32, u32, f32 bits, or bool as 0 and 1
 * `uniform-slot.ts` writes it and reads the grid. Grid extents are not in it: kernels never ask.
 *
 * **Order.** Steps of a part run in one pass: WebGPU orders dispatches of a pass by what they bind,
 * so there are no barriers here. A fill cannot stand in a pass; fills lead their part.
 */
import type { Range, RangeBase, WordExpr } from '../../loom/typed.js';

/** Bytes of a uniform slot, and the largest offset alignment that WebGPU allows. */
export const SLOT_BYTES = 256;

export interface WgslProgram {
  readonly kernels: readonly WgslKernel[];
  /** By part of the program; one without `part` has one. */
  readonly parts: readonly (readonly WgslStep[])[];
}

/** Features of the device (`subgroups`) or of its WGSL (the other) that a source enables. */
export type WgslNeed = 'subgroups' | 'packed_4x8_integer_dot_product';

/** One shader. Interned by the kernel's key, the access of its bindings and what shares one. */
export interface WgslKernel {
  readonly key: string;
  readonly name: string;
  /** Where it is defined, `file:line:column`; `loomPosition` finds those of single lines. */
  readonly position: string;
  readonly source: string;
  readonly workgroupSize: number;
  readonly bindings: readonly {
    /**
     * 'read' for bases of the constant family, 'read_write' for all others, also those that are
     * only read: a buffer may not be bound both ways in one dispatch.
     */
    readonly access: 'read' | 'read_write';
    readonly bytesMin: number;
  }[];
  /** By view parameter, in order. */
  readonly views: readonly {
    readonly name: string;
    readonly binding: number;
    readonly unit: number;
    readonly elementBytes: number;
  }[];
  /** Workgroup memory in bytes: shared arrays and what reductions need. */
  readonly workgroupBytes: number;
  readonly needs: readonly WgslNeed[];
}

export type WgslStep = WgslFill | WgslDispatch;

/** Zeroes `bytes` from `start` of the workspace allocation. */
export interface WgslFill {
  readonly op: 'fill';
  readonly workspace: number;
  readonly start: number;
  readonly bytes: number;
}

export interface WgslDispatch {
  readonly op: 'dispatch';
  /** Counts dispatches over the whole program, as `reflection.steps` does. */
  readonly index: number;
  readonly kernel: number;
  /** By binding of the kernel. Of a workspace, the offset counts from the workspace's start. */
  readonly bindings: readonly Range[];
  /** By view parameter: its bytes in the base of its binding. */
  readonly views: readonly { readonly offset: number; readonly length: number | null }[];
  /** By scalar parameter. */
  readonly scalars: readonly WordExpr[];
  readonly grid:
    | { readonly kind: 'direct'; readonly extents: readonly WordExpr[] }
    /** Three u32 at byte `offset` of the base; copied out first if a binding shares its buffer. */
    | { readonly kind: 'indirect'; readonly base: RangeBase; readonly offset: number };
}

/** What a device offers, as far as the code depends on it. */
export interface WgslTarget {
  /** maxComputeWorkgroupStorageSize. */
  readonly workgroupBytes: number;
  /** The lesser of maxComputeInvocationsPerWorkgroup and maxComputeWorkgroupSizeX. */
  readonly invocations: number;
  /** maxStorageBuffersPerShaderStage. */
  readonly bindings: number;
  /** The WGSL language feature packed_4x8_integer_dot_product is there, and pays. */
  readonly packedDot: boolean;
  /** The CPU plays the device: what shaders write out is paid for when they are compiled. */
  readonly software: boolean;
  /** Least subgroup size where the device has subgroups, else null. */
  readonly subgroupSize: number | null;
  /** Hosted roots that no dispatch writes lie in the constant family, as banks do. */
  readonly uploadsConstant: boolean;
}
