/**
 * Objects of the host heap: records, lists and arrays. Reads and writes of elements are
 * inlined with their checks against the object's header; what allocates beyond the current memory,
 * grows or copies goes to the heap. Layouts are those of `vm/memory-map.ts`.
 */
import type { Expr, Site, Stmt, Type } from '../../loom/typed.js';
import { ARENA_LIMIT, ARENA_POINTER, WRITABLE_BASE } from '../../vm/memory-map.js';
import { recordLayout, roundUp, valueSize } from '../../vm/value-layout.js';
import { valueTypeOf } from '../numeric/shape.js';
import type { FunctionBody } from '../wasm/function-body.js';
import { callOperation, faultIf, type HostScope } from './host-scope.js';

const PAGE_SHIFT = 16;
/** Header words of lists. */
const LENGTH = 4;
const CAPACITY = 8;
const FROZEN = 12;

export function emitLoadValue(code: FunctionBody, type: Type, offset: number): void {
  if (type.kind === 'vector')
    code.access(type.lanes === 4 ? 'v128.load' : 'v128.load64_zero', offset);
  else code.access(`${valueTypeOf(type)}.load`, offset);
}

export function emitStoreValue(code: FunctionBody, type: Type, offset: number): void {
  if (type.kind === 'vector') {
    if (type.lanes === 4) code.access('v128.store', offset);
    else code.access('v128.store64_lane', offset, 0);
  } else {
    code.access(`${valueTypeOf(type)}.store`, offset);
  }
}

/** Leaves a value as it may be stored: arrays that something else can name are copied. */
export function emitStored(scope: HostScope, value: Expr): void {
  scope.emit.value(value);
  if (value.type.kind !== 'array' || isFresh(value)) return;
  scope.code.i32(scope.module.typeNumber(value.type));
  callOperation(scope, 'array.copy', value.site);
}

/** Nothing else can name the array that this expression gives. */
export function isFresh(value: Expr): boolean {
  return value.op === 'array.new';
}

/** Leaves the address of `bytes` fresh arena bytes; asks the heap only when memory must grow. */
export function emitAlloc(scope: HostScope, bytes: number, site: Site): void {
  const { code } = scope;
  const at = code.temp('i32');
  const next = code.temp('i32');
  code.i32(0);
  code.access('i32.load', ARENA_POINTER);
  code.tee(at);
  code.i32(roundUp(bytes, 8));
  code.op('i32.add');
  code.tee(next);
  code.i32(0);
  code.access('i32.load', ARENA_LIMIT);
  code.op('i32.le_u');
  code.get(next);
  code.op('memory.size');
  code.i32(PAGE_SHIFT);
  code.ops('i32.shl', 'i32.le_u', 'i32.and');
  code.if();
  code.i32(0);
  code.get(next);
  code.access('i32.store', ARENA_POINTER);
  code.else();
  code.i32(bytes);
  callOperation(scope, 'alloc', site);
  code.set(at);
  code.end();
  code.get(at);
  code.release('i32', at);
  code.release('i32', next);
}

export function emitRecordNew(scope: HostScope, expr: Expr & { readonly op: 'record.new' }): void {
  if (expr.type.kind !== 'record') throw new Error('expected a record type. This is a bug.');
  const { size, offsets } = recordLayout(expr.type.record);
  emitFields(scope, { values: expr.fields, offsets, size, site: expr.site });
}

export function emitArrayNew(scope: HostScope, expr: Expr & { readonly op: 'array.new' }): void {
  if (expr.type.kind !== 'array') throw new Error('expected an array type. This is a bug.');
  const size = valueSize(expr.type.elem);
  const offsets = expr.items.map((_, index) => index * size);
  emitFields(scope, { values: expr.items, offsets, size: size * expr.type.count, site: expr.site });
}

interface NewObject {
  readonly values: readonly Expr[];
  readonly offsets: readonly number[];
  readonly size: number;
  readonly site: Site;
}

/** All values first, then the object, so that a value that raises leaves no half-made object. */
function emitFields(scope: HostScope, { values, offsets, size, site }: NewObject): void {
  const { code } = scope;
  const held = values.map((value) => {
    emitStored(scope, value);
    const local = code.temp(valueTypeOf(value.type));
    code.set(local);
    return local;
  });
  emitAlloc(scope, size, site);
  const object = code.temp('i32');
  code.set(object);
  values.forEach((value, index) => {
    code.get(object);
    code.get(held[index]!);
    emitStoreValue(code, value.type, offsets[index]!);
    code.release(valueTypeOf(value.type), held[index]!);
  });
  code.get(object);
  code.release('i32', object);
}

export function emitRecordField(
  scope: HostScope,
  expr: Expr & { readonly op: 'record.field' },
): void {
  const { type } = expr.value;
  if (type.kind !== 'record') throw new Error('expected a record. This is a bug.');
  scope.emit.value(expr.value);
  emitLoadValue(scope.code, expr.type, recordLayout(type.record).offsets[expr.index]!);
}

/** Widens an index on the stack to i64 (indices of i32 loops are allowed). */
export function emitIndex(scope: HostScope, index: Expr): void {
  scope.emit.value(index);
  if (index.type.kind === 'scalar' && index.type.name !== 'i64') {
    scope.code.op(index.type.name === 'i32' ? 'i64.extend_i32_s' : 'i64.extend_i32_u');
  }
}

/** With object and index in locals: raises unless 0 <= index < length word of the object. */
function emitListCheck(scope: HostScope, list: number, index: number, site: Site): void {
  const { code } = scope;
  code.get(index);
  code.get(list);
  code.access('i64.load32_u', LENGTH);
  code.op('i64.ge_u');
  faultIf(scope, 'fault.listIndex', site, () => {
    code.get(list);
    code.get(index);
  });
}

/** Pushes base + index * size, with an index that is known to be small. */
export function pushElement(
  code: FunctionBody,
  pushBase: () => void,
  index: number,
  size: number,
): void {
  pushBase();
  code.get(index);
  code.op('i32.wrap_i64');
  code.i32(size);
  code.ops('i32.mul', 'i32.add');
}

export function emitListGet(scope: HostScope, expr: Expr & { readonly op: 'list.get' }): void {
  const { code } = scope;
  const list = code.temp('i32');
  const index = code.temp('i64');
  scope.emit.value(expr.list);
  emitIndex(scope, expr.index);
  code.set(index);
  code.set(list);
  emitListCheck(scope, list, index, expr.site);
  const data = () => {
    code.get(list);
    code.access('i32.load', 0);
  };
  pushElement(code, data, index, valueSize(expr.type));
  emitLoadValue(code, expr.type, 0);
  code.release('i32', list);
  code.release('i64', index);
}

export function emitListSet(scope: HostScope, stmt: Stmt & { readonly op: 'list.set' }): void {
  const { code } = scope;
  const valueType = valueTypeOf(stmt.value.type);
  scope.emit.value(stmt.list);
  emitIndex(scope, stmt.index);
  emitStored(scope, stmt.value);
  const value = code.temp(valueType);
  code.set(value);
  code.i32(valueSize(stmt.value.type));
  callOperation(scope, 'list.set', stmt.site);
  code.get(value);
  emitStoreValue(code, stmt.value.type, 0);
  code.release(valueType, value);
}

/** Inlined while the list has room and lies in memory of this call. */
export function emitListPush(scope: HostScope, stmt: Stmt & { readonly op: 'list.push' }): void {
  const { code } = scope;
  const size = valueSize(stmt.value.type);
  const valueType = valueTypeOf(stmt.value.type);
  const list = code.temp('i32');
  const value = code.temp(valueType);
  scope.emit.value(stmt.list);
  emitStored(scope, stmt.value);
  code.set(value);
  code.set(list);
  const word = (offset: number) => {
    code.get(list);
    code.access('i32.load', offset);
  };
  word(LENGTH);
  word(CAPACITY);
  code.op('i32.lt_u');
  word(FROZEN);
  code.op('i32.eqz');
  code.get(list);
  code.i32(0);
  code.access('i32.load', WRITABLE_BASE);
  code.ops('i32.ge_u', 'i32.and', 'i32.and');
  code.if('i32');
  word(0);
  word(LENGTH);
  code.i32(size);
  code.ops('i32.mul', 'i32.add');
  code.get(list);
  word(LENGTH);
  code.i32(1);
  code.op('i32.add');
  code.access('i32.store', LENGTH);
  code.else();
  code.get(list);
  code.i32(size);
  callOperation(scope, 'list.push', stmt.site);
  code.end();
  code.get(value);
  emitStoreValue(code, stmt.value.type, 0);
  code.release('i32', list);
  code.release(valueType, value);
}

function countOf(type: Type): number {
  if (type.kind !== 'array') throw new Error('expected an array. This is a bug.');
  return type.count;
}

/** With array and index in locals: raises unless 0 <= index < count. */
function emitArrayCheck(scope: HostScope, count: number, index: number, site: Site): void {
  const { code } = scope;
  code.get(index);
  code.i64(BigInt(count));
  code.op('i64.ge_u');
  faultIf(scope, 'fault.arrayIndex', site, () => {
    code.i32(count);
    code.get(index);
  });
}

export function emitArrayGet(scope: HostScope, expr: Expr & { readonly op: 'array.get' }): void {
  const { code } = scope;
  const array = code.temp('i32');
  const index = code.temp('i64');
  scope.emit.value(expr.array);
  emitIndex(scope, expr.index);
  code.set(index);
  code.set(array);
  emitArrayCheck(scope, countOf(expr.array.type), index, expr.site);
  pushElement(code, () => code.get(array), index, valueSize(expr.type));
  emitLoadValue(code, expr.type, 0);
  code.release('i32', array);
  code.release('i64', index);
}

export function emitArraySet(scope: HostScope, stmt: Stmt & { readonly op: 'array.set' }): void {
  const { code } = scope;
  const valueType = valueTypeOf(stmt.value.type);
  const array = code.temp('i32');
  const index = code.temp('i64');
  const value = code.temp(valueType);
  scope.emit.value(stmt.array);
  emitIndex(scope, stmt.index);
  emitStored(scope, stmt.value);
  code.set(value);
  code.set(index);
  code.set(array);
  emitArrayCheck(scope, countOf(stmt.array.type), index, stmt.site);
  pushElement(code, () => code.get(array), index, valueSize(stmt.value.type));
  code.get(value);
  emitStoreValue(code, stmt.value.type, 0);
  code.release('i32', array);
  code.release('i64', index);
  code.release(valueType, value);
}
