/** Expressions of every world: dispatch over the forms of the syntax tree. */
import type { Expr as SyntaxExpr } from '../tree.js';
import type { Expr, Type } from '../typed.js';
import { evaluateCall } from './calls.js';
import { coerce } from './coercion.js';
import { flexible, truth } from './constant-folding.js';
import { checkHostArray, zeroOf } from './constants.js';
import type { Frame } from './frame.js';
import { indexed } from './indexing.js';
import { member } from './members.js';
import { resolvePath } from './names.js';
import { binary, unary } from './operators.js';
import { elaborationLimits } from './session.js';
import { symbolValue } from './symbols.js';
import { resolveTerm } from './type-resolution.js';
import { STRING, U32, isDeviceType, typeName } from './types.js';
import type { Value } from './value.js';

export function evaluate(frame: Frame, expr: SyntaxExpr): Value {
  frame.body.nodes += 1;
  switch (expr.kind) {
    case 'int':
      if (expr.unsigned) return { kind: 'const', type: U32, value: BigInt(expr.value) };
      return flexible(BigInt(expr.value));
    case 'float':
      return realLiteral(frame, expr);
    case 'string':
      return { kind: 'const', type: STRING, value: expr.value };
    case 'bool':
      return truth(expr.value);
    case 'name':
      return resolvePath(frame, expr.name, expr.at);
    case 'symbol':
      return symbolValue(frame, expr);
    case 'unary':
      return unary(frame, expr);
    case 'binary':
      return binary(frame, expr);
    case 'call':
      return evaluateCall(frame, expr, false);
    case 'array':
      return arrayValue(frame, expr);
    case 'index':
      return indexed(frame, expr);
    case 'member':
      return member(frame, frame.eval(expr.base), expr.name, expr.at);
    case 'record':
      return recordValue(frame, expr);
  }
}

function realLiteral(frame: Frame, expr: Extract<SyntaxExpr, { kind: 'float' }>): Value {
  const value = Number(expr.value);
  if (Number.isFinite(value)) return flexible(value);
  throw frame.problem(expr.at, `the constant ${expr.value} is beyond f64`);
}

/** `i32[4](1, 2, 3, 4)`; no arguments means zeros. */
function arrayValue(frame: Frame, expr: Extract<SyntaxExpr, { kind: 'array' }>): Value {
  const { type } = resolveTerm(frame, expr.type);
  if (type?.kind !== 'array') throw frame.problem(expr.at, 'this is no array type');
  const { elem, count } = type;
  if (expr.args.length > 0 && expr.args.length !== count) {
    throw frame.problem(
      expr.at,
      `${typeName(type)} takes ${count} elements, got ${expr.args.length}`,
    );
  }
  if (frame.world === 'host') checkHostArray(frame, count, expr.at);
  if (frame.world !== 'host') return registers(frame, expr, elem, count);
  const items = expr.args.length > 0 ? given(frame, expr, elem) : zeros(frame, expr, elem, count);
  return {
    kind: 'expr',
    rank: 'uniform',
    expr: { op: 'array.new', type, site: frame.site(expr.at), items },
  };
}

type ArrayExpr = Extract<SyntaxExpr, { kind: 'array' }>;

const given = (frame: Frame, expr: ArrayExpr, elem: Type): Expr[] =>
  expr.args.map((arg) => coerce(frame, frame.eval(arg), elem, { at: arg.at, what: 'an element' }));

function zeros(frame: Frame, expr: ArrayExpr, elem: Type, count: number): Expr[] {
  return Array.from({ length: count }, () => zeroOf(frame, elem, expr.at));
}

function registers(frame: Frame, expr: ArrayExpr, elem: Type, count: number): Value {
  if (frame.world === 'device' && !isDeviceType(elem)) {
    throw frame.problem(expr.at, `a register array cannot hold ${typeName(elem)}`);
  }
  if (frame.world === 'device' && count > elaborationLimits.registers) {
    const limit = elaborationLimits.registers;
    throw frame.problem(expr.at, `a register array of ${count} elements; the limit is ${limit}`);
  }
  const values = expr.args.map((arg) => frame.eval(arg));
  const items =
    expr.args.length === 0
      ? zeros(frame, expr, elem, count).map((item): Value => ({
          kind: 'expr',
          rank: 'uniform',
          expr: item,
        }))
      : values.map((value, index): Value => {
          const item = coerce(frame, value, elem, {
            at: expr.args[index]?.at ?? expr.at,
            what: 'an element',
          });
          const rank = frame.rankOf(value);
          if (item.op === 'const') return { kind: 'expr', rank, expr: item };
          return frame.hold('item', item, rank);
        });
  return { kind: 'array', elem, items, locals: null };
}

/** `Cold { dim: 4 }`: every field once; evaluated in the order written. */
function recordValue(frame: Frame, expr: Extract<SyntaxExpr, { kind: 'record' }>): Value {
  const { type } = resolveTerm(frame, expr.type);
  if (type?.kind !== 'record' || frame.world !== 'host') {
    const what = type?.kind === 'record' ? 'records exist on the host only' : 'this is no record';
    throw frame.problem(expr.at, what);
  }
  const wanted = type.record.fields;
  const values = new Map<string, Expr>();
  const inOrder = expr.fields.every((field, index) => wanted[index]?.name === field.name);
  for (const field of expr.fields) {
    const declared = wanted.find((entry) => entry.name === field.name);
    if (declared === undefined) {
      throw frame.problem(field.at, `record ${type.record.name} has no field '${field.name}'`);
    }
    if (values.has(field.name))
      throw frame.problem(field.at, `the field '${field.name}' is given twice`);
    const value = coerce(frame, frame.eval(field.value), declared.type, {
      at: field.value.at,
      what: `'${field.name}'`,
    });
    const kept =
      inOrder || value.op === 'const'
        ? value
        : (frame.hold(field.name, value, 'uniform') as { expr: Expr }).expr;
    values.set(field.name, kept);
  }
  const missing = wanted
    .filter((field) => !values.has(field.name))
    .map((field) => `'${field.name}'`);
  if (missing.length > 0) {
    throw frame.problem(expr.at, `record ${type.record.name} lacks ${missing.join(', ')}`);
  }
  const fields = wanted.map((field) => values.get(field.name) as Expr);
  return {
    kind: 'expr',
    rank: 'uniform',
    expr: { op: 'record.new', type, site: frame.site(expr.at), fields },
  };
}
