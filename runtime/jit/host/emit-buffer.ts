/**
 * Elements of host buffers, inlined: an element must lie wholly inside its buffer, and a store
 * needs a writable buffer whose bytes lie above the frozen state. Layouts: `vm/memory-map.ts`.
 */
import type { BufferElem, Expr, Site, Stmt } from '../../loom/typed.js';
import { elemBytes } from '../../vm/faults.js';
import { elemCodes } from '../../vm/heap-operations.js';
import { WRITABLE_BASE } from '../../vm/memory-map.js';
import { valueTypeOf } from '../numeric/shape.js';
import type { FunctionBody } from '../wasm/function-body.js';
import { emitIndex, pushElement } from './emit-object.js';
import { faultIf, type HostScope } from './host-scope.js';

/** Header words of buffers. */
const LENGTH = 4;
const WRITABLE = 8;

interface BufferPlace {
  readonly elem: BufferElem;
  readonly offset: number;
  readonly site: Site;
}

/** With buffer and index in locals: raises unless the element lies wholly inside. */
function emitBufferCheck(
  scope: HostScope,
  place: BufferPlace,
  buffer: number,
  index: number,
): void {
  const { code } = scope;
  const size = elemBytes[place.elem];
  // Indices of 32 bits make the end exact; larger ones are outside every buffer.
  code.get(index);
  code.i64(2n ** 32n);
  code.op('i64.ge_u');
  code.get(index);
  code.i64(BigInt(size));
  code.op('i64.mul');
  code.i64(BigInt(place.offset + size));
  code.op('i64.add');
  code.get(buffer);
  code.access('i64.load32_u', LENGTH);
  code.ops('i64.gt_u', 'i32.or');
  faultIf(scope, 'fault.bufferIndex', place.site, () => {
    code.get(buffer);
    code.i32(elemCodes.indexOf(place.elem));
    code.get(index);
  });
}

function pushBufferElement(
  code: FunctionBody,
  elem: BufferElem,
  buffer: number,
  index: number,
): void {
  const address = () => {
    code.get(buffer);
    code.access('i32.load', 0);
  };
  pushElement(code, address, index, elemBytes[elem]);
}

export function emitBufferGet(scope: HostScope, expr: Expr & { readonly op: 'buffer.get' }): void {
  const { code } = scope;
  const buffer = code.temp('i32');
  const index = code.temp('i64');
  scope.emit.value(expr.buffer);
  emitIndex(scope, expr.index);
  code.set(index);
  code.set(buffer);
  emitBufferCheck(scope, expr, buffer, index);
  pushBufferElement(code, expr.elem, buffer, index);
  if (expr.elem === 'u8') code.access('i64.load8_u', expr.offset);
  else code.access(`${expr.elem === 'u32' ? 'i32' : expr.elem}.load`, expr.offset);
  code.release('i32', buffer);
  code.release('i64', index);
}

type BufferStore = Stmt & { readonly op: 'buffer.set' | 'buffer.narrow' };

export function emitBufferStore(scope: HostScope, stmt: BufferStore): void {
  const { code } = scope;
  const valueType = valueTypeOf(stmt.value.type);
  const buffer = code.temp('i32');
  const index = code.temp('i64');
  const value = code.temp(valueType);
  scope.emit.value(stmt.buffer);
  emitIndex(scope, stmt.index);
  scope.emit.value(stmt.value);
  code.set(value);
  code.set(index);
  code.set(buffer);
  if (stmt.op === 'buffer.narrow') emitNarrowCheck(scope, stmt.elem, value, stmt.site);
  emitBufferCheck(scope, stmt, buffer, index);
  emitWritableCheck(scope, buffer, stmt.site);
  pushBufferElement(code, stmt.elem, buffer, index);
  code.get(value);
  code.access(storeName(stmt.elem, valueType), stmt.offset);
  code.release('i32', buffer);
  code.release('i64', index);
  code.release(valueType, value);
}

/** Bytes and narrowed fields come as i64; other elements have their own type. */
function storeName(elem: BufferElem, valueType: string): string {
  if (elem === 'u8') return valueType === 'i64' ? 'i64.store8' : 'i32.store8';
  if (valueType === 'i64') return elem === 'i64' ? 'i64.store' : 'i64.store32';
  return `${valueType}.store`;
}

const narrowLimits = {
  u8: [0n, 255n],
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
  u32: [0n, 2n ** 32n - 1n],
} as const;

function emitNarrowCheck(
  scope: HostScope,
  elem: 'i32' | 'u32' | 'u8',
  value: number,
  site: Site,
): void {
  const { code } = scope;
  const [low, high] = narrowLimits[elem];
  code.get(value);
  code.i64(low);
  code.op('i64.lt_s');
  code.get(value);
  code.i64(high);
  code.ops('i64.gt_s', 'i32.or');
  faultIf(scope, 'fault.narrow', site, () => {
    code.get(value);
    code.i32(elemCodes.indexOf(elem));
  });
}

/** Stores need the flag of the header, and bytes above the frozen state. */
function emitWritableCheck(scope: HostScope, buffer: number, site: Site): void {
  const { code } = scope;
  code.get(buffer);
  code.access('i32.load', WRITABLE);
  code.op('i32.eqz');
  code.get(buffer);
  code.access('i32.load', 0);
  code.i32(0);
  code.access('i32.load', WRITABLE_BASE);
  code.ops('i32.lt_u', 'i32.or');
  faultIf(scope, 'fault.frozenBuffer', site, () => undefined);
}
