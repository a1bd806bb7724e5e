/**
 * The typed tree: what the elaborator makes for one root under one configuration and one set of
 * target facts, and the only thing that executors read (interpreter, WebAssembly, later WGSL).
 *
 * Everything is resolved and monomorphic: constants folded, templates applied, `unroll`ed loops
 * written out, device functions inlined, register arrays scattered over locals, tuples spread.
 * Types are explicit on every expression; an executor never infers and never knows a name.
 *
 * The same expression and statement forms serve host functions and kernels. The comments tell
 * which world a form belongs to: (h) host only, (d) device only, none: both.
 */

import type { Storage, Type } from './typed-types.js';

export type * from './typed-programs.js';
export type * from './typed-types.js';

/** Position of a node: `fileIndex * 2 ** 32 + At`; the file index points into `files`. */
export type Site = number;
export const siteOf = (file: number, at: number): Site => file * 2 ** 32 + at;

// --- locals, blocks --------------------------------------------------------------------------

export type LocalId = number;
export interface Local {
  readonly name: string;
  readonly type: Type;
}

/** `cost`: nodes run when control enters the block (nested blocks excluded); the fuel charged. The
 * body of a host loop charges at least 1 a round, so an empty `while` runs out of fuel too. */
export interface Block {
  readonly cost: number;
  readonly stmts: readonly Stmt[];
}

// --- expressions -----------------------------------------------------------------------------

/** Both sides have the type of the result, except comparisons (bool result, equal operand types)
 * and shifts of i64 (right side i64 too; executors use its low 6 bits). Scalars or vectors for
 * arithmetic and bits; comparisons are scalar (bool with '==' '!=' only). Strings: '==' '!=' only
 * (as heap operations). */
export type ArithmeticOp = '+' | '-' | '*' | '/' | '%' | '<<' | '>>' | '&' | '|' | '^';
export type CompareOp = '==' | '!=' | '<' | '<=' | '>' | '>=';

/**
 * Functions with the same meaning everywhere; argument and result types per LOOM 3, vectors by
 * component where that makes sense.
 *   min max (b < a ? b : a; b > a ? b : a) · abs sqrt floor ceil trunc round (nearest even) ·
 *   mad(a,b,c) two roundings · select(c,a,b), c scalar bool · dot(f32x4,f32x4) = (a*b).sum ·
 *   sum (x4: (x+z)+(y+w); x2: x+y) · max_lane, min_lane of a vector (same pairing as sum) ·
 *   dot8(i8x16, i8x16, acc: i32x4): what two `i32x4.dot_i16x8_s` over the sign-extended low and
 *     high halves give: lane i gains the products of bytes 2i, 2i+1, 2i+8 and 2i+9 (wrapping) ·
 *   mul_hi(u32,u32) · bits(f32)->u32 (vectors too), bits(i8x16)->u32x4 (lowest byte first) ·
 *   f32_from_bits(u32) · clz popcount (u32) · is_nan(f32) · unpack_i8(i8x4)->i32x4,
 *   unpack_u8(u8x4)->i32x4 · pack_i8(f32x4|i32x4)->i8x4 saturating, pack_u8(...)->u8x4.
 */
export type Intrinsic =
  | 'min'
  | 'max'
  | 'abs'
  | 'sqrt'
  | 'floor'
  | 'ceil'
  | 'trunc'
  | 'round'
  | 'mad'
  | 'select'
  | 'dot'
  | 'sum'
  | 'max_lane'
  | 'min_lane'
  | 'dot8'
  | 'mul_hi'
  | 'bits'
  | 'f32_from_bits'
  | 'clz'
  | 'popcount'
  | 'is_nan'
  | 'unpack_i8'
  | 'unpack_u8'
  | 'pack_i8'
  | 'pack_u8';

/**
 * (h) Operations on the host heap. Implemented once, in `runtime/vm/heap.ts`, for both executors.
 * Arguments and results by name; i64 for all lengths, offsets and indices; all checked and raising.
 *   buffer.new(len) zeroed · buffer.len · buffer.slice(b, offset, len) · buffer.from(b, offset) ·
 *   buffer.copy(target, offset, source, sourceOffset, len) void · buffer.fill(b, offset, len, byte)
 *   void · buffer.freeze(b) same bytes, read-only · string.concat · string.eq · string.len ·
 *   string.slice(s, offset, len) · string.find(s, needle, from) -> index or -1 ·
 *   string.byte(s, index) -> i64 · list.new · list.len · list.bytes(list) -> buffer (a copy of the
 *   packed elements; scalar elements only) · array.bytes(array) -> buffer copy ·
 *   seal(record) -> ref · open(ref) -> record · cell.new(record) · cell.read(cell) ·
 *   cell.write(cell, record) void · hal.slice(h, offset, len) -> hal.buffer · hal.len(h) -> i64
 */
export type HeapOp =
  | 'buffer.new'
  | 'buffer.len'
  | 'buffer.slice'
  | 'buffer.from'
  | 'buffer.copy'
  | 'buffer.fill'
  | 'buffer.freeze'
  | 'string.concat'
  | 'string.eq'
  | 'string.len'
  | 'string.slice'
  | 'string.find'
  | 'string.byte'
  | 'list.new'
  | 'list.len'
  | 'list.bytes'
  | 'array.bytes'
  | 'seal'
  | 'open'
  | 'cell.new'
  | 'cell.read'
  | 'cell.write'
  | 'hal.slice'
  | 'hal.len';

interface Typed {
  readonly type: Type;
  readonly site: Site;
}

export type Expr = Typed &
  /** Scalars: number (i32 as signed, u32 as unsigned), bigint for i64, boolean; strings; vectors
   * as number arrays; symbol: index into `symbols`. f32 values are already rounded. */
  (
    | {
        readonly op: 'const';
        readonly value: number | bigint | boolean | string | readonly number[];
      }
    | { readonly op: 'local'; readonly local: LocalId }
    | { readonly op: 'negate' | 'not' | 'invert'; readonly value: Expr }
    | {
        readonly op: 'arithmetic';
        readonly operator: ArithmeticOp;
        readonly left: Expr;
        readonly right: Expr;
      }
    | {
        readonly op: 'compare';
        readonly operator: CompareOp;
        readonly left: Expr;
        readonly right: Expr;
      }
    /** Short-circuit. */
    | { readonly op: 'and' | 'or'; readonly left: Expr; readonly right: Expr }
    /** Numeric conversion between scalars, or by component between vectors of equal lanes. */
    | { readonly op: 'convert'; readonly value: Expr }
    | { readonly op: 'vector'; readonly items: readonly Expr[] }
    | { readonly op: 'splat'; readonly value: Expr }
    | { readonly op: 'extract'; readonly value: Expr; readonly index: number }
    /** Dynamic component, out of range gives zero. */
    | { readonly op: 'component'; readonly value: Expr; readonly index: Expr }
    | { readonly op: 'intrinsic'; readonly name: Intrinsic; readonly args: readonly Expr[] }
    /** Statements, then a value: how inlined device functions appear. */
    | { readonly op: 'block'; readonly body: Block; readonly value: Expr }
    // host
    | { readonly op: 'call'; readonly func: number; readonly args: readonly Expr[] }
    | { readonly op: 'capability'; readonly index: number; readonly args: readonly Expr[] }
    | { readonly op: 'heap'; readonly name: HeapOp; readonly args: readonly Expr[] }
    /**
     * `format`: literal pieces (one more than args); args are i64, i32, u32, f32, f64, bool,
     * string.
     */
    | { readonly op: 'format'; readonly pieces: readonly string[]; readonly args: readonly Expr[] }
    | { readonly op: 'record.new'; readonly fields: readonly Expr[] }
    | { readonly op: 'record.field'; readonly value: Expr; readonly index: number }
    | { readonly op: 'list.get'; readonly list: Expr; readonly index: Expr }
    | { readonly op: 'array.new'; readonly items: readonly Expr[] }
    | { readonly op: 'array.get'; readonly array: Expr; readonly index: Expr }
    /** Element `index` (i64) of `elem` width, little-endian, at byte `offset + index * size`.
     * Result: i64 for 'u8' 'i64', i32, u32, f32, f64 as named. Layout fields use index 0 too. */
    | {
        readonly op: 'buffer.get';
        readonly buffer: Expr;
        readonly elem: BufferElem;
        readonly offset: number;
        readonly index: Expr;
      }
    // device
    | { readonly op: 'workgroup'; readonly axis: 0 | 1 | 2 }
    | { readonly op: 'view.length'; readonly view: ViewId }
    | ({ readonly op: 'view.get' } & ViewPlace)
    /** Four neighbours from scalar element `index` on; each checked by itself. */
    | {
        readonly op: 'view.vec4';
        readonly view: ViewId;
        readonly index: Expr;
        readonly storage: Storage;
      }
    | { readonly op: 'shared.get'; readonly shared: SharedId; readonly index: Expr }
    | { readonly op: 'shared.vec4'; readonly shared: SharedId; readonly index: Expr }
    /** Constant index into this lane's private array. */
    | { readonly op: 'private.get'; readonly private: PrivateId; readonly index: number }
    /** Kernel level only: LOOM 3's fixed orders over `count` elements from `first`; elements
     * outside the array read as zero; the array itself is left unchanged. */
    | {
        readonly op: 'reduce';
        readonly kind: 'add' | 'max' | 'min' | 'in_order';
        readonly shared: SharedId;
        readonly first: Expr;
        readonly count: number;
      }
  );

export type BufferElem = 'u8' | 'i32' | 'u32' | 'i64' | 'f32' | 'f64';

export type ViewId = number;
export type SharedId = number;
export type PrivateId = number;

/**
 * A place in a view: element `index` (i32), byte `offset` inside it, and, for an array field, the
 * element `sub.index` of `sub.count` with `sub.stride` bytes. Out of range (index or sub): reads
 * zero, writes dropped. `storage` tells what is there; the view's own element gives the stride.
 */
export interface ViewPlace {
  readonly view: ViewId;
  readonly index: Expr;
  readonly offset: number;
  readonly sub: { readonly index: Expr; readonly count: number; readonly stride: number } | null;
  readonly storage: Storage;
}

// --- statements ------------------------------------------------------------------------------

interface Sited {
  readonly site: Site;
}

export type Stmt = Sited &
  (
    | { readonly op: 'set'; readonly local: LocalId; readonly value: Expr }
    /** Spreads the results of a host call or a capability over locals (one each, or none). */
    | { readonly op: 'call'; readonly results: readonly LocalId[]; readonly call: Expr }
    | {
        readonly op: 'if';
        readonly cond: Expr;
        readonly then: Block;
        readonly otherwise: Block | null;
      }
    /** `for local in from..to step step`: bounds evaluated once, i32 on devices, i64 on hosts (or
     * i32 where both bounds are i32); step a positive constant; the local is fresh each round. */
    | {
        readonly op: 'for';
        readonly local: LocalId;
        readonly from: Expr;
        readonly to: Expr;
        readonly step: number;
        readonly body: Block;
      }
    /** (h) */
    | { readonly op: 'while'; readonly cond: Expr; readonly body: Block }
    /** Of the innermost for/while. */
    | { readonly op: 'break' | 'continue' }
    /** A labelled block and the jump to its end: inlined `return`s. Labels are unique. */
    | { readonly op: 'label'; readonly label: number; readonly body: Block }
    | { readonly op: 'leave'; readonly label: number }
    /** Host: results. Kernel level: ends the workgroup (no values). */
    | { readonly op: 'return'; readonly values: readonly Expr[] }
    // host
    /** reject: caller's mistake (invalidArgument); fail: model's fault (internal). */
    | { readonly op: 'raise'; readonly kind: 'reject' | 'fail'; readonly message: Expr }
    | {
        readonly op: 'buffer.set';
        readonly buffer: Expr;
        readonly elem: BufferElem;
        readonly offset: number;
        readonly index: Expr;
        readonly value: Expr;
      }
    /** A layout field narrower than i64: `value` is i64 and is range-checked for the element. */
    | {
        readonly op: 'buffer.narrow';
        readonly buffer: Expr;
        readonly elem: 'i32' | 'u32' | 'u8';
        readonly offset: number;
        readonly index: Expr;
        readonly value: Expr;
      }
    | { readonly op: 'list.push'; readonly list: Expr; readonly value: Expr }
    | { readonly op: 'list.set'; readonly list: Expr; readonly index: Expr; readonly value: Expr }
    | { readonly op: 'array.set'; readonly array: Expr; readonly index: Expr; readonly value: Expr }
    // device
    | ({ readonly op: 'view.set'; readonly value: Expr } & ViewPlace)
    | {
        readonly op: 'view.put4';
        readonly view: ViewId;
        readonly index: Expr;
        readonly value: Expr;
        readonly storage: Storage;
      }
    | {
        readonly op: 'shared.set';
        readonly shared: SharedId;
        readonly index: Expr;
        readonly value: Expr;
      }
    | {
        readonly op: 'shared.put4';
        readonly shared: SharedId;
        readonly index: Expr;
        readonly value: Expr;
      }
    | {
        readonly op: 'private.set';
        readonly private: PrivateId;
        readonly index: number;
        readonly value: Expr;
      }
    /** Defines view `view` (origin tile or slice) from `source`; all or nothing (LOOM 5). */
    | {
        readonly op: 'view.tile';
        readonly view: ViewId;
        readonly source: ViewId;
        readonly base: Expr;
        readonly count: number;
      }
    | {
        readonly op: 'view.slice';
        readonly view: ViewId;
        readonly source: ViewId;
        readonly base: Expr;
        readonly count: Expr;
      }
    /** `take`: locals[i] = element base + i * stride, each checked; lane-invariant addresses. */
    | {
        readonly op: 'view.take';
        readonly view: ViewId;
        readonly base: Expr;
        readonly stride: Expr;
        readonly locals: readonly LocalId[];
        readonly storage: Storage;
      }
    /** Element `index` of an acc view, or of a shared array. */
    | {
        readonly op: 'accumulate';
        readonly target: { readonly view: ViewId } | { readonly shared: SharedId };
        readonly kind: 'add' | 'min' | 'max' | 'and' | 'or' | 'xor';
        readonly index: Expr;
        readonly value: Expr;
      }
    /** Lanes `from..to`; `exact` when the range is the constant 0..L. The end is a barrier. */
    | {
        readonly op: 'parallel';
        readonly local: LocalId;
        readonly from: Expr;
        readonly to: Expr;
        readonly exact: boolean;
        readonly body: Block;
      }
    /** Kernel level: value and id of the largest element, ties to the lower id. */
    | {
        readonly op: 'argmax';
        readonly values: SharedId;
        readonly ids: SharedId;
        readonly count: number;
        readonly value: LocalId;
        readonly index: LocalId;
      }
  );
