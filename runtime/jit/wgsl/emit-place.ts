/**
 * Reads and writes of views and shared arrays. Accesses are calls of functions that check the
 * index; an index into a shared array that is proved inside goes without.
 */
import type { Expr, SharedId, Stmt } from '../../loom/typed.js';
import { intervalOf } from '../kernel/interval.js';
import {
  accumulateShared,
  element,
  readShared,
  storeElement,
  writeShared,
} from './shared-functions.js';
import {
  accumulateFunction,
  partOf,
  readFourFunction,
  readFunction,
  writeFourFunction,
  writeFunction,
} from './view-functions.js';
import { baseOf, lengthOf, textOf, viewOf, type WgslScope } from './wgsl-scope.js';
import { nameOf } from './wgsl-types.js';

type StmtOf<Op extends Stmt['op']> = Stmt & { readonly op: Op };

export function readViewText(
  scope: WgslScope,
  expr: Expr & { readonly op: 'view.get' | 'view.vec4' },
): string {
  const { prelude } = scope;
  const view = viewOf(scope, expr.view);
  const args = [baseOf(scope, expr.view), lengthOf(scope, expr.view), textOf(scope, expr.index)];
  if (expr.op === 'view.vec4')
    return `${readFourFunction(prelude, view, expr.storage)}(${args.join(', ')})`;
  if (expr.sub) args.push(textOf(scope, expr.sub.index));
  return `${readFunction(prelude, view, partOf(expr))}(${args.join(', ')})`;
}

export function emitViewSet(scope: WgslScope, stmt: StmtOf<'view.set'>): void {
  const args = [baseOf(scope, stmt.view), lengthOf(scope, stmt.view), textOf(scope, stmt.index)];
  if (stmt.sub) args.push(textOf(scope, stmt.sub.index));
  args.push(textOf(scope, stmt.value));
  const call = writeFunction(scope.prelude, viewOf(scope, stmt.view), partOf(stmt));
  scope.code.line(`${call}(${args.join(', ')});`);
}

export function emitViewPut4(scope: WgslScope, stmt: StmtOf<'view.put4'>): void {
  const { view, index, value, storage } = stmt;
  const call = writeFourFunction(scope.prelude, viewOf(scope, view), storage);
  const args = [baseOf(scope, view), lengthOf(scope, view), textOf(scope, index)];
  scope.code.line(`${call}(${args.join(', ')}, ${textOf(scope, value)});`);
}

export function emitAccumulate(scope: WgslScope, stmt: StmtOf<'accumulate'>): void {
  const { target, kind } = stmt;
  const args = [textOf(scope, stmt.index), textOf(scope, stmt.value)];
  if ('shared' in target) {
    const call = accumulateShared(scope.prelude, scope.shared[target.shared]!, kind);
    return scope.code.line(`${call}(${args.join(', ')});`);
  }
  const call = accumulateFunction(scope.prelude, viewOf(scope, target.view), kind);
  const range = `${baseOf(scope, target.view)}, ${lengthOf(scope, target.view)}`;
  scope.code.line(`${call}(${range}, ${args.join(', ')});`);
}

/** Whether intervals prove that `width` elements from an index on lie inside. */
function isInside(scope: WgslScope, shared: SharedId, index: Expr, width = 1): boolean {
  const { lo, hi } = intervalOf(index, scope.ranges);
  return lo >= 0 && hi + width <= scope.shared[shared]!.count;
}

export function readSharedText(scope: WgslScope, shared: SharedId, index: Expr): string {
  const array = scope.shared[shared]!;
  if (isInside(scope, shared, index)) return element(array, textOf(scope, index));
  return `${readShared(scope.prelude, array)}(${textOf(scope, index)})`;
}

export function readSharedFour(scope: WgslScope, shared: SharedId, index: Expr): string {
  const array = scope.shared[shared]!;
  const first = scope.code.let(textOf(scope, index));
  const at = [0, 1, 2, 3].map((n) => `${first} + ${n}i`);
  const items = isInside(scope, shared, index, 4)
    ? at.map((place) => element(array, place))
    : at.map((place) => `${readShared(scope.prelude, array)}(${place})`);
  return `${nameOf({ ...array.shape, lanes: 4 })}(${items.join(', ')})`;
}

export function emitSharedSet(scope: WgslScope, stmt: StmtOf<'shared.set'>): void {
  const array = scope.shared[stmt.shared]!;
  if (isInside(scope, stmt.shared, stmt.index)) {
    const at = textOf(scope, stmt.index);
    return scope.code.line(storeElement(array, at, textOf(scope, stmt.value)));
  }
  const args = [textOf(scope, stmt.index), textOf(scope, stmt.value)];
  scope.code.line(`${writeShared(scope.prelude, array)}(${args.join(', ')});`);
}

export function emitSharedPut4(scope: WgslScope, stmt: StmtOf<'shared.put4'>): void {
  const { code } = scope;
  const call = writeShared(scope.prelude, scope.shared[stmt.shared]!);
  const first = code.let(textOf(scope, stmt.index));
  const value = code.let(textOf(scope, stmt.value));
  ['x', 'y', 'z', 'w'].forEach((lane, n) =>
    code.line(`${call}(${first} + ${n}i, ${value}.${lane});`),
  );
}
