/**
 * Expressions of kernels as WGSL. What needs statements first (inlined functions, reductions,
 * values made uniform) writes them through the scope's writer and goes on with a name.
 *
 * An operation whose operands are all constants would be evaluated by the shader compiler, which
 * refuses overflow, division by zero and NaN: the first operand gets a name then, and the operation
 * happens when the shader runs.
 */
import { StatusError } from '../../base/errors.js';
import type { ArithmeticOp, Expr } from '../../loom/typed.js';
import { intrinsicText } from './emit-intrinsic.js';
import { emitReduce } from './emit-reduce.js';
import { readSharedFour, readSharedText, readViewText } from './emit-place.js';
import { lengthOf, madeUniform, type WgslScope } from './wgsl-scope.js';
import {
  literal,
  nameOf,
  runtime,
  shapeOf,
  splat,
  typeName,
  zeroOf,
  type Shape,
  type Value,
} from './wgsl-types.js';

const textOf = (scope: WgslScope, expr: Expr): string => emitValue(scope, expr).text;

/** Operands of an operation, not all of them constants. */
function operands(scope: WgslScope, exprs: readonly Expr[]): readonly string[] {
  const values = exprs.map((expr) => emitValue(scope, expr));
  const texts = values.map(({ text }) => text);
  if (values.length > 0 && values.every(({ constant }) => constant))
    texts[0] = scope.code.let(texts[0]!);
  return texts;
}

export function emitValue(scope: WgslScope, expr: Expr): Value {
  const value = plainValue(scope, expr);
  if (!scope.uniform.has(expr)) return value;
  return runtime(madeUniform(scope, value.text, shapeOf(expr.type)));
}

function plainValue(scope: WgslScope, expr: Expr): Value {
  switch (expr.op) {
    case 'const':
      return literal(expr.type, expr.value);
    case 'local':
      return runtime(scope.locals[expr.local]!);
    case 'vector':
    case 'splat':
      return constructed(scope, expr);
    case 'and':
    case 'or':
      return runtime(shortCircuit(scope, expr));
    case 'block': {
      scope.emit.block(expr.body);
      return runtime(scope.code.let(textOf(scope, expr.value)));
    }
    case 'intrinsic':
      return runtime(intrinsicText(scope, expr, operands(scope, expr.args)));
    case 'workgroup':
      return runtime(`i32(group.${['x', 'y', 'z'][expr.axis]})`);
    case 'view.length': {
      const { origin, count } = scope.kernel.views[expr.view]!;
      if (origin === 'tile') return { text: `${count}i`, constant: true };
      return runtime(`i32(${lengthOf(scope, expr.view)})`);
    }
    default:
      return runtime(memoryText(scope, expr) ?? operationText(scope, expr));
  }
}

function memoryText(scope: WgslScope, expr: Expr): string | null {
  switch (expr.op) {
    case 'view.get':
    case 'view.vec4':
      return readViewText(scope, expr);
    case 'shared.get':
      return readSharedText(scope, expr.shared, expr.index);
    case 'shared.vec4':
      return readSharedFour(scope, expr.shared, expr.index);
    case 'private.get':
      return scope.privates[expr.private]![expr.index]!;
    case 'reduce':
      return emitReduce(scope, expr);
    default:
      return null;
  }
}

function operationText(scope: WgslScope, expr: Expr): string {
  switch (expr.op) {
    case 'negate': {
      const [value] = operands(scope, [expr.value]);
      return shapeOf(expr.type).elem === 'u32' ? `(~${value} + 1u)` : `(-${value})`;
    }
    case 'not':
      return `(!${operands(scope, [expr.value])[0]})`;
    case 'invert':
      return `(~${operands(scope, [expr.value])[0]})`;
    case 'arithmetic':
      return arithmeticText(scope, expr);
    case 'compare': {
      const [left, right] = operands(scope, [expr.left, expr.right]);
      return `(${left} ${expr.operator} ${right})`;
    }
    case 'convert':
      return convertText(scope, expr);
    case 'extract':
      return `${operands(scope, [expr.value])[0]}.${'xyzw'[expr.index]}`;
    case 'component': {
      const [vector, index] = operands(scope, [expr.value, expr.index]);
      const call = scope.prelude.call('component', shapeOf(expr.value.type));
      return `${call}(${vector}, ${index})`;
    }
    default:
      throw new StatusError('internal', `${expr.op} in a kernel`);
  }
}

function constructed(scope: WgslScope, expr: Expr & { readonly op: 'vector' | 'splat' }): Value {
  const items = (expr.op === 'splat' ? [expr.value] : expr.items).map((item) =>
    emitValue(scope, item),
  );
  return {
    text: `${typeName(expr.type)}(${items.map(({ text }) => text).join(', ')})`,
    constant: items.every(({ constant }) => constant),
  };
}

function arithmeticText(scope: WgslScope, expr: Expr & { readonly op: 'arithmetic' }): string {
  const { operator } = expr;
  const shape = shapeOf(expr.type);
  if (operator === '<<' || operator === '>>') return shiftText(scope, expr, operator);
  const [left, right] = operands(scope, [expr.left, expr.right]);
  const divides = (operator === '/' || operator === '%') && shape.elem !== 'f32';
  if (!divides || isNonZero(expr.right)) return `(${left} ${operator} ${right})`;
  return `${scope.prelude.call(operator === '/' ? 'div' : 'rem', shape)}(${left}, ${right})`;
}

/** A constant divisor that is neither 0 nor -1 needs no guard. */
function isNonZero(expr: Expr): boolean {
  if (expr.op === 'splat') return isNonZero(expr.value);
  if (expr.op !== 'const') return false;
  const items = Array.isArray(expr.value) ? (expr.value as readonly number[]) : [expr.value];
  return items.every((item) => item !== 0 && item !== -1);
}

/** The low 5 bits of the distance count. */
function shiftText(
  scope: WgslScope,
  { left, right, type }: Expr & { readonly op: 'arithmetic' },
  operator: ArithmeticOp,
): string {
  const shape = shapeOf(type);
  const unsigned: Shape = { elem: 'u32', lanes: shape.lanes };
  if (right.op === 'const' && typeof right.value === 'number') {
    const [value] = operands(scope, [left]);
    return `(${value} ${operator} ${(right.value & 31) >>> 0}u)`;
  }
  const [value, distance] = operands(scope, [left, right]);
  const bits = shape.elem === 'u32' ? distance : `${nameOf(unsigned)}(${distance})`;
  return `(${value} ${operator} (${bits} & ${splat(unsigned, '31u')}))`;
}

function convertText(scope: WgslScope, expr: Expr & { readonly op: 'convert' }): string {
  const from = shapeOf(expr.value.type);
  const to = shapeOf(expr.type);
  const [value] = operands(scope, [expr.value]);
  if (from.elem === to.elem) return value!;
  // NaN is true.
  if (to.elem === 'bool') return `(!(${value} == ${zeroOf(from)}))`;
  if (from.elem === 'f32')
    return `${scope.prelude.call(to.elem === 'i32' ? 'to_i32' : 'to_u32', to)}(${value})`;
  return `${nameOf(to)}(${value})`;
}

/** The right side runs only where the left does not decide, with all statements that it needs. */
function shortCircuit(scope: WgslScope, expr: Expr & { readonly op: 'and' | 'or' }): string {
  const { code } = scope;
  const left = textOf(scope, expr.left);
  const { result: right, lines } = code.capture(() => textOf(scope, expr.right));
  if (lines.length === 0) return `(${left} ${expr.op === 'and' ? '&&' : '||'} ${right})`;
  const name = code.fresh();
  code.line(`var ${name} = ${left};`);
  code.open(`if (${expr.op === 'and' ? name : `!${name}`})`);
  code.nested(lines);
  code.line(`${name} = ${right};`);
  code.close();
  return name;
}
