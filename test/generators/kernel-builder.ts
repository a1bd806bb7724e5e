/** Kernels, made by hand: views, shared and private arrays as handles that make expressions. */
import type {
  Block,
  Expr,
  Kernel,
  LocalId,
  Stmt,
  Storage,
  Type,
  ViewId,
  ViewInfo,
} from '../../runtime/loom/typed.js';
import { Locals } from './function-builder.js';
import { scalar, site, t, type Variable } from './typed-expressions.js';

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
    const handle = this.#view(element, {
      name,
      access,
      elementSize: element.size,
      storage: element,
      origin: 'param',
      count: null,
    });
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
    const view = this.#view(source.storage, {
      name: 'tile',
      access,
      elementSize: source.storage.size,
      storage: source.storage,
      origin: 'tile',
      count,
    });
    return {
      view,
      define: { op: 'view.tile', view: view.id, source: source.id, base, count, site: site() },
    };
  }

  slice(source: ViewHandle, base: Expr, count: Expr): { view: ViewHandle; define: Stmt } {
    const access = this.#views[source.id]!.access;
    const view = this.#view(source.storage, {
      name: 'slice',
      access,
      elementSize: source.storage.size,
      storage: source.storage,
      origin: 'slice',
      count: null,
    });
    return {
      view,
      define: { op: 'view.slice', view: view.id, source: source.id, base, count, site: site() },
    };
  }

  take(source: ViewHandle, base: Expr, stride: Expr, locals: readonly Variable[]): Stmt {
    return {
      op: 'view.take',
      view: source.id,
      base,
      stride,
      locals: locals.map((local) => local.id),
      storage: source.storage,
      site: site(),
    };
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
      vec4: (index) => ({
        op: 'view.vec4',
        view: id,
        index,
        storage: element,
        type: t.vector(laneElem(type), 4),
        site: site(),
      }),
      put4: (index, value) => ({
        op: 'view.put4',
        view: id,
        index,
        value,
        storage: element,
        site: site(),
      }),
      accumulate: (kind, index, value) => ({
        op: 'accumulate',
        target: { view: id },
        kind,
        index,
        value,
        site: site(),
      }),
    };
  }

  shared(name: string, type: Type, count: number): SharedHandle {
    const id = this.#shared.push({ name, type, count }) - 1;
    return {
      id,
      get: (index) => ({ op: 'shared.get', shared: id, index, type, site: site() }),
      set: (index, value) => ({ op: 'shared.set', shared: id, index, value, site: site() }),
      vec4: (index) => ({
        op: 'shared.vec4',
        shared: id,
        index,
        type: t.vector(laneElem(type), 4),
        site: site(),
      }),
      reduce: (kind, first, elements) => ({
        op: 'reduce',
        kind,
        shared: id,
        first,
        count: elements,
        type,
        site: site(),
      }),
      accumulate: (kind, index, value) => ({
        op: 'accumulate',
        target: { shared: id },
        kind,
        index,
        value,
        site: site(),
      }),
    };
  }

  private(
    name: string,
    type: Type,
    count: number,
  ): { get(index: number): Expr; set(index: number, value: Expr): Stmt } {
    const id = this.#privates.push({ name, type, count }) - 1;
    return {
      get: (index) => ({ op: 'private.get', private: id, index, type, site: site() }),
      set: (index, value) => ({ op: 'private.set', private: id, index, value, site: site() }),
    };
  }

  /** Lanes `from..to`; exact when the range is the constant 0..lanes. */
  parallel(lane: Variable, range: { from: Expr; to: Expr }, body: Block): Stmt {
    const { from, to } = range;
    const exact =
      from.op === 'const' && from.value === 0 && to.op === 'const' && to.value === this.lanes;
    return { op: 'parallel', local: lane.id, from, to, exact, body, site: site() };
  }

  build(body: Block): Kernel {
    return {
      name: this.name,
      key: this.name,
      site: site(),
      params: this.#params,
      lanes: this.lanes,
      views: this.#views,
      locals: this.locals,
      shared: this.#shared,
      privates: this.#privates,
      body,
    };
  }
}

function laneElem(type: Type): 'f32' | 'i32' | 'u32' {
  if (type.kind === 'scalar' && (type.name === 'f32' || type.name === 'i32' || type.name === 'u32'))
    return type.name;
  throw new Error('a 32-bit scalar was expected');
}

export const workgroup = (axis: 0 | 1 | 2): Expr => ({
  op: 'workgroup',
  axis,
  type: t.i32,
  site: site(),
});
