/**
 * Unary and binary operators. Constants fold; a flexible constant takes the type of the other side;
 * a scalar beside a vector of its type is splat; nothing else converts.
 */
import type { At, BinaryOp, Expr as SyntaxExpr } from '../tree.js';
import type { ArithmeticOp, CompareOp, Expr, Type } from '../typed.js';
import { coerce, expression } from './coercion.js';
import { wordBinary } from './command-words.js';
import { FoldError, foldBinary, foldUnary, truth } from './constant-folding.js';
import type { Frame } from './frame.js';
import { BOOL, componentOf, isBool, isInteger, isScalar, sameType, typeName } from './types.js';
import type { Value } from './value.js';

type Binary = Extract<SyntaxExpr, { kind: 'binary' }>;
type Unary = Extract<SyntaxExpr, { kind: 'unary' }>;

const comparisons: ReadonlySet<string> = new Set(['==', '!=', '<', '<=', '>', '>=']);
const bitwise: ReadonlySet<string> = new Set(['<<', '>>', '&', '|', '^', '%']);

/** Runs a fold; its errors get the place. */
export function folding<T>(frame: Frame, at: At, action: () => T): T {
  try {
    return action();
  } catch (error) {
    if (error instanceof FoldError) throw frame.problem(at, error.message);
    throw error;
  }
}

export function unary(frame: Frame, expr: Unary): Value {
  const value = frame.eval(expr.value);
  if (value.kind === 'const') {
    const folded = folding(frame, expr.at, () => foldUnary(expr.op, value));
    if (folded !== null) return folded;
  }
  const operand = expression(frame, value, expr.value.at);
  const { type } = operand;
  const site = frame.site(expr.at);
  const rank = frame.rankOf(value);
  const component = componentOf(type);
  if (expr.op === '!' && isBool(type)) {
    return { kind: 'expr', rank, expr: { op: 'not', type, site, value: operand } };
  }
  if (expr.op === '~' && component !== null && isInteger(component)) {
    return { kind: 'expr', rank, expr: { op: 'invert', type, site, value: operand } };
  }
  if (expr.op === '-' && component !== null && !isBool(component) && !isScalar(component, 'u32')) {
    return { kind: 'expr', rank, expr: { op: 'negate', type, site, value: operand } };
  }
  throw frame.problem(expr.at, `'${expr.op}' does not apply to ${typeName(type)}`);
}

export function binary(frame: Frame, expr: Binary): Value {
  if (expr.op === '&&' || expr.op === '||') return shortCircuit(frame, expr);
  const left = frame.eval(expr.left);
  const right = frame.eval(expr.right);
  return operate(frame, { op: expr.op, left, right, at: expr.at });
}

export interface Operation {
  readonly op: BinaryOp;
  readonly left: Value;
  readonly right: Value;
  readonly at: At;
}

/** One arithmetic operator or comparison on values; also serves `+=` and its kin. */
export function operate(frame: Frame, operation: Operation): Value {
  const { op, left, right, at } = operation;
  if (left.kind === 'word' || right.kind === 'word') return wordBinary(frame, operation);
  if (left.kind === 'const' && right.kind === 'const') {
    const folded = folding(frame, at, () => foldBinary(op, left, right));
    if (folded !== null) return folded;
  }
  const [a, b] = unify(frame, operation);
  const rank = frame.rankOf(left, right);
  if (comparisons.has(op))
    return { kind: 'expr', rank, expr: compare(frame, op as CompareOp, [a, b], at) };
  return { kind: 'expr', rank, expr: arithmetic(frame, op as ArithmeticOp, [a, b], at) };
}

/** Both sides as expressions of one type. */
export function unify(
  frame: Frame,
  operation: Omit<Operation, 'op'> & { op: string },
): [Expr, Expr] {
  const { op, left, right, at } = operation;
  if (left.kind === 'const' && right.kind !== 'const') {
    const b = expression(frame, right, at);
    return [splatTo(frame, left, b.type, at), b];
  }
  if (right.kind === 'const' && left.kind !== 'const') {
    const a = expression(frame, left, at);
    return [a, splatTo(frame, right, a.type, at)];
  }
  if (
    left.kind === 'const' &&
    right.kind === 'const' &&
    left.type === null &&
    right.type !== null
  ) {
    return [coerce(frame, left, right.type, at), coerce(frame, right, right.type, at)];
  }
  const a = expression(frame, left, at);
  if (left.kind === 'const' && right.kind === 'const') return [a, coerce(frame, right, a.type, at)];
  const b = expression(frame, right, at);
  if (sameType(a.type, b.type)) return [a, b];
  if (a.type.kind === 'vector' && b.type.kind === 'scalar') return [a, splat(frame, b, a.type, at)];
  if (b.type.kind === 'vector' && a.type.kind === 'scalar') return [splat(frame, a, b.type, at), b];
  const hint = 'conversions are written: i64(x), i32(x), f32(x) …';
  const sides = `${typeName(a.type)} and ${typeName(b.type)}`;
  throw frame.problem(at, `'${op}' needs equal types, got ${sides}`, hint);
}

function splatTo(frame: Frame, value: Value, type: Type, at: At): Expr {
  if (type.kind !== 'vector') return coerce(frame, value, type, at);
  return splat(frame, coerce(frame, value, componentOf(type) as Type, at), type, at);
}

function splat(frame: Frame, value: Expr, type: Type, at: At): Expr {
  const component = componentOf(type);
  if (component === null || !sameType(component, value.type)) {
    throw frame.problem(at, `expected ${typeName(type)}, got ${typeName(value.type)}`);
  }
  if (value.op === 'const' && typeof value.value === 'number' && type.kind === 'vector') {
    const items = new Array<number>(type.lanes).fill(value.value);
    return { op: 'const', type, site: frame.site(at), value: items };
  }
  return { op: 'splat', type, site: frame.site(at), value };
}

function compare(frame: Frame, operator: CompareOp, sides: readonly [Expr, Expr], at: At): Expr {
  const [left, right] = sides;
  const site = frame.site(at);
  const equality = operator === '==' || operator === '!=';
  if (left.type.kind === 'string' && equality) {
    const equal: Expr = { op: 'heap', type: BOOL, site, name: 'string.eq', args: [left, right] };
    return operator === '==' ? equal : { op: 'not', type: BOOL, site, value: equal };
  }
  if (left.type.kind === 'scalar' && (equality || !isBool(left.type))) {
    return { op: 'compare', type: BOOL, site, operator, left, right };
  }
  const hint = left.type.kind === 'vector' ? 'compare components: a.x < b.x' : undefined;
  throw frame.problem(at, `'${operator}' does not compare ${typeName(left.type)}`, hint);
}

function arithmetic(
  frame: Frame,
  operator: ArithmeticOp,
  sides: readonly [Expr, Expr],
  at: At,
): Expr {
  const [left, right] = sides;
  const { type } = left;
  const site = frame.site(at);
  if (type.kind === 'string' && operator === '+') {
    return { op: 'heap', type, site, name: 'string.concat', args: [left, right] };
  }
  const component = componentOf(type);
  const allowed =
    component !== null && !isBool(component) && (!bitwise.has(operator) || isInteger(component));
  if (allowed) return { op: 'arithmetic', type, site, operator, left, right };
  const hint = bitwise.has(operator) ? 'it is for integers' : undefined;
  throw frame.problem(at, `'${operator}' does not apply to ${typeName(type)}`, hint);
}

function shortCircuit(frame: Frame, expr: Binary): Value {
  const left = frame.eval(expr.left);
  if (left.kind === 'const' && typeof left.value === 'boolean') {
    const decided = expr.op === '&&' ? !left.value : left.value;
    if (decided) return truth(left.value);
    const right = frame.eval(expr.right);
    if (right.kind === 'const' && typeof right.value === 'boolean') return right;
    return {
      kind: 'expr',
      rank: frame.rankOf(right),
      expr: coerce(frame, right, BOOL, { at: expr.right.at, what: `'${expr.op}'` }),
    };
  }
  const a = coerce(frame, left, BOOL, { at: expr.left.at, what: `'${expr.op}'` });
  const site = frame.site(expr.at);
  // The right side runs only sometimes, so what it needs before it stays with it.
  const captured = frame.capture(() => {
    const value = frame.eval(expr.right);
    return { value, expr: coerce(frame, value, BOOL, { at: expr.right.at, what: `'${expr.op}'` }) };
  });
  const right = captured.empty()
    ? captured.value.expr
    : ({
        op: 'block',
        type: BOOL,
        site,
        body: captured.block(),
        value: captured.value.expr,
      } as const);
  const op = expr.op === '&&' ? 'and' : 'or';
  const rank = frame.rankOf(left, captured.value.value);
  return { kind: 'expr', rank, expr: { op, type: BOOL, site, left: a, right } };
}
