/**
 * Builds typed trees by hand, for tests of executors: short constructors for types, expressions
 * and statements, and builders for functions, kernels and command programs. Block costs are
 * counted as the elaborator counts them (statements and expressions of the block itself). Sites
 * count up from line 1, so every node of a tree has a position of its own.
 */
import type {
  ArithmeticOp, Block, BufferElem, CapabilityImport, CommandProgram, CompareOp, Dispatch, Expr,
  HandleName, HeapOp, HostFunction, HostProgram, Intrinsic, Kernel, Local, LocalId, Range,
  RecordType, RootInfo, ScalarName, Stmt, Storage, Type, ViewId, ViewInfo, WordExpr,
} from '../../runtime/loom/typed.js';
import { packAt } from '../../runtime/loom/tree.js';
import { operandsOf, operandsOfStatement } from '../../runtime/jit/typed-walk.js';

const scalar = (name: ScalarName): Type => ({ kind: 'scalar', name });
export const t = {
  bool: scalar('bool'),
  i32: scalar('i32'),
  u32: scalar('u32'),
  i64: scalar('i64'),
  f32: scalar('f32'),
  f64: scalar('f64'),
  string: { kind: 'string' } as Type,
  buffer: { kind: 'buffer' } as Type,
  ref: { kind: 'ref' } as Type,
  symbol: { kind: 'symbol' } as Type,
  void: { kind: 'void' } as Type,
  vector: (elem: 'f32' | 'i32' | 'u32', lanes: 2 | 4): Type => ({ kind: 'vector', elem, lanes }),
  f32x4: { kind: 'vector', elem: 'f32', lanes: 4 } as Type,
  i32x4: { kind: 'vector', elem: 'i32', lanes: 4 } as Type,
  u32x4: { kind: 'vector', elem: 'u32', lanes: 4 } as Type,
  f32x2: { kind: 'vector', elem: 'f32', lanes: 2 } as Type,
  i8x4: { kind: 'bytes', elem: 'i8', lanes: 4 } as Type,
  u8x4: { kind: 'bytes', elem: 'u8', lanes: 4 } as Type,
  i8x16: { kind: 'bytes', elem: 'i8', lanes: 16 } as Type,
  handle: (name: HandleName): Type => ({ kind: 'handle', name }),
  list: (elem: Type): Type => ({ kind: 'list', elem }),
  cell: (elem: Type): Type => ({ kind: 'cell', elem }),
  array: (elem: Type, count: number): Type => ({ kind: 'array', elem, count }),
  record: (name: string, fields: Readonly<Record<string, Type>>): Type => ({
    kind: 'record',
    record: recordType(name, fields),
  }),
};

export function recordType(name: string, fields: Readonly<Record<string, Type>>): RecordType {
  return { name, fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })) };
}

const sizes = { f32: 4, i32: 4, u32: 4, f16: 2, bf16: 2, i8: 1, u8: 1 } as const;
export function storage(elem: Storage['elem'], lanes: Storage['lanes'] = 1): Storage {
  return { elem, lanes, size: sizes[elem] * lanes };
}

let line = 0;
/** A fresh position in file 0. */
export const site = (): number => packAt((line = (line % 100_000) + 1), 1);

export const constant = (type: Type, value: number | bigint | boolean | string | readonly number[]): Expr => ({ op: 'const', type, site: site(), value });
export const i64 = (value: number | bigint): Expr => constant(t.i64, BigInt(value));
export const i32 = (value: number): Expr => constant(t.i32, value | 0);
export const u32 = (value: number): Expr => constant(t.u32, value >>> 0);
export const f32 = (value: number): Expr => constant(t.f32, Math.fround(value));
export const f64 = (value: number): Expr => constant(t.f64, value);
export const bool = (value: boolean): Expr => constant(t.bool, value);
export const text = (value: string): Expr => constant(t.string, value);

export const arithmetic = (operator: ArithmeticOp, left: Expr, right: Expr): Expr => ({ op: 'arithmetic', operator, left, right, type: left.type, site: site() });
export const add = (left: Expr, right: Expr): Expr => arithmetic('+', left, right);
export const sub = (left: Expr, right: Expr): Expr => arithmetic('-', left, right);
export const mul = (left: Expr, right: Expr): Expr => arithmetic('*', left, right);
export const compare = (operator: CompareOp, left: Expr, right: Expr): Expr => ({ op: 'compare', operator, left, right, type: t.bool, site: site() });
export const unary = (op: 'negate' | 'not' | 'invert', value: Expr): Expr => ({ op, value, type: value.type, site: site() });
export const logical = (op: 'and' | 'or', left: Expr, right: Expr): Expr => ({ op, left, right, type: t.bool, site: site() });
export const convert = (type: Type, value: Expr): Expr => ({ op: 'convert', value, type, site: site() });
export const vector = (type: Type, items: readonly Expr[]): Expr => ({ op: 'vector', items, type, site: site() });
export const splat = (type: Type, value: Expr): Expr => ({ op: 'splat', value, type, site: site() });
export const extract = (value: Expr, index: number): Expr => ({ op: 'extract', value, index, type: laneType(value.type), site: site() });
export const component = (value: Expr, index: Expr): Expr => ({ op: 'component', value, index, type: laneType(value.type), site: site() });
export const intrinsic = (name: Intrinsic, type: Type, args: readonly Expr[]): Expr => ({ op: 'intrinsic', name, args, type, site: site() });
export const blockValue = (body: Block, value: Expr): Expr => ({ op: 'block', body, value, type: value.type, site: site() });

function laneType(type: Type): Type {
  if (type.kind === 'vector') return scalar(type.elem);
  if (type.kind === 'bytes') return type.elem === 'i8' ? t.i32 : t.u32;
  throw new Error('a vector was expected');
}

// host expressions
export const call = (func: number, type: Type, args: readonly Expr[]): Expr => ({ op: 'call', func, args, type, site: site() });
export const capability = (index: number, type: Type, args: readonly Expr[]): Expr => ({ op: 'capability', index, args, type, site: site() });
export const heap = (name: HeapOp, type: Type, args: readonly Expr[] = []): Expr => ({ op: 'heap', name, args, type, site: site() });
export const format = (pieces: readonly string[], args: readonly Expr[]): Expr => ({ op: 'format', pieces, args, type: t.string, site: site() });
export const recordNew = (type: Type, fields: readonly Expr[]): Expr => ({ op: 'record.new', fields, type, site: site() });
export const field = (value: Expr, index: number): Expr => {
  if (value.type.kind !== 'record') throw new Error('a record was expected');
  return { op: 'record.field', value, index, type: value.type.record.fields[index]!.type, site: site() };
};
export const listGet = (list: Expr, index: Expr): Expr => ({ op: 'list.get', list, index, type: elementType(list.type), site: site() });
export const arrayNew = (type: Type, items: readonly Expr[]): Expr => ({ op: 'array.new', items, type, site: site() });
export const arrayGet = (array: Expr, index: Expr): Expr => ({ op: 'array.get', array, index, type: elementType(array.type), site: site() });
export const bufferGet = (buffer: Expr, elem: BufferElem, index: Expr, offset = 0): Expr => ({ op: 'buffer.get', buffer, elem, offset, index, type: elem === 'u8' ? t.i64 : scalar(elem), site: site() });

function elementType(type: Type): Type {
  if (type.kind === 'list' || type.kind === 'array') return type.elem;
  throw new Error('a list or an array was expected');
}

// statements
export const set = (local: Variable, value: Expr): Stmt => ({ op: 'set', local: local.id, value, site: site() });
export const callStmt = (results: readonly Variable[], call: Expr): Stmt => ({ op: 'call', results: results.map((local) => local.id), call, site: site() });
export const when = (cond: Expr, then: Block, otherwise: Block | null = null): Stmt => ({ op: 'if', cond, then, otherwise, site: site() });
export const loop = (local: Variable, range: { from: Expr; to: Expr; step?: number }, body: Block): Stmt => ({ op: 'for', local: local.id, from: range.from, to: range.to, step: range.step ?? 1, body, site: site() });
export const whileLoop = (cond: Expr, body: Block): Stmt => ({ op: 'while', cond, body, site: site() });
export const breakLoop = (): Stmt => ({ op: 'break', site: site() });
export const continueLoop = (): Stmt => ({ op: 'continue', site: site() });
export const label = (label: number, body: Block): Stmt => ({ op: 'label', label, body, site: site() });
export const leave = (label: number): Stmt => ({ op: 'leave', label, site: site() });
export const ret = (...values: readonly Expr[]): Stmt => ({ op: 'return', values, site: site() });
export const raise = (kind: 'reject' | 'fail', message: Expr): Stmt => ({ op: 'raise', kind, message, site: site() });
export const bufferSet = (buffer: Expr, elem: BufferElem, index: Expr, value: Expr): Stmt => ({ op: 'buffer.set', buffer, elem, offset: 0, index, value, site: site() });
export const bufferNarrow = (buffer: Expr, elem: 'i32' | 'u32' | 'u8', index: Expr, value: Expr): Stmt => ({ op: 'buffer.narrow', buffer, elem, offset: 0, index, value, site: site() });
export const listPush = (list: Expr, value: Expr): Stmt => ({ op: 'list.push', list, value, site: site() });
export const listSet = (list: Expr, index: Expr, value: Expr): Stmt => ({ op: 'list.set', list, index, value, site: site() });
export const arraySet = (array: Expr, index: Expr, value: Expr): Stmt => ({ op: 'array.set', array, index, value, site: site() });

/** Cost: every statement and expression of the block itself; nested blocks pay on entry. */
export function block(...stmts: readonly Stmt[]): Block {
  let cost = 0;
  const count = (expr: Expr): void => {
    cost += 1;
    operandsOf(expr).forEach(count);
  };
  for (const stmt of stmts) {
    cost += 1;
    operandsOfStatement(stmt).forEach(count);
  }
  return { cost, stmts };
}

export interface Variable {
  readonly id: LocalId;
  readonly type: Type;
  /** An expression that reads it. */
  readonly get: Expr;
}

class Locals {
  readonly locals: Local[] = [];

  local(name: string, type: Type): Variable {
    const id = this.locals.push({ name, type }) - 1;
    return {
      id,
      type,
      get get(): Expr {
        return { op: 'local', local: id, type, site: site() };
      },
    };
  }
}

/** Parameters must be declared before other locals. */
export class FunctionBuilder extends Locals {
  readonly name: string;
  #params = 0;

  constructor(name: string) {
    super();
    this.name = name;
  }

  param(name: string, type: Type): Variable {
    this.#params += 1;
    return this.local(name, type);
  }

  build(results: readonly Type[], body: Block): HostFunction {
    return {
      name: this.name, exported: true, site: site(), params: this.#params, locals: this.locals,
      results, body,
    };
  }
}

export function hostProgram(
  functions: readonly HostFunction[],
  extra: Partial<Pick<HostProgram, 'imports' | 'symbols' | 'checks'>> = {},
): HostProgram {
  return {
    files: ['test.loom'],
    functions,
    imports: extra.imports ?? [],
    symbols: extra.symbols ?? [],
    entries: Object.fromEntries(functions.map((func, index) => [func.name, index])),
    checks: extra.checks ?? [],
  };
}

export function importOf(name: string, params: readonly Type[], results: readonly Type[]): CapabilityImport {
  const dot = name.indexOf('.');
  return { module: name.slice(0, dot), name: name.slice(dot + 1), params, results, site: site() };
}

// --- kernels

export interface ViewHandle {
  readonly id: ViewId;
  readonly storage: Storage;
  readonly length: Expr;
  get(index: Expr): Expr;
  set(index: Expr, value: Expr): Stmt;
  vec4(index: Expr): Expr;
  put4(index: Expr, value: Expr): Stmt;
  accumulate(kind: 'add' | 'min' | 'max' | 'and' | 'or' | 'xor', index: Expr, value: Expr): Stmt;
}

export interface SharedHandle {
  readonly id: number;
  get(index: Expr): Expr;
  set(index: Expr, value: Expr): Stmt;
  vec4(index: Expr): Expr;
  reduce(kind: 'add' | 'max' | 'min' | 'in_order', first: Expr, count: number): Expr;
  accumulate(kind: 'add' | 'min' | 'max' | 'and' | 'or' | 'xor', index: Expr, value: Expr): Stmt;
}

/** The value type that loading a storage element gives. */
export function loadedType(from: Storage): Type {
  const elem = from.elem === 'f16' || from.elem === 'bf16' ? 'f32' : from.elem;
  if (elem === 'i8' || elem === 'u8') {
    if (from.lanes === 1) return elem === 'i8' ? t.i32 : t.u32;
    return { kind: 'bytes', elem, lanes: from.lanes as 4 | 16 };
  }
  return from.lanes === 1 ? scalar(elem) : t.vector(elem, from.lanes as 2 | 4);
}

export class KernelBuilder extends Locals {
  readonly name: string;
  readonly lanes: number;
  readonly #params: ({ view: ViewId } | { local: LocalId })[] = [];
  readonly #views: ViewInfo[] = [];
  readonly #shared: { name: string; type: Type; count: number }[] = [];
  readonly #privates: { name: string; type: Type; count: number }[] = [];

  constructor(name: string, lanes: number) {
    super();
    this.name = name;
    this.lanes = lanes;
  }

  view(name: string, access: ViewInfo['access'], element: Storage): ViewHandle {
    const handle = this.#view(element, { name, access, elementSize: element.size, storage: element, origin: 'param', count: null });
    this.#params.push({ view: handle.id });
    return handle;
  }

  scalar(name: string, type: Type): Variable {
    const local = this.local(name, type);
    this.#params.push({ local: local.id });
    return local;
  }

  tile(source: ViewHandle, base: Expr, count: number): { view: ViewHandle; define: Stmt } {
    const access = this.#views[source.id]!.access;
    const view = this.#view(source.storage, { name: 'tile', access, elementSize: source.storage.size, storage: source.storage, origin: 'tile', count });
    return { view, define: { op: 'view.tile', view: view.id, source: source.id, base, count, site: site() } };
  }

  slice(source: ViewHandle, base: Expr, count: Expr): { view: ViewHandle; define: Stmt } {
    const access = this.#views[source.id]!.access;
    const view = this.#view(source.storage, { name: 'slice', access, elementSize: source.storage.size, storage: source.storage, origin: 'slice', count: null });
    return { view, define: { op: 'view.slice', view: view.id, source: source.id, base, count, site: site() } };
  }

  take(source: ViewHandle, base: Expr, stride: Expr, locals: readonly Variable[]): Stmt {
    return { op: 'view.take', view: source.id, base, stride, locals: locals.map((local) => local.id), storage: source.storage, site: site() };
  }

  #view(element: Storage, info: ViewInfo): ViewHandle {
    const id = this.#views.push(info) - 1;
    const place = { view: id, offset: 0, sub: null, storage: element };
    const type = loadedType(element);
    return {
      id,
      storage: element,
      get length(): Expr {
        return { op: 'view.length', view: id, type: t.i32, site: site() };
      },
      get: (index) => ({ op: 'view.get', ...place, index, type, site: site() }),
      set: (index, value) => ({ op: 'view.set', ...place, index, value, site: site() }),
      vec4: (index) => ({ op: 'view.vec4', view: id, index, storage: element, type: t.vector(laneElem(type), 4), site: site() }),
      put4: (index, value) => ({ op: 'view.put4', view: id, index, value, storage: element, site: site() }),
      accumulate: (kind, index, value) => ({ op: 'accumulate', target: { view: id }, kind, index, value, site: site() }),
    };
  }

  shared(name: string, type: Type, count: number): SharedHandle {
    const id = this.#shared.push({ name, type, count }) - 1;
    return {
      id,
      get: (index) => ({ op: 'shared.get', shared: id, index, type, site: site() }),
      set: (index, value) => ({ op: 'shared.set', shared: id, index, value, site: site() }),
      vec4: (index) => ({ op: 'shared.vec4', shared: id, index, type: t.vector(laneElem(type), 4), site: site() }),
      reduce: (kind, first, elements) => ({ op: 'reduce', kind, shared: id, first, count: elements, type, site: site() }),
      accumulate: (kind, index, value) => ({ op: 'accumulate', target: { shared: id }, kind, index, value, site: site() }),
    };
  }

  private(name: string, type: Type, count: number): { get(index: number): Expr; set(index: number, value: Expr): Stmt } {
    const id = this.#privates.push({ name, type, count }) - 1;
    return {
      get: (index) => ({ op: 'private.get', private: id, index, type, site: site() }),
      set: (index, value) => ({ op: 'private.set', private: id, index, value, site: site() }),
    };
  }

  /** Lanes `from..to`; exact when the range is the constant 0..lanes. */
  parallel(lane: Variable, range: { from: Expr; to: Expr }, body: Block): Stmt {
    const { from, to } = range;
    const exact = from.op === 'const' && from.value === 0 && to.op === 'const' && to.value === this.lanes;
    return { op: 'parallel', local: lane.id, from, to, exact, body, site: site() };
  }

  build(body: Block): Kernel {
    return {
      name: this.name, key: this.name, site: site(), params: this.#params, lanes: this.lanes,
      views: this.#views, locals: this.locals, shared: this.#shared, privates: this.#privates, body,
    };
  }
}

function laneElem(type: Type): 'f32' | 'i32' | 'u32' {
  if (type.kind === 'scalar' && (type.name === 'f32' || type.name === 'i32' || type.name === 'u32')) return type.name;
  throw new Error('a 32-bit scalar was expected');
}

export const workgroup = (axis: 0 | 1 | 2): Expr => ({ op: 'workgroup', axis, type: t.i32, site: site() });

// --- command programs

export const word = (value: number, type: 'i32' | 'u32' | 'f32' | 'bool' = 'i32'): WordExpr => ({ op: 'const', type, value });
export const wholeRoot = (index: number): Range => ({ base: { kind: 'root', index }, offset: 0, length: null });
export const wholeWorkspace = (index: number): Range => ({ base: { kind: 'workspace', index }, offset: 0, length: null });

export function dispatch(kernel: number, args: readonly (Range | WordExpr)[], ...grid: readonly (number | WordExpr)[]): Dispatch {
  return {
    op: 'dispatch',
    site: site(),
    kernel,
    args: args.map((arg) => ('base' in arg ? arg : { word: arg })),
    grid: { kind: 'direct', extents: grid.map((extent) => (typeof extent === 'number' ? word(extent) : extent)) },
  };
}

export function root(access: RootInfo['access'], extra: Partial<RootInfo> = {}): RootInfo {
  return { name: 'root', access, hosted: false, bytesMin: 0, ...extra };
}

export function commandProgram(parts: Pick<CommandProgram, 'roots' | 'kernels' | 'steps'> & Partial<CommandProgram>): CommandProgram {
  return { name: 'test.command', files: ['test.loom'], site: site(), banks: [], workspaces: [], ...parts };
}
