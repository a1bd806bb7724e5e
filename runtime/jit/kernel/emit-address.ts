/**
 * Addresses of places. Every access goes through `pushAddress`, which leaves an address on the
 * stack that is safe to read (or write) `width` elements from: a pointer of the current loop, a
 * plain sum where the index is proved, or a choice between the element and the zero page (reads) or
 * the sink (writes). The returned number is the constant offset for the instruction.
 */
import type { Expr } from '../../loom/typed.js';
import { intervalOf } from './interval.js';
import { countOf, elementSizeOf, pushBase, pushLength, type KernelScope } from './kernel-scope.js';
import type { Place } from './place.js';

export function pushAddress(scope: KernelScope, place: Place): number {
  const stream = scope.streams.get(place);
  if (stream) {
    scope.code.get(stream.pointer);
    return stream.offset + constantSub(scope, place) + place.offset;
  }
  if (isProved(scope, place)) return pushProved(scope, place);
  scope.emit.value(place.index);
  return pushChecked(scope, place);
}

/** Multiplies the i32 on the stack by a constant. */
export function emitScale(scope: KernelScope, factor: number): void {
  const { code } = scope;
  if (factor === 1) return;
  const shift = Math.log2(factor);
  code.i32(Number.isInteger(shift) ? shift : factor);
  code.op(Number.isInteger(shift) ? 'i32.shl' : 'i32.mul');
}

/** Whether index and sub-index are proved inside the base, by intervals alone. */
export function isProved(scope: KernelScope, place: Place): boolean {
  const count = countOf(scope, place.base);
  if (count === null) return false;
  const index = intervalOf(place.index, scope.ranges);
  if (index.lo < 0 || index.hi + place.width > count) return false;
  if (!place.sub) return true;
  const sub = intervalOf(place.sub.index, scope.ranges);
  return sub.lo >= 0 && sub.hi < place.sub.count;
}

/** Byte offset of a sub-index that a stream plan found constant. */
function constantSub(scope: KernelScope, place: Place): number {
  return place.sub ? intervalOf(place.sub.index, scope.ranges).lo * place.sub.stride : 0;
}

/** Splits `e + constant`, so that the constant goes into the instruction; both must be >= 0. */
function splitConstant(scope: KernelScope, index: Expr): { rest: Expr | null; constant: number } {
  if (index.op === 'const') return { rest: null, constant: Number(index.value) };
  if (index.op === 'arithmetic' && index.operator === '+') {
    for (const [rest, other] of [
      [index.left, index.right],
      [index.right, index.left],
    ] as const) {
      if (other.op !== 'const' || Number(other.value) < 0) continue;
      if (intervalOf(rest, scope.ranges).lo >= 0) return { rest, constant: Number(other.value) };
    }
  }
  return { rest: index, constant: 0 };
}

function pushProved(scope: KernelScope, place: Place): number {
  const { code } = scope;
  const size = elementSizeOf(scope, place.base);
  const { rest, constant } = splitConstant(scope, place.index);
  const offset = pushBase(scope, place) + constant * size + place.offset;
  if (rest) {
    scope.emit.value(rest);
    emitScale(scope, size);
    code.op('i32.add');
  }
  return offset + pushSub(scope, place);
}

/** Adds the sub-index to the address on the stack; returns its constant part. */
function pushSub(scope: KernelScope, place: Place): number {
  if (!place.sub) return 0;
  const { index, stride } = place.sub;
  if (index.op === 'const') return Number(index.value) * stride;
  scope.emit.value(index);
  emitScale(scope, stride);
  scope.code.op('i32.add');
  return 0;
}

/** With the index on the stack: the element's address if it is inside, else the fallback. */
export function pushChecked(scope: KernelScope, place: Place): number {
  const { code } = scope;
  const index = code.temp('i32');
  const sub = place.sub && place.sub.index.op !== 'const' ? code.temp('i32') : -1;
  code.set(index);
  if (sub >= 0) {
    scope.emit.value(place.sub!.index);
    code.set(sub);
  }
  const offset = pushBase(scope, place) + place.offset;
  code.get(index);
  emitScale(scope, elementSizeOf(scope, place.base));
  code.op('i32.add');
  if (sub >= 0) {
    code.get(sub);
    emitScale(scope, place.sub!.stride);
    code.op('i32.add');
  }
  code.get(place.access === 'read' ? scope.fixed.zeroPage : scope.fixed.sink);
  pushInside(scope, place, index);
  if (sub >= 0) {
    code.get(sub);
    code.i32(place.sub!.count);
    code.ops('i32.lt_u', 'i32.and');
    code.release('i32', sub);
  }
  code.op('select');
  code.release('i32', index);
  return offset + constantSubOffset(scope, place);
}

/** A constant sub-index out of range voids the access: it then lies beyond the count. */
function constantSubOffset(scope: KernelScope, place: Place): number {
  if (!place.sub || place.sub.index.op !== 'const') return 0;
  const at = Number(place.sub.index.value);
  if (at >= 0 && at < place.sub.count) return at * place.sub.stride;
  scope.code.op('drop');
  scope.code.get(place.access === 'read' ? scope.fixed.zeroPage : scope.fixed.sink);
  return 0;
}

/** Pushes whether elements index … index + width - 1 are inside the base. */
export function pushInside(scope: KernelScope, place: Place, index: number): void {
  const { code } = scope;
  const count = countOf(scope, place.base);
  code.get(index);
  if (place.width === 1) {
    pushLength(scope, place.base);
    code.op('i32.lt_u');
  } else if (count !== null) {
    // index <= count - width, which cannot hold when the base is shorter than the access.
    code.i32(Math.max(count - place.width + 1, 0));
    code.op('i32.lt_u');
  } else {
    pushLength(scope, place.base);
    code.i32(place.width);
    code.ops('i32.sub', 'i32.le_u');
    pushLength(scope, place.base);
    code.i32(place.width);
    code.ops('i32.ge_s', 'i32.and');
  }
}

/** Pushes whether the single element index + lane is inside the base. */
export function pushNeighbour(scope: KernelScope, place: Place, index: number, lane: number): void {
  const { code } = scope;
  code.get(index);
  code.i32(lane);
  code.op('i32.add');
  pushLength(scope, place.base);
  code.op('i32.lt_u');
}

/** Pushes base + index * size for an index that the caller has checked; returns the offset. */
export function pushIndexed(scope: KernelScope, place: Place, index: number): number {
  const offset = pushBase(scope, place) + place.offset;
  scope.code.get(index);
  emitScale(scope, elementSizeOf(scope, place.base));
  scope.code.op('i32.add');
  return offset;
}
