/**
 * Expressions of host functions. Numbers are those of the device, with faults where the device
 * gives 0; everything on objects goes through `emit-object` or an imported heap operation.
 */
import { StatusError } from '../../base/errors.js';
import type { Expr, HeapOp, Type } from '../../loom/typed.js';
import type { HeapFunction } from '../../vm/heap-operations.js';
import { CALL_DEPTH, CALL_DEPTH_MAX } from '../../vm/memory-map.js';
import { valueSize } from '../../vm/value-layout.js';
import { emitArithmetic, emitCompare, emitInvert, emitNegate } from '../numeric/arithmetic.js';
import { emitConstant } from '../numeric/constant.js';
import { emitConvert } from '../numeric/convert.js';
import { emitIntrinsic } from '../numeric/intrinsic.js';
import { emitComponent, emitExtract, emitSplatOp, emitVectorItems } from '../numeric/lanes.js';
import { shapeOf } from '../numeric/shape.js';
import {
  emitArrayGet,
  emitArrayNew,
  emitListGet,
  emitRecordField,
  emitRecordNew,
} from './emit-object.js';
import { emitBufferGet } from './emit-buffer.js';
import { callOperation, faultIf, faultsAt, type HostScope } from './host-scope.js';

export function emitHostValue(scope: HostScope, expr: Expr): void {
  const { code } = scope;
  const { value } = scope.emit;
  switch (expr.op) {
    case 'const':
      if (expr.type.kind === 'string')
        return code.i32(scope.module.literals.address(String(expr.value)));
      return emitConstant(code, expr.type, expr.value);
    case 'local':
      return code.get(scope.locals[expr.local]!);
    case 'negate':
      value(expr.value);
      return emitNegate(code, shapeOf(expr.type), faultsAt(scope, 'negate', expr.site));
    case 'not':
      value(expr.value);
      return code.op('i32.eqz');
    case 'invert':
      value(expr.value);
      return emitInvert(code, shapeOf(expr.type));
    case 'arithmetic':
      value(expr.left);
      value(expr.right);
      return emitArithmetic(
        code,
        expr.operator,
        shapeOf(expr.type),
        faultsAt(scope, expr.operator, expr.site),
      );
    case 'compare':
      return emitComparison(scope, expr);
    case 'and':
    case 'or':
      return emitShortCircuit(scope, expr);
    case 'convert':
      value(expr.value);
      return emitConvert(code, shapeOf(expr.value.type), shapeOf(expr.type));
    case 'intrinsic':
      expr.args.forEach(value);
      return emitIntrinsic(code, {
        name: expr.name,
        args: expr.args.map((arg) => arg.type),
        result: expr.type,
        faults: (operator) => faultsAt(scope, operator, expr.site),
      });
    case 'block':
      scope.emit.block(expr.body, expr.site);
      return value(expr.value);
    default:
      return emitLanesOrObjects(scope, expr);
  }
}

function emitLanesOrObjects(scope: HostScope, expr: Expr): void {
  const { code } = scope;
  const { value } = scope.emit;
  switch (expr.op) {
    case 'vector':
      return emitVectorItems(
        code,
        expr.type,
        expr.items.map((item) => () => value(item)),
      );
    case 'splat':
      value(expr.value);
      return emitSplatOp(code, expr.type);
    case 'extract':
      value(expr.value);
      return emitExtract(code, expr.value.type, expr.index);
    case 'component':
      value(expr.value);
      value(expr.index);
      if (expr.index.type.kind === 'scalar' && expr.index.type.name === 'i64') emitLaneIndex(scope);
      return emitComponent(code, expr.value.type);
    case 'call':
      return emitCall(scope, expr);
    case 'capability':
      expr.args.forEach(value);
      code.mark(expr.site);
      return code.call(scope.module.capability(expr.index));
    case 'heap':
      return emitHeap(scope, expr);
    case 'format':
      return emitFormat(scope, expr);
    case 'record.new':
      return emitRecordNew(scope, expr);
    case 'record.field':
      return emitRecordField(scope, expr);
    case 'list.get':
      return emitListGet(scope, expr);
    case 'array.new':
      return emitArrayNew(scope, expr);
    case 'array.get':
      return emitArrayGet(scope, expr);
    case 'buffer.get':
      return emitBufferGet(scope, expr);
    default:
      throw new StatusError('internal', `expression ${expr.op} in a host function`);
  }
}

/** Opens a call, whose depth is limited, and closes it behind the callee's results. */
function emitCall(scope: HostScope, expr: Expr & { readonly op: 'call' }): void {
  const { code } = scope;
  expr.args.forEach(scope.emit.value);
  const depth = code.temp('i32');
  code.i32(0);
  code.access('i32.load', CALL_DEPTH);
  code.i32(1);
  code.op('i32.add');
  code.tee(depth);
  code.i32(CALL_DEPTH_MAX);
  code.op('i32.gt_u');
  faultIf(scope, 'fault.depth', expr.site, () => undefined);
  code.i32(0);
  code.get(depth);
  code.access('i32.store', CALL_DEPTH);
  code.mark(expr.site);
  code.call(scope.module.functionBase + expr.func);
  code.i32(0);
  code.get(depth);
  code.i32(1);
  code.op('i32.sub');
  code.access('i32.store', CALL_DEPTH);
  code.release('i32', depth);
}

/** An i64 lane number as i32, with everything outside becoming -1. */
function emitLaneIndex(scope: HostScope): void {
  const { code } = scope;
  const index = code.temp('i64');
  code.tee(index);
  code.op('i32.wrap_i64');
  code.i32(-1);
  code.get(index);
  code.i64(4n);
  code.ops('i64.lt_u', 'select');
  code.release('i64', index);
}

function emitComparison(scope: HostScope, expr: Expr & { readonly op: 'compare' }): void {
  const { code } = scope;
  scope.emit.value(expr.left);
  scope.emit.value(expr.right);
  const { type } = expr.left;
  if (type.kind === 'string') {
    callOperation(scope, 'string.eq', expr.site);
    return expr.operator === '!=' ? code.op('i32.eqz') : undefined;
  }
  // Symbols and handles compare by their numbers.
  emitCompare(code, expr.operator, type.kind === 'scalar' ? type.name : 'u32');
}

function emitShortCircuit(scope: HostScope, expr: Expr & { readonly op: 'and' | 'or' }): void {
  const { code } = scope;
  scope.emit.value(expr.left);
  code.if('i32');
  if (expr.op === 'and') scope.emit.value(expr.right);
  else code.i32(1);
  code.else();
  if (expr.op === 'and') code.i32(0);
  else scope.emit.value(expr.right);
  code.end();
}

/** Operations that need a static type take a number for it after their arguments. */
function emitHeap(scope: HostScope, expr: Expr & { readonly op: 'heap' }): void {
  const { code, module } = scope;
  expr.args.forEach(scope.emit.value);
  const trailing = trailingNumber(module.typeNumber.bind(module), expr.name, expr);
  if (trailing !== null) code.i32(trailing);
  callOperation(scope, expr.name as HeapFunction, expr.site);
}

function trailingNumber(
  typeNumber: (type: Type) => number,
  name: HeapOp,
  expr: Expr & { readonly op: 'heap' },
): number | null {
  const first = expr.args[0]?.type;
  if (name === 'seal' && first) return typeNumber(first);
  if (name === 'open') return typeNumber(expr.type);
  if (name === 'list.bytes' && first?.kind === 'list') return valueSize(first.elem);
  if (name === 'array.bytes' && first?.kind === 'array') return valueSize(first.elem) * first.count;
  return null;
}

function emitFormat(scope: HostScope, expr: Expr & { readonly op: 'format' }): void {
  const { code } = scope;
  callOperation(scope, 'format.begin', expr.site);
  expr.pieces.forEach((piece, index) => {
    if (piece !== '') {
      code.i32(scope.module.literals.address(piece));
      callOperation(scope, 'format.string', expr.site);
    }
    const arg = expr.args[index];
    if (!arg) return;
    scope.emit.value(arg);
    const name = arg.type.kind === 'scalar' ? arg.type.name : 'string';
    callOperation(scope, `format.${name}`, expr.site);
  });
  callOperation(scope, 'format.end', expr.site);
}
