/** Short ways to write typed trees by hand, for tests of the emitters. */
import type {
  ArithmeticOp, Block, CommandProgram, CompareOp, Dispatch, Expr, Intrinsic, Kernel, Local, LocalId,
  Range, Stmt, Storage, Type, ViewInfo, WordExpr,
} from '../../../runtime/loom/typed.js';

export const site = 0;
export const i32: Type = { kind: 'scalar', name: 'i32' };
export const u32: Type = { kind: 'scalar', name: 'u32' };
export const f32: Type = { kind: 'scalar', name: 'f32' };
export const bool: Type = { kind: 'scalar', name: 'bool' };
export const vec = (elem: 'f32' | 'i32' | 'u32', lanes: 2 | 4): Type => ({ kind: 'vector', elem, lanes });
export const f32x4 = vec('f32', 4);
export const f32x2 = vec('f32', 2);
export const i32x4 = vec('i32', 4);

export const storage = (elem: Storage['elem'], lanes: Storage['lanes'] = 1): Storage => {
  const bytes = { f32: 4, i32: 4, u32: 4, f16: 2, bf16: 2, i8: 1, u8: 1 }[elem];
  return { elem, lanes, size: bytes * lanes };
};

export const int = (value: number): Expr => ({ op: 'const', type: i32, site, value });
export const uint = (value: number): Expr => ({ op: 'const', type: u32, site, value });
export const float = (value: number): Expr => ({ op: 'const', type: f32, site, value: Math.fround(value) });
export const floats = (...value: number[]): Expr => ({ op: 'const', type: f32x4, site, value });
export const bin = (operator: ArithmeticOp, left: Expr, right: Expr): Expr => ({
  op: 'arithmetic', operator, left, right, type: left.type, site,
});
export const add = (...items: Expr[]): Expr => items.reduce((sum, item) => bin('+', sum, item));
export const mul = (left: Expr, right: Expr): Expr => bin('*', left, right);
export const cmp = (operator: CompareOp, left: Expr, right: Expr): Expr => ({
  op: 'compare', operator, left, right, type: bool, site,
});
export const call = (name: Intrinsic, type: Type, ...args: Expr[]): Expr => ({ op: 'intrinsic', name, args, type, site });
export const splat = (value: Expr, type: Type): Expr => ({ op: 'splat', value, type, site });
export const convert = (value: Expr, type: Type): Expr => ({ op: 'convert', value, type, site });
export const group = (axis: 0 | 1 | 2): Expr => ({ op: 'workgroup', axis, type: i32, site });

export const block = (...stmts: (Stmt | Stmt[])[]): Block => ({ cost: 1, stmts: stmts.flat() });
export const ifThen = (cond: Expr, then: Block, otherwise: Block | null = null): Stmt => ({
  op: 'if', cond, then, otherwise, site,
});

export interface KernelParts {
  readonly lanes?: number;
  readonly shared?: Kernel['shared'];
  readonly privates?: Kernel['privates'];
}

/** Collects parameters, views and locals of one kernel while its body is written. */
export class KernelTree {
  readonly views: ViewInfo[] = [];
  readonly locals: Local[] = [];
  readonly params: Kernel['params'][number][] = [];

  view(name: string, access: ViewInfo['access'], store: Storage): number {
    this.views.push({ name, elementSize: store.size, storage: store, access, origin: 'param', count: null });
    this.params.push({ view: this.views.length - 1 });
    return this.views.length - 1;
  }

  derived(origin: 'tile' | 'slice', source: number, count: number | null): number {
    this.views.push({ ...this.views[source]!, name: origin, origin, count });
    return this.views.length - 1;
  }

  param(name: string, type: Type): Expr {
    const local = this.local(name, type);
    this.params.push({ local });
    return this.use(local);
  }

  local(name: string, type: Type): LocalId {
    this.locals.push({ name, type });
    return this.locals.length - 1;
  }

  use(local: LocalId): Expr {
    return { op: 'local', local, type: this.locals[local]!.type, site };
  }

  set(local: LocalId, value: Expr): Stmt {
    return { op: 'set', local, value, site };
  }

  get(view: number, index: Expr, type: Type, store = this.views[view]!.storage!): Expr {
    return { op: 'view.get', view, index, offset: 0, sub: null, storage: store, type, site };
  }

  put(view: number, index: Expr, value: Expr, store = this.views[view]!.storage!): Stmt {
    return { op: 'view.set', view, index, offset: 0, sub: null, storage: store, value, site };
  }

  loop(local: LocalId, from: Expr, to: Expr, body: Block, step = 1): Stmt {
    return { op: 'for', local, from, to, step, body, site };
  }

  lanes(local: LocalId, from: Expr, to: Expr, body: Block, exact = false): Stmt {
    return { op: 'parallel', local, from, to, exact, body, site };
  }

  kernel(name: string, body: Block, parts: KernelParts = {}): Kernel {
    return {
      name, key: name, site, params: this.params, lanes: parts.lanes ?? 1, views: this.views,
      locals: this.locals, shared: parts.shared ?? [], privates: parts.privates ?? [], body,
    };
  }
}

export const root = (index: number, offset = 0, length: number | null = null): Range => ({
  base: { kind: 'root', index }, offset, length,
});
export const workspace = (index: number, offset = 0, length: number | null = null): Range => ({
  base: { kind: 'workspace', index }, offset, length,
});
export const word = (index: number, offset: number, type: 'i32' | 'u32' | 'f32' = 'i32'): WordExpr => ({
  op: 'word', type, root: index, offset,
});
export const constant = (value: number, type: 'i32' | 'u32' | 'f32' = 'i32'): WordExpr => ({ op: 'const', type, value });

export function dispatch(
  kernel: number,
  args: readonly (Range | WordExpr)[],
  ...extents: (number | WordExpr)[]
): Dispatch {
  return {
    op: 'dispatch', site, kernel,
    args: args.map((arg) => ('base' in arg ? arg : { word: arg })),
    grid: {
      kind: 'direct',
      extents: extents.map((extent) => (typeof extent === 'number' ? constant(extent) : extent)),
    },
  };
}

export interface CommandParts {
  readonly roots: readonly ('in' | 'out' | 'inout')[];
  readonly hosted?: readonly number[];
  readonly workspaces?: readonly { bytes: number; zero?: boolean; lifetime?: 'command' | 'invocation' }[];
}

export function command(
  kernels: readonly Kernel[],
  steps: CommandProgram['steps'],
  parts: CommandParts,
): CommandProgram {
  return {
    name: 'test', files: ['test.loom'], site, kernels, steps, banks: [],
    roots: parts.roots.map((access, index) => ({
      name: `root${index}`, access, hosted: parts.hosted?.includes(index) ?? false, bytesMin: 0,
    })),
    workspaces: (parts.workspaces ?? []).map(({ bytes, zero, lifetime }, index) => ({
      name: `w${index}`, bytes, zero: zero ?? false, lifetime: lifetime ?? 'command',
    })),
  };
}
