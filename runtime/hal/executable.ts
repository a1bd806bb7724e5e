/**
 * A compiled command program as a device takes it: what it binds and needs (reflection), and its
 * code. The reflection is plain data made by the compiler; a driver trusts it for sizes and names
 * and checks every binding against it before a launch.
 */
import { assert } from '../base/errors.js';

export interface RootBinding {
  readonly name: string;
  readonly access: 'none' | 'in' | 'out' | 'inout';
  /** The host must have uploaded it for this submission: scalars are read from its bytes. */
  readonly hosted: boolean;
  readonly bytesMin: number;
}

export interface ExecutableInfo {
  readonly name: string;
  readonly roots: readonly RootBinding[];
  /** Bytes of each bank field, all banks one after another. */
  readonly bankFields: readonly number[];
  /** Peak of all workspaces, in bytes; `invocation` ones keep their place from part to part. */
  readonly workspaceBytes: number;
  /** Parts that run one after another; a program without `part` has one. */
  readonly parts: number;
  /** Bytes of shared and private state that one worker needs. */
  readonly scratchBytes: number;
  /** Kernel of each dispatch step by name and place, for messages; one chunk counter each. */
  readonly steps: readonly string[];
}

export interface ExecutableImage {
  readonly info: ExecutableInfo;
  /** WebAssembly for the local device; other drivers bring a kind of code of their own. */
  readonly module: WebAssembly.Module | null;
  /** Shaders for the WebGPU device: plain data that only its driver looks into. */
  readonly wgsl?: object | null;
  /** Ids of the banks that its parameters bind, in order; none for programs without parameters. */
  readonly banks?: readonly string[];
  /** Most workspace that all running invocations of the stage may hold together; null: any. */
  readonly workspaceLimit?: { readonly stage: string; readonly bytes: number } | null;
}

/**
 * An executable that is loaded on a device. Accepted works retain it, so code that was unloaded
 * stays until the last of them has retired.
 */
export class Executable {
  readonly id: string;
  readonly info: ExecutableInfo;
  readonly module: WebAssembly.Module | null;
  readonly banks: readonly string[];
  readonly workspaceLimit: { readonly stage: string; readonly bytes: number } | null;
  readonly #discard: (executable: Executable) => void;
  #uses = 0;
  #unloaded = false;

  /** `discard` is called once, when it was unloaded and no accepted work is left. */
  constructor(id: string, image: ExecutableImage, discard: (executable: Executable) => void) {
    this.id = id;
    this.info = image.info;
    this.module = image.module;
    this.banks = image.banks ?? [];
    this.workspaceLimit = image.workspaceLimit ?? null;
    this.#discard = discard;
  }

  retain(): void {
    this.#uses += 1;
  }

  release(): void {
    assert(this.#uses > 0, 'an executable to be released as often as retained');
    this.#uses -= 1;
    this.#discardUnused();
  }

  unload(): void {
    assert(!this.#unloaded, 'an executable to be unloaded once');
    this.#unloaded = true;
    this.#discardUnused();
  }

  #discardUnused(): void {
    if (this.#unloaded && this.#uses === 0) this.#discard(this);
  }
}
