/**
 * Reductions of shared arrays at kernel level, in the fixed orders of the language, as functions of
 * the module (one a kind and type). The operands are copied first, so the array stays as it was and
 * elements outside it count as zero.
 */
import type { Expr, Stmt, Type } from '../../loom/typed.js';
import { deviceFaults, emitArithmetic } from '../numeric/arithmetic.js';
import { emitZero } from '../numeric/constant.js';
import { emitPick } from '../numeric/intrinsic.js';
import { shapeOf, valueTypeOf } from '../numeric/shape.js';
import { FunctionBody } from '../wasm/function-body.js';
import { emitLoad, emitStore, storageOf } from './emit-storage.js';
import type { KernelModule, KernelScope } from './kernel-scope.js';

type Reduce = Expr & { readonly op: 'reduce' };

export function emitReduce(scope: KernelScope, expr: Reduce): void {
  const { code, layout, kernel, module } = scope;
  const array = kernel.shared[expr.shared]!;
  const make = () => reduceBody(expr.kind, array.type, module);
  const helper = module.helper(`reduce_${expr.kind}_${typeName(array.type)}`, make);
  code.get(scope.fixed.scratch);
  code.i32(layout.shared[expr.shared]!);
  code.op('i32.add');
  code.i32(array.count);
  scope.emit.value(expr.first);
  code.i32(expr.count);
  code.get(scope.fixed.scratch);
  code.i32(layout.reduction);
  code.op('i32.add');
  code.call(helper);
}

function typeName(type: Type): string {
  const { elem, lanes } = shapeOf(type);
  return `${elem}x${lanes}`;
}

/** Parameters of a reduction: where the array is, and which part of it. */
const SOURCE = 0;
const LENGTH = 1;
const FIRST = 2;
const COUNT = 3;
const COPY = 4;

function reduceBody(kind: Reduce['kind'], type: Type, module: KernelModule): FunctionBody {
  const result = valueTypeOf(type);
  const code = new FunctionBody({ params: ['i32', 'i32', 'i32', 'i32', 'i32'], results: [result] });
  const index = code.local('i32');
  const storage = storageOf(type);
  const shift = Math.log2(storage.size);
  /** Pushes COPY + (index [+ distance]) * size. */
  const place = (distance: number | null) => {
    code.get(COPY);
    code.get(index);
    if (distance !== null) {
      code.get(distance);
      code.op('i32.add');
    }
    code.i32(shift);
    code.ops('i32.shl', 'i32.add');
  };
  emitCopy(code, { index, type, place: () => place(null), module });
  const combine = () => {
    if (kind === 'add' || kind === 'in_order')
      emitArithmetic(code, '+', shapeOf(type), deviceFaults);
    else emitPick(code, kind, shapeOf(type));
  };
  if (kind === 'in_order')
    emitInOrder(code, { index, type, place: () => place(null), module }, combine);
  else emitTree(code, { index, type, place, module }, combine);
  return code;
}

interface CopyLoop {
  readonly index: number;
  readonly type: Type;
  readonly place: (distance: number | null) => void;
  readonly module: KernelModule;
}

/** copy[i] = first + i inside the array ? array[first + i] : 0 */
function emitCopy(code: FunctionBody, { index, type, place, module }: CopyLoop): void {
  const storage = storageOf(type);
  countUp(code, index, COUNT, () => {
    place(null);
    code.get(FIRST);
    code.get(index);
    code.op('i32.add');
    code.get(LENGTH);
    code.op('i32.lt_u');
    code.if(valueTypeOf(type));
    code.get(SOURCE);
    code.get(FIRST);
    code.get(index);
    code.op('i32.add');
    code.i32(Math.log2(storage.size));
    code.ops('i32.shl', 'i32.add');
    emitLoad(code, storage, 0);
    code.else();
    emitZero(code, valueTypeOf(type));
    code.end();
    emitStore(code, module, storage, 0);
  });
}

/** for (index = 0; index < count; index++), with `count` a local. */
function countUp(code: FunctionBody, index: number, count: number, body: () => void): void {
  code.i32(0);
  code.set(index);
  const exit = code.block();
  const loop = code.loop();
  code.get(index);
  code.get(count);
  code.op('i32.ge_u');
  code.brIf(exit);
  body();
  code.get(index);
  code.i32(1);
  code.op('i32.add');
  code.set(index);
  code.br(loop);
  code.end();
  code.end();
}

/** While n > 1: h = the largest power of two below n; copy[i] op= copy[i + h]; n = h. */
function emitTree(
  code: FunctionBody,
  { index, type, place, module }: CopyLoop,
  combine: () => void,
): void {
  const storage = storageOf(type);
  const half = code.local('i32');
  const pairs = code.local('i32');
  const exit = code.block();
  const loop = code.loop();
  code.get(COUNT);
  code.i32(1);
  code.op('i32.le_u');
  code.brIf(exit);
  code.i32(1);
  code.i32(31);
  code.get(COUNT);
  code.i32(1);
  code.ops('i32.sub', 'i32.clz', 'i32.sub', 'i32.shl');
  code.set(half);
  code.get(COUNT);
  code.get(half);
  code.op('i32.sub');
  code.set(pairs);
  countUp(code, index, pairs, () => {
    place(null);
    place(null);
    emitLoad(code, storage, 0);
    place(half);
    emitLoad(code, storage, 0);
    combine();
    emitStore(code, module, storage, 0);
  });
  code.get(half);
  code.set(COUNT);
  code.br(loop);
  code.end();
  code.end();
  code.get(COPY);
  emitLoad(code, storage, 0);
}

/** Left to right, starting from the first element. */
function emitInOrder(
  code: FunctionBody,
  { index, type, place }: CopyLoop,
  combine: () => void,
): void {
  const storage = storageOf(type);
  const sum = code.local(valueTypeOf(type));
  countUp(code, index, COUNT, () => {
    code.get(index);
    code.op('i32.eqz');
    code.if(valueTypeOf(type));
    place(null);
    emitLoad(code, storage, 0);
    code.else();
    code.get(sum);
    place(null);
    emitLoad(code, storage, 0);
    combine();
    code.end();
    code.set(sum);
  });
  code.get(sum);
}

/** Value and id of the largest element, ties to the lower id: a scan in order. */
export function emitArgmax(scope: KernelScope, stmt: Stmt & { readonly op: 'argmax' }): void {
  const { code, kernel, layout, module } = scope;
  const values = kernel.shared[stmt.values]!.type;
  const ids = kernel.shared[stmt.ids]!.type;
  const name = `argmax_${typeName(values)}_${typeName(ids)}`;
  const helper = module.helper(name, () => argmaxBody(values, ids));
  for (const array of [stmt.values, stmt.ids]) {
    code.get(scope.fixed.scratch);
    code.i32(layout.shared[array]!);
    code.op('i32.add');
  }
  code.i32(stmt.count);
  code.call(helper);
  code.set(scope.locals[stmt.index]!);
  code.set(scope.locals[stmt.value]!);
}

function argmaxBody(values: Type, ids: Type): FunctionBody {
  const valueType = valueTypeOf(values);
  const code = new FunctionBody({ params: ['i32', 'i32', 'i32'], results: [valueType, 'i32'] });
  const [value, best] = [code.local(valueType), code.local(valueType)];
  const [id, bestId, index] = [code.local('i32'), code.local('i32'), code.local('i32')];
  const { elem } = shapeOf(values);
  const sign = elem === 'f32' ? '' : elem === 'u32' ? '_u' : '_s';
  const load = (array: number, type: Type, target: number) => {
    code.get(array);
    code.get(index);
    code.i32(2);
    code.ops('i32.shl', 'i32.add');
    emitLoad(code, storageOf(type), 0);
    code.set(target);
  };
  countUp(code, index, 2, () => {
    load(0, values, value);
    load(1, ids, id);
    code.get(index);
    code.op('i32.eqz');
    code.get(value);
    code.get(best);
    code.op(`${valueType}.gt${sign}`);
    code.get(value);
    code.get(best);
    code.op(`${valueType}.eq`);
    code.get(id);
    code.get(bestId);
    code.op(shapeOf(ids).elem === 'u32' ? 'i32.lt_u' : 'i32.lt_s');
    code.ops('i32.and', 'i32.or', 'i32.or');
    code.if();
    code.get(value);
    code.set(best);
    code.get(id);
    code.set(bestId);
    code.end();
  });
  code.get(best);
  code.get(bestId);
  return code;
}
