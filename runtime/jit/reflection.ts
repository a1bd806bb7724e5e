/**
 * What a compiled command program tells about itself: plain data, structured-clone safe, stored
 * with the code and read by devices (sizes to allocate, bindings to check) and by reports. Made by
 * the compiler only; `runtime/hal/executable.ts` reads a part of it.
 */
import type { BankInfo, RootInfo } from '../loom/typed.js';

export interface KernelReflection {
  readonly name: string;
  readonly lanes: number;
  readonly views: number;
  readonly sharedBytes: number;
  /** Of all lanes of a workgroup. */
  readonly privateBytes: number;
  /** Rounds of loops that one workgroup can take, or null when a trip count is dynamic. */
  readonly backEdgeBound: number | null;
  readonly codeBytes: number;
}

export interface WorkspaceReflection {
  readonly name: string;
  readonly bytes: number;
  /** Byte offset inside the workspace allocation. */
  readonly offset: number;
  readonly lifetime: 'command' | 'invocation';
}

export interface ExecutableReflection {
  readonly name: string;
  readonly roots: readonly RootInfo[];
  readonly banks: readonly BankInfo[];
  /** Bytes of each bank field, all banks one after another: the order of the argument block. */
  readonly bankFields: readonly number[];
  /** Bytes of the workspace allocation: the peak over the program. */
  readonly workspaceBytes: number;
  /** The first bytes of it, which must survive from part to part of one invocation. */
  readonly invocationBytes: number;
  readonly workspaceAlignment: number;
  readonly workspaces: readonly WorkspaceReflection[];
  /** Parts that run one after another; a program without `part` has one. */
  readonly parts: number;
  /** Kernel of each dispatch, in order, by name and place; one chunk counter each. */
  readonly steps: readonly string[];
  readonly dispatches: number;
  readonly barriers: number;
  readonly kernels: readonly KernelReflection[];
  /** Bytes of shared arrays, private arrays and reductions that one worker needs. */
  readonly scratchBytes: number;
  readonly codeBytes: number;
}
