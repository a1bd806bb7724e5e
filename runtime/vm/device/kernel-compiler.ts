/**
 * Kernels as closures: the reference device. Kernel-level code runs once a workgroup, a region runs
 * its lanes one after another to their ends. Accesses are robust: out of range reads zero, a write
 * there is dropped; check mode reports it unless it stands under `select` or `take`.
 */
import type { Expr, Kernel, Site, Stmt } from '../../loom/typed.js';
import type { RawValue } from '../executor.js';
import { NEXT, type Eval, type Exec } from '../interpreter/frame.js';
import { TreeCompiler } from '../interpreter/tree-compiler.js';
import { positionOf } from '../program-error.js';
import { accumulation } from './accumulation.js';
import { DeviceFrame, ELEMENTS_PER_ROUND } from './device-frame.js';
import {
  isOutside,
  outsideShared,
  outsideView,
  sharedRead,
  sharedWrite,
  viewRead,
  viewWrite,
  type AccessPlace,
  type ElementRead,
  type ElementWrite,
} from './element-access.js';
import { reduction, argmax } from './reduction.js';
import { storageCodec } from './storage-codec.js';

type ExprOf<Op extends Expr['op']> = Expr & { readonly op: Op };
type StmtOf<Op extends Stmt['op']> = Stmt & { readonly op: Op };
type NumberEval = Eval<number, DeviceFrame>;
/** Byte address in the region of the view, or -1. */
type PlaceEval = Eval<number, DeviceFrame>;

export class KernelCompiler extends TreeCompiler<DeviceFrame> {
  readonly world = 'device';
  readonly #kernel: Kernel;
  readonly #files: readonly string[];
  /** Inside the arguments of `select`: out of range is expected there. */
  #guarded = false;

  constructor(kernel: Kernel, files: readonly string[]) {
    super();
    this.#kernel = kernel;
    this.#files = files;
  }

  compile(): Exec<DeviceFrame> {
    return this.block(this.#kernel.body, this.#kernel.site);
  }

  protected text(): RawValue {
    throw new Error('expected no text in a kernel. This is a bug.');
  }

  protected located<T>(_site: Site, run: (frame: DeviceFrame) => T): (frame: DeviceFrame) => T {
    return run;
  }

  protected entry(): null {
    return null;
  }

  protected round(site: Site): (frame: DeviceFrame) => void {
    const position = (): string => positionOf(this.#files, site);
    return (frame) => frame.round(position);
  }

  protected override intrinsic(expr: ExprOf<'intrinsic'>): Eval<RawValue, DeviceFrame> {
    const before = this.#guarded;
    if (expr.name === 'select') this.#guarded = true;
    const run = super.intrinsic(expr);
    this.#guarded = before;
    return run;
  }

  protected worldExpression(expr: Expr): Eval<RawValue, DeviceFrame> {
    switch (expr.op) {
      case 'workgroup': {
        const { axis } = expr;
        return (frame) => frame.workgroup[axis];
      }
      case 'view.length': {
        const { view } = expr;
        return (frame) => frame.views[view]!.length;
      }
      case 'view.get':
        return this.#viewGet(expr);
      case 'view.vec4':
        return this.#vec4(expr.index, viewRead(this.#kernel, expr, this.#at(expr.site)));
      case 'shared.get': {
        const index = this.number(expr.index);
        const read = sharedRead(this.#kernel, expr.shared, this.#at(expr.site));
        return (frame) => read(frame, index(frame));
      }
      case 'shared.vec4':
        return this.#vec4(expr.index, sharedRead(this.#kernel, expr.shared, this.#at(expr.site)));
      case 'private.get': {
        const { private: id, index } = expr;
        return (frame) => frame.privates[frame.invocation]![id]![index]!;
      }
      case 'reduce': {
        const { shared, kind, count } = expr;
        const first = this.number(expr.first);
        const run = reduction(kind, expr.type);
        const position = (): string => positionOf(this.#files, expr.site);
        const weight = Math.floor(count / ELEMENTS_PER_ROUND);
        return (frame) => {
          frame.round(position, weight);
          return run(frame.shared[shared]!.values, first(frame), count);
        };
      }
      default:
        throw new Error(`expected no '${expr.op}' in a kernel. This is a bug.`);
    }
  }

  #at(site: Site): AccessPlace {
    return { site, guarded: this.#guarded };
  }

  // --- views

  #name(view: number): string {
    return this.#kernel.views[view]!.name;
  }

  /** Address of element `index`, field and sub-element of a view; -1 when there is none. */
  #place(stmt: ExprOf<'view.get'> | StmtOf<'view.set'>): PlaceEval {
    const { view, offset, site } = stmt;
    const stride = this.#kernel.views[view]!.elementSize;
    const index = this.number(stmt.index);
    const sub = stmt.sub ? { ...stmt.sub, index: this.number(stmt.sub.index) } : null;
    const outside = outsideView(this.#kernel, view, this.#at(site));
    return (frame) => {
      const bound = frame.views[view]!;
      const element = index(frame);
      const inner = sub ? sub.index(frame) : 0;
      if (isOutside(bound, element) || (sub && (inner < 0 || inner >= sub.count))) {
        outside(frame, element);
        return -1;
      }
      return bound.offset + element * stride + offset + (sub ? inner * sub.stride : 0);
    };
  }

  #viewGet(expr: ExprOf<'view.get'>): Eval<RawValue, DeviceFrame> {
    const { view, site } = expr;
    const codec = storageCodec(expr.storage);
    const place = this.#place(expr);
    const access = { kind: 'read', site, name: this.#name(view) } as const;
    return (frame) => {
      const at = place(frame);
      if (at < 0) return codec.zero;
      const { region } = frame.views[view]!;
      if (frame.context.faults) frame.touch(region, { at, size: codec.size }, access);
      return codec.load(region.view, at);
    };
  }

  /** Four neighbours, each checked by itself. */
  #vec4(first: Expr, read: ElementRead): Eval<RawValue, DeviceFrame> {
    const index = this.number(first);
    return (frame) => {
      const at = index(frame);
      return [0, 1, 2, 3].map((lane) => read(frame, (at + lane) | 0) as number);
    };
  }

  // --- statements

  protected worldStatement(stmt: Stmt): Exec<DeviceFrame> {
    switch (stmt.op) {
      case 'view.set':
        return this.#viewSet(stmt);
      case 'view.put4':
        return this.#put4(stmt, viewWrite(this.#kernel, stmt, this.#at(stmt.site)));
      case 'shared.put4':
        return this.#put4(stmt, sharedWrite(this.#kernel, stmt.shared, this.#at(stmt.site)));
      case 'shared.set': {
        const index = this.number(stmt.index);
        const value = this.expression(stmt.value);
        const write = sharedWrite(this.#kernel, stmt.shared, this.#at(stmt.site));
        return (frame) => {
          write(frame, index(frame), value(frame));
          return NEXT;
        };
      }
      case 'private.set': {
        const { private: id, index } = stmt;
        const value = this.expression(stmt.value);
        return (frame) => {
          frame.privates[frame.invocation]![id]![index] = value(frame);
          return NEXT;
        };
      }
      case 'view.tile':
        return this.#tile(stmt, () => stmt.count);
      case 'view.slice':
        return this.#tile(stmt, this.number(stmt.count));
      case 'view.take':
        return this.#take(stmt);
      case 'accumulate':
        return this.#accumulate(stmt);
      case 'parallel':
        return this.#parallel(stmt);
      case 'argmax': {
        const { values, ids, count, value, index } = stmt;
        return (frame) => {
          const best = argmax(frame.shared[values]!.values, frame.shared[ids]!.values, count);
          frame.locals[value] = best.value;
          frame.locals[index] = best.id;
          return NEXT;
        };
      }
      default:
        throw new Error(`expected no '${stmt.op}' in a kernel. This is a bug.`);
    }
  }

  #viewSet(stmt: StmtOf<'view.set'>): Exec<DeviceFrame> {
    const { view, site } = stmt;
    const codec = storageCodec(stmt.storage);
    const place = this.#place(stmt);
    const value = this.expression(stmt.value);
    const access = { kind: 'write', site, name: this.#name(view) } as const;
    return (frame) => {
      const at = place(frame);
      const stored = value(frame);
      if (at < 0) return NEXT;
      const { region } = frame.views[view]!;
      if (frame.context.faults) frame.touch(region, { at, size: codec.size }, access);
      codec.store(region.view, at, stored);
      return NEXT;
    };
  }

  #put4(stmt: StmtOf<'view.put4' | 'shared.put4'>, write: ElementWrite): Exec<DeviceFrame> {
    const index = this.number(stmt.index);
    const value = this.vector(stmt.value);
    return (frame) => {
      const first = index(frame);
      value(frame).forEach((lane, i) => write(frame, (first + i) | 0, lane));
      return NEXT;
    };
  }

  /** All or nothing: a tile that does not fit is void, a slice that does not fit is empty. */
  #tile(stmt: StmtOf<'view.tile'> | StmtOf<'view.slice'>, countOf: NumberEval): Exec<DeviceFrame> {
    const { view, source } = stmt;
    const stride = this.#kernel.views[source]!.elementSize;
    const base = this.number(stmt.base);
    const isTile = stmt.op === 'view.tile';
    return (frame) => {
      const from = frame.views[source]!;
      const first = base(frame);
      const count = countOf(frame);
      const fits = first >= 0 && count >= 0 && first + count <= from.length && !from.isVoid;
      frame.views[view] = {
        region: from.region,
        offset: fits ? from.offset + first * stride : from.offset,
        length: fits || isTile ? count : 0,
        isVoid: isTile && !fits,
      };
      return NEXT;
    };
  }

  #take(stmt: StmtOf<'view.take'>): Exec<DeviceFrame> {
    const { locals } = stmt;
    const base = this.number(stmt.base);
    const stride = this.number(stmt.stride);
    const read = viewRead(this.#kernel, stmt, { site: stmt.site, guarded: true });
    return (frame) => {
      const first = base(frame);
      const step = stride(frame);
      for (let i = 0; i < locals.length; i++) {
        frame.locals[locals[i]!] = read(frame, (first + Math.imul(i, step)) | 0);
      }
      return NEXT;
    };
  }

  #accumulate(stmt: StmtOf<'accumulate'>): Exec<DeviceFrame> {
    const { target, site } = stmt;
    const index = this.number(stmt.index);
    const value = this.number(stmt.value);
    const combine = accumulation(stmt.kind, stmt.value.type);
    if ('shared' in target) {
      const { name, count } = this.#kernel.shared[target.shared]!;
      const access = { kind: stmt.kind, site, name } as const;
      const outside = outsideShared(this.#kernel, target.shared, this.#at(site));
      return (frame) => {
        const at = index(frame);
        const operand = value(frame);
        const array = frame.shared[target.shared]!;
        if (at < 0 || at >= count) {
          outside(frame, at);
          return NEXT;
        }
        if (frame.context.faults) frame.touchShared(array, at, access);
        array.values[at] = combine(array.values[at] as number, operand);
        return NEXT;
      };
    }
    const { view } = target;
    const access = { kind: stmt.kind, site, name: this.#name(view) } as const;
    const outside = outsideView(this.#kernel, view, this.#at(site));
    const codec = storageCodec(this.#kernel.views[view]!.storage!);
    return (frame) => {
      const bound = frame.views[view]!;
      const element = index(frame);
      const operand = value(frame);
      if (isOutside(bound, element)) {
        outside(frame, element);
        return NEXT;
      }
      const at = bound.offset + element * codec.size;
      const { region } = bound;
      if (frame.context.faults) frame.touch(region, { at, size: 4 }, access);
      codec.store(region.view, at, combine(codec.load(region.view, at) as number, operand));
      return NEXT;
    };
  }

  #parallel(stmt: StmtOf<'parallel'>): Exec<DeviceFrame> {
    const { local } = stmt;
    const { lanes } = this.#kernel;
    const from = this.number(stmt.from);
    const to = this.number(stmt.to);
    const body = this.block(stmt.body, stmt.site);
    const round = this.round(stmt.site);
    return (frame) => {
      const first = from(frame);
      const count = Math.max(0, to(frame) - first);
      frame.context.region += 1;
      for (const i of frame.context.order(count)) {
        round(frame);
        frame.lane = first + i;
        frame.invocation = i % lanes;
        frame.locals[local] = first + i;
        body(frame);
      }
      frame.lane = -1;
      frame.invocation = -1;
      return NEXT;
    };
  }
}
