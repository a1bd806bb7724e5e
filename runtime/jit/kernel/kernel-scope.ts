/**
 * What the emission of one kernel function shares: where locals, views and arrays are, what is
 * known of integer locals at the current point, the pointers of the loop being emitted, and the
 * functions of the module that kernels call. Owned by `emit-kernel`, passed to every emitter below.
 */
import type { Block, Expr, Kernel, LocalId, ViewInfo } from '../../loom/typed.js';
import { valueTypeOf, sizeOf } from '../numeric/shape.js';
import type { FunctionBody, Label } from '../wasm/function-body.js';
import { I32_MAX, type Ranges } from './interval.js';
import type { Words } from './emit-dot.js';
import { splatLocals, wideLocals } from './local-uses.js';
import type { Place, PlaceBase } from './place.js';
import { layScratch, type ScratchLayout } from './scratch-layout.js';

/** Functions and globals of the module that kernels use; made on first use. */
export interface KernelModule {
  readonly globals: {
    readonly zeroPage: number;
    readonly sink: number;
    readonly scratch: number;
    /** Address of the memory's last byte when the program began; the memory never shrinks. */
    readonly lastByte: number;
    /** Back-edges that this worker may still take. */
    readonly budget: number;
  };
  /** Poisons the submission with `ranTooLong`. */
  readonly ranTooLong: number;
  /** Index of a function made by `body` when first asked for. */
  helper(name: string, make: () => FunctionBody): number;
}

/** Locals that hold a view. Addresses of void tiles point at the zero page and at the sink. */
export interface ViewSlot {
  readonly info: ViewInfo;
  readonly read: number;
  readonly write: number;
  /** Elements; unused when the count is constant. */
  readonly length: number;
}

/** A pointer that moves with the loop, and the constant offset of an access from it. */
export interface StreamAddress {
  readonly pointer: number;
  readonly offset: number;
}

/** The emitters that call each other recursively meet here. */
export interface KernelEmitters {
  /** Leaves the value on the stack. */
  value(expr: Expr): void;
  block(block: Block): void;
}

export interface KernelScope {
  readonly emit: KernelEmitters;
  readonly kernel: Kernel;
  readonly code: FunctionBody;
  readonly module: KernelModule;
  readonly layout: ScratchLayout;
  /** WebAssembly locals by local id. */
  readonly locals: readonly number[];
  /** Locals that hold their value in all four lanes. */
  readonly splatted: ReadonlySet<LocalId>;
  /** Locals of bytes that live as words. */
  readonly wide: ReadonlyMap<LocalId, Words>;
  readonly views: readonly ViewSlot[];
  /** With one lane: WebAssembly locals of each private array. */
  readonly privates: readonly (readonly number[])[];
  readonly fixed: { readonly zeroPage: number; readonly sink: number; readonly scratch: number };
  /** Address of this lane's private arrays (lanes > 1). */
  readonly laneBase: number;
  readonly ranges: Ranges;
  streams: ReadonlyMap<Place, StreamAddress>;
  readonly labels: Map<number, Label>;
  readonly loops: { readonly exit: Label; readonly next: Label }[];
}

/** Parameters of a kernel function: the workgroup, then address and length of views, scalars. */
export const WORKGROUP_PARAMS = 3;

export function kernelScope(
  kernel: Kernel,
  code: FunctionBody,
  module: KernelModule,
  emitters: (scope: KernelScope) => KernelEmitters,
): KernelScope {
  const splatted = splatLocals(kernel);
  const locals: number[] = [];
  const views: ViewSlot[] = [];
  let next = WORKGROUP_PARAMS;
  for (const param of kernel.params) {
    if ('view' in param) {
      views[param.view] = {
        info: kernel.views[param.view]!,
        read: next,
        write: next,
        length: next + 1,
      };
      next += 2;
    } else {
      locals[param.local] = next++;
    }
  }
  kernel.locals.forEach((local, id) => {
    locals[id] ??= code.local(splatted.has(id) ? 'v128' : valueTypeOf(local.type));
  });
  const wide = new Map(
    [...wideLocals(kernel)].map((id) => [id, { low: locals[id]!, high: code.local('v128') }]),
  );
  kernel.views.forEach((info, id) => {
    if (views[id]) return;
    const read = code.local('i32');
    const write = info.access === 'inout' ? code.local('i32') : read;
    views[id] = { info, read, write, length: info.origin === 'slice' ? code.local('i32') : -1 };
  });
  const oneLane = kernel.lanes === 1;
  const privates = kernel.privates.map((array) =>
    oneLane ? Array.from({ length: array.count }, () => code.local(valueTypeOf(array.type))) : [],
  );
  const scope: KernelScope = {
    emit: {
      value: (expr) => bound.value(expr),
      block: (block) => bound.block(block),
    },
    kernel,
    code,
    module,
    locals,
    splatted,
    wide,
    views,
    privates,
    layout: layScratch(kernel),
    fixed: { zeroPage: code.local('i32'), sink: code.local('i32'), scratch: code.local('i32') },
    laneBase: oneLane ? -1 : code.local('i32'),
    ranges: new Map(),
    streams: new Map(),
    labels: new Map(),
    loops: [],
  };
  const bound = emitters(scope);
  return scope;
}

/** Elements of a base when the program fixes them. */
export function countOf(scope: KernelScope, base: PlaceBase): number | null {
  if ('shared' in base) return scope.kernel.shared[base.shared]!.count;
  const { info } = scope.views[base.view]!;
  return info.origin === 'tile' ? info.count : null;
}

/** Bytes from one element of a base to the next. */
export function elementSizeOf(scope: KernelScope, base: PlaceBase): number {
  if ('shared' in base) return sizeOf(scope.kernel.shared[base.shared]!.type);
  return scope.views[base.view]!.info.elementSize;
}

/** Pushes the length of a base in elements. */
export function pushLength(scope: KernelScope, base: PlaceBase): void {
  const count = countOf(scope, base);
  if (count !== null) scope.code.i32(Math.min(count, I32_MAX));
  else if ('view' in base) scope.code.get(scope.views[base.view]!.length);
}

/** Pushes the address of element 0; returns what must be added as a constant offset. */
export function pushBase(scope: KernelScope, place: Pick<Place, 'base' | 'access'>): number {
  if ('shared' in place.base) {
    scope.code.get(scope.fixed.scratch);
    return scope.layout.shared[place.base.shared]!;
  }
  const slot = scope.views[place.base.view]!;
  scope.code.get(place.access === 'read' ? slot.read : slot.write);
  return 0;
}

/** A copy of what is known, to restore after one of two ways through the program. */
export function withRanges(scope: KernelScope, emit: () => void): void {
  const before = new Map(scope.ranges);
  emit();
  scope.ranges.clear();
  for (const [local, range] of before) scope.ranges.set(local, range);
}

export function forget(scope: KernelScope, locals: Iterable<LocalId>): void {
  for (const local of locals) scope.ranges.delete(local);
}
