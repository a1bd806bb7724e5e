/**
 * Host forms that look into objects: records, arrays, lists, and elements of buffers. Operands are
 * evaluated left to right before anything is allocated or checked; then index, then whether the
 * object may be written.
 */
import type { Expr, Site, Stmt, Type } from '../../loom/typed.js';
import type { RawValue } from '../executor.js';
import { faults } from '../faults.js';
import type { Heap } from '../heap.js';
import { checkWritable, elementAddress } from '../heap-buffers.js';
import { arrayElement } from '../heap-lists.js';
import type { HeapOperations } from '../heap-operations.js';
import { scalarAccess, valueAccess } from '../value-access.js';
import { recordLayout, valueSize } from '../value-layout.js';
import { NEXT, type Eval, type Exec, type Frame } from './frame.js';

/** What these forms need of the compiler of a function. */
export interface ObjectScope {
  readonly heap: Heap;
  readonly operations: HeapOperations;
  expression(expr: Expr): Eval;
  number(expr: Expr): Eval<number>;
  /** The value as it is stored: arrays are copied. */
  stored(expr: Expr): Eval;
  located<T>(site: Site, run: (frame: Frame) => T): (frame: Frame) => T;
}

type ExprOf<Op extends Expr['op']> = Expr & { readonly op: Op };
type StmtOf<Op extends Stmt['op']> = Stmt & { readonly op: Op };

export function recordNew(scope: ObjectScope, expr: ExprOf<'record.new'>): Eval {
  const { heap } = scope;
  const type = expr.type as Type & { readonly kind: 'record' };
  const { size, offsets } = recordLayout(type.record);
  const fields = expr.fields.map((field) => scope.stored(field));
  const accesses = expr.fields.map((field) => valueAccess(field.type));
  return scope.located(expr.site, (frame) => {
    // Fields first: they may allocate, and raise.
    const values = fields.map((field) => field(frame));
    const at = heap.alloc(size);
    values.forEach((value, i) => accesses[i]!.store(heap, at + offsets[i]!, value));
    return at;
  });
}

export function recordField(scope: ObjectScope, expr: ExprOf<'record.field'>): Eval {
  const { heap } = scope;
  const type = expr.value.type as Type & { readonly kind: 'record' };
  const offset = recordLayout(type.record).offsets[expr.index]!;
  const record = scope.number(expr.value);
  const access = valueAccess(expr.type);
  return (frame) => access.load(heap, record(frame) + offset);
}

export function arrayNew(scope: ObjectScope, expr: ExprOf<'array.new'>): Eval {
  const { heap } = scope;
  const { elem } = expr.type as Type & { readonly kind: 'array' };
  const size = valueSize(elem);
  const access = valueAccess(elem);
  const items = expr.items.map((item) => scope.stored(item));
  return scope.located(expr.site, (frame) => {
    const values = items.map((item) => item(frame));
    const at = heap.alloc(size * values.length);
    values.forEach((value, i) => access.store(heap, at + i * size, value));
    return at;
  });
}

export function listGet(scope: ObjectScope, expr: ExprOf<'list.get'>): Eval {
  const { heap, operations } = scope;
  const list = scope.number(expr.list);
  const index = scope.expression(expr.index) as Eval<bigint>;
  const access = valueAccess(expr.type);
  const size = valueSize(expr.type);
  const at = operations['list.at'];
  return scope.located(expr.site, (frame) =>
    access.load(heap, at(list(frame), index(frame), size) as number),
  );
}

export function arrayGet(scope: ObjectScope, expr: ExprOf<'array.get'>): Eval {
  const { heap } = scope;
  const { count } = expr.array.type as Type & { readonly kind: 'array' };
  const array = scope.number(expr.array);
  const index = scope.expression(expr.index) as Eval<bigint>;
  const access = valueAccess(expr.type);
  const place = { count, size: valueSize(expr.type) };
  return scope.located(expr.site, (frame) =>
    access.load(heap, arrayElement(array(frame), index(frame), place)),
  );
}

export function bufferGet(scope: ObjectScope, expr: ExprOf<'buffer.get'>): Eval {
  const { heap } = scope;
  const { elem, offset } = expr;
  const buffer = scope.number(expr.buffer);
  const index = scope.expression(expr.index) as Eval<bigint>;
  const access = scalarAccess(elem);
  return scope.located(expr.site, (frame) =>
    access.load(
      heap,
      elementAddress(heap, { buffer: buffer(frame), elem, offset, index: index(frame) }),
    ),
  );
}

// --- stores

export function bufferSet(
  scope: ObjectScope,
  stmt: StmtOf<'buffer.set'> | StmtOf<'buffer.narrow'>,
): Exec {
  const { heap } = scope;
  const { elem, offset } = stmt;
  const buffer = scope.number(stmt.buffer);
  const index = scope.expression(stmt.index) as Eval<bigint>;
  const value = scope.expression(stmt.value);
  const access = scalarAccess(elem);
  const narrow = stmt.op === 'buffer.narrow' ? narrowing(stmt.elem) : (given: RawValue) => given;
  return scope.located(stmt.site, (frame) => {
    const place = { buffer: buffer(frame), elem, offset, index: index(frame) };
    const stored = narrow(value(frame));
    const at = elementAddress(heap, place);
    checkWritable(heap, place.buffer);
    access.store(heap, at, stored);
    return NEXT;
  });
}

export function listStore(
  scope: ObjectScope,
  stmt: StmtOf<'list.push'> | StmtOf<'list.set'>,
): Exec {
  const { heap, operations } = scope;
  const { elem } = stmt.list.type as Type & { readonly kind: 'list' };
  const size = valueSize(elem);
  const access = valueAccess(elem);
  const list = scope.number(stmt.list);
  const value = scope.stored(stmt.value);
  if (stmt.op === 'list.push') {
    const push = operations['list.push'];
    return scope.located(stmt.site, (frame) => {
      const target = list(frame);
      const stored = value(frame);
      access.store(heap, push(target, size) as number, stored);
      return NEXT;
    });
  }
  const index = scope.expression(stmt.index) as Eval<bigint>;
  const place = operations['list.set'];
  return scope.located(stmt.site, (frame) => {
    const target = list(frame);
    const at = index(frame);
    const stored = value(frame);
    access.store(heap, place(target, at, size) as number, stored);
    return NEXT;
  });
}

export function arraySet(scope: ObjectScope, stmt: StmtOf<'array.set'>): Exec {
  const { heap } = scope;
  const { elem, count } = stmt.array.type as Type & { readonly kind: 'array' };
  const access = valueAccess(elem);
  const place = { count, size: valueSize(elem) };
  const array = scope.number(stmt.array);
  const index = scope.expression(stmt.index) as Eval<bigint>;
  const value = scope.stored(stmt.value);
  return scope.located(stmt.site, (frame) => {
    const target = array(frame);
    const i = index(frame);
    const stored = value(frame);
    access.store(heap, arrayElement(target, i, place), stored);
    return NEXT;
  });
}

const narrowRanges = {
  u8: [0n, 255n],
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
  u32: [0n, 2n ** 32n - 1n],
} as const;

/** i64 → the value that is stored; raises when it does not fit. */
function narrowing(elem: 'i32' | 'u32' | 'u8'): (value: RawValue) => RawValue {
  const [low, high] = narrowRanges[elem];
  return (value) => {
    const wide = value as bigint;
    if (wide < low || wide > high) throw faults.narrow(wide, elem);
    return elem === 'u8' ? wide : Number(wide);
  };
}
