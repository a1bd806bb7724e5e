/**
 * Programs of the typed tree: what the elaborator makes of one root. A host program is the closure
 * of one file; a kernel is one device function with everything inlined; a command program lists
 * dispatches of kernels over roots, workspaces and banks.
 */
import type { Block, Local, LocalId, Site, ViewId } from './typed.js';
import type { Storage, Type } from './typed-types.js';

// --- host programs ---------------------------------------------------------------------------

export interface Symbol {
  /** Full name of a function, kernel, command or policy; `args` in canonical text. */
  readonly name: string;
  readonly args: readonly string[];
}

export interface CapabilityImport {
  readonly module: string;
  readonly name: string;
  readonly params: readonly Type[];
  readonly results: readonly Type[];
  readonly site: Site;
}

export interface HostFunction {
  readonly name: string;
  readonly exported: boolean;
  readonly site: Site;
  /** The first `params` locals are the parameters. */
  readonly params: number;
  readonly locals: readonly Local[];
  readonly results: readonly Type[];
  readonly body: Block;
}

/** Closure of one primary file: its exported functions are the entries, by short name. */
export interface HostProgram {
  readonly files: readonly string[];
  readonly functions: readonly HostFunction[];
  readonly imports: readonly CapabilityImport[];
  readonly symbols: readonly Symbol[];
  readonly entries: Readonly<Record<string, number>>;
  readonly checks: readonly { readonly name: string; readonly func: number }[];
}

// --- kernels ---------------------------------------------------------------------------------

export interface ViewInfo {
  readonly name: string;
  /** Stride in bytes of one element; `storage` null for layouts. */
  readonly elementSize: number;
  readonly storage: Storage | null;
  readonly access: 'in' | 'out' | 'inout' | 'acc';
  /** Tiles have a constant count and are void or whole; slices are void (length 0) or whole. */
  readonly origin: 'param' | 'tile' | 'slice';
  readonly count: number | null;
}

export interface Kernel {
  readonly name: string;
  /** Identity after specialization: name and template arguments. Kernels are interned by it. */
  readonly key: string;
  readonly site: Site;
  /** In declaration order; a view parameter or a scalar one (i32, u32, f32, bool local). */
  readonly params: readonly ({ readonly view: ViewId } | { readonly local: LocalId })[];
  readonly lanes: number;
  readonly views: readonly ViewInfo[];
  readonly locals: readonly Local[];
  readonly shared: readonly {
    readonly name: string;
    readonly type: Type;
    readonly count: number;
  }[];
  readonly privates: readonly {
    readonly name: string;
    readonly type: Type;
    readonly count: number;
  }[];
  readonly body: Block;
}

// --- command programs ------------------------------------------------------------------------

/** A scalar or grid extent known at submission. Integers wrap; division by zero gives 0. */
export type WordExpr =
  | { readonly op: 'const'; readonly type: 'i32' | 'u32' | 'f32' | 'bool'; readonly value: number }
  | {
      readonly op: 'word';
      readonly type: 'i32' | 'u32' | 'f32';
      readonly root: number;
      readonly offset: number;
    }
  | {
      readonly op: '+' | '-' | '*' | '/' | 'min' | 'max' | 'ceil_div';
      readonly type: 'i32' | 'u32' | 'f32';
      readonly left: WordExpr;
      readonly right: WordExpr;
    };

export type RangeBase =
  | { readonly kind: 'root'; readonly index: number }
  | { readonly kind: 'workspace'; readonly index: number }
  | { readonly kind: 'bank'; readonly index: number; readonly field: number };

/**
 * Bytes of a root, workspace or bank field; `length` null: from `offset` to the end of the base.
 */
export interface Range {
  readonly base: RangeBase;
  readonly offset: number;
  readonly length: number | null;
}

export interface Dispatch {
  readonly op: 'dispatch';
  readonly site: Site;
  readonly kernel: number;
  /** One argument a kernel parameter, in order. */
  readonly args: readonly (Range | { readonly word: WordExpr })[];
  readonly grid:
    | { readonly kind: 'direct'; readonly extents: readonly WordExpr[] }
    /** Three u32 at element `index` (times 3) of the range. */
    | { readonly kind: 'indirect'; readonly range: Range; readonly index: number };
}

export interface RootInfo {
  readonly name: string;
  readonly access: 'none' | 'in' | 'out' | 'inout';
  /** Its words are used: the host must have uploaded it for this submission. */
  readonly hosted: boolean;
  /** Bytes that a bound buffer must have at least. */
  readonly bytesMin: number;
}

export interface BankInfo {
  readonly name: string;
  readonly fields: readonly {
    readonly name: string;
    readonly storage: Storage;
    readonly count: number;
    readonly bytes: number;
  }[];
}

export interface CommandProgram {
  readonly name: string;
  readonly files: readonly string[];
  readonly site: Site;
  readonly roots: readonly RootInfo[];
  readonly banks: readonly BankInfo[];
  readonly workspaces: readonly {
    readonly name: string;
    readonly bytes: number;
    readonly zero: boolean;
    readonly lifetime: 'command' | 'invocation';
  }[];
  readonly kernels: readonly Kernel[];
  readonly steps: readonly (Dispatch | { readonly op: 'part'; readonly site: Site })[];
}
