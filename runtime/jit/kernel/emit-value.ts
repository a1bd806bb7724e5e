/**
 * Expressions of kernels. Leaves one value on the stack; locals that live as vectors (see
 * `local-uses`) appear only under `splat`. Host forms cannot occur here.
 */
import { assert, StatusError } from '../../base/errors.js';
import type { Expr, Storage, Type } from '../../loom/typed.js';
import {
  deviceFaults,
  emitArithmetic,
  emitCompare,
  emitInvert,
  emitNegate,
} from '../numeric/arithmetic.js';
import { emitConstant } from '../numeric/constant.js';
import { emitConvert } from '../numeric/convert.js';
import { emitIntrinsic } from '../numeric/intrinsic.js';
import { emitComponent, emitExtract, emitSplatOp, emitVectorItems } from '../numeric/lanes.js';
import { shapeOf } from '../numeric/shape.js';
import { isProved, pushAddress, pushIndexed, pushInside, pushNeighbour } from './emit-address.js';
import { emitDot } from './emit-dot.js';
import { emitReduce } from './emit-reduce.js';
import { emitLoad, emitLoadFour, emitLoadSplat, isWord, storageOf } from './emit-storage.js';
import { pushLength, type KernelScope } from './kernel-scope.js';
import { placesOf, type Place } from './place.js';

export function emitValue(scope: KernelScope, expr: Expr): void {
  const { code } = scope;
  switch (expr.op) {
    case 'const':
      return emitConstant(code, expr.type, expr.value);
    case 'local':
      assert(!scope.splatted.has(expr.local) && !scope.wide.has(expr.local), 'a plain local');
      return code.get(scope.locals[expr.local]!);
    case 'workgroup':
      return code.get(expr.axis);
    case 'negate':
      emitValue(scope, expr.value);
      return emitNegate(code, shapeOf(expr.type), deviceFaults);
    case 'not':
      emitValue(scope, expr.value);
      return code.op('i32.eqz');
    case 'invert':
      emitValue(scope, expr.value);
      return emitInvert(code, shapeOf(expr.type));
    case 'arithmetic':
      return emitBinary(scope, expr);
    case 'compare':
      emitValue(scope, expr.left);
      emitValue(scope, expr.right);
      return emitCompare(code, expr.operator, shapeOf(expr.left.type).elem);
    case 'and':
    case 'or':
      return emitShortCircuit(scope, expr);
    case 'convert':
      emitValue(scope, expr.value);
      return emitConvert(code, shapeOf(expr.value.type), shapeOf(expr.type));
    case 'intrinsic':
      if (expr.name === 'dot8') return emitDot(scope, expr.args);
      for (const arg of expr.args) emitValue(scope, arg);
      return emitIntrinsic(code, {
        name: expr.name,
        args: expr.args.map((arg) => arg.type),
        result: expr.type,
      });
    case 'block':
      scope.emit.block(expr.body);
      return emitValue(scope, expr.value);
    default:
      return emitLanesOrMemory(scope, expr);
  }
}

function emitLanesOrMemory(scope: KernelScope, expr: Expr): void {
  const { code } = scope;
  switch (expr.op) {
    case 'vector':
      return emitVectorItems(
        code,
        expr.type,
        expr.items.map((item) => () => emitValue(scope, item)),
      );
    case 'splat':
      return emitSplat(scope, expr.value, expr.type);
    case 'extract':
      emitValue(scope, expr.value);
      return emitExtract(code, expr.value.type, expr.index);
    case 'component':
      emitValue(scope, expr.value);
      emitValue(scope, expr.index);
      return emitComponent(code, expr.value.type);
    case 'view.length':
      return pushLength(scope, { view: expr.view });
    case 'view.get':
      return emitLoad(code, expr.storage, pushAddress(scope, placesOf(expr)[0]!));
    case 'shared.get':
      return emitLoad(code, storageOf(expr.type), pushAddress(scope, placesOf(expr)[0]!));
    case 'view.vec4':
      return emitFour(scope, placesOf(expr)[0]!, expr.storage);
    case 'shared.vec4':
      return emitFour(scope, placesOf(expr)[0]!, storageOf(scope.kernel.shared[expr.shared]!.type));
    case 'private.get':
      return emitPrivateGet(scope, expr);
    case 'reduce':
      return emitReduce(scope, expr);
    default:
      throw new StatusError('internal', `expression ${expr.op} in a kernel`);
  }
}

/** Division and shifts by constants need none of the guards; vector shifts take one scalar. */
function emitBinary(scope: KernelScope, expr: Expr & { readonly op: 'arithmetic' }): void {
  const { code } = scope;
  const shape = shapeOf(expr.type);
  emitValue(scope, expr.left);
  const { right, operator } = expr;
  if (shape.lanes === 1 && shape.elem !== 'f32' && (operator === '/' || operator === '%')) {
    const divisor = right.op === 'const' ? Number(right.value) : 0;
    if (divisor !== 0 && divisor !== -1) {
      emitValue(scope, right);
      return code.op(`i32.${operator === '/' ? 'div' : 'rem'}_${shape.elem === 'u32' ? 'u' : 's'}`);
    }
  }
  if (shape.lanes > 1 && (operator === '<<' || operator === '>>') && right.op === 'splat') {
    emitValue(scope, right.value);
    return code.op(`i32x4.${operator === '<<' ? 'shl' : shape.elem === 'u32' ? 'shr_u' : 'shr_s'}`);
  }
  emitValue(scope, right);
  emitArithmetic(code, operator, shape, deviceFaults);
}

function emitShortCircuit(scope: KernelScope, expr: Expr & { readonly op: 'and' | 'or' }): void {
  const { code } = scope;
  emitValue(scope, expr.left);
  code.if('i32');
  if (expr.op === 'and') emitValue(scope, expr.right);
  else code.i32(1);
  code.else();
  if (expr.op === 'and') code.i32(0);
  else emitValue(scope, expr.right);
  code.end();
}

/** A broadcast; loads of 32-bit elements broadcast in one instruction. */
export function emitSplat(scope: KernelScope, value: Expr, type: Type): void {
  const { code } = scope;
  if (value.op === 'local' && scope.splatted.has(value.local)) {
    return code.get(scope.locals[value.local]!);
  }
  const place = placesOf(value)[0];
  const storage =
    value.op === 'view.get'
      ? value.storage
      : value.op === 'shared.get'
        ? storageOf(value.type)
        : null;
  if (place && storage && isWord(storage)) return emitLoadSplat(code, pushAddress(scope, place));
  emitValue(scope, value);
  emitSplatOp(code, type);
}

/** Four neighbours: one load where all four are inside, else four checked ones. */
function emitFour(scope: KernelScope, place: Place, storage: Storage): void {
  const { code } = scope;
  if (scope.streams.has(place) || isProved(scope, place)) {
    return emitLoadFour(code, storage, pushAddress(scope, place));
  }
  const index = code.temp('i32');
  emitValue(scope, place.index);
  code.set(index);
  pushInside(scope, place, index);
  code.if('v128');
  emitLoadFour(code, storage, pushIndexed(scope, place, index));
  code.else();
  const result = code.temp('v128');
  code.i32x4(0);
  code.set(result);
  const elem =
    storage.elem === 'f16' || storage.elem === 'bf16' || storage.elem === 'f32' ? 'f32' : 'i32';
  for (let lane = 0; lane < 4; lane++) {
    pushNeighbour(scope, { ...place, width: 1 }, index, lane);
    code.if();
    code.get(result);
    emitLoad(code, storage, pushIndexed(scope, place, index) + lane * storage.size);
    code.lane(`${elem}x4.replace_lane`, lane);
    code.set(result);
    code.end();
  }
  code.get(result);
  code.release('v128', result);
  code.end();
  code.release('i32', index);
}

function emitPrivateGet(scope: KernelScope, expr: Expr & { readonly op: 'private.get' }): void {
  const { code, kernel, layout } = scope;
  const { type } = kernel.privates[expr.private]!;
  if (kernel.lanes === 1) return code.get(scope.privates[expr.private]![expr.index]!);
  const storage = storageOf(type);
  code.get(scope.laneBase);
  emitLoad(code, storage, layout.privates[expr.private]! + expr.index * storage.size);
}
