/**
 * Built-in functions of the host: making buffers, lists and cells, retained state, text, and the
 * three ways to end a call with an error. Formats are literals whose `{}` match the arguments.
 */
import type { Expr, Type } from '../typed.js';
import { NOTHING } from './call.js';
import type { Builtin, Call } from './call.js';
import { coerce, expression } from './coercion.js';
import { heap } from './host-methods.js';
import { resolveArgument } from './type-resolution.js';
import { BOOL, BUFFER, REF, STRING, isHostType, typeName } from './types.js';
import type { Value } from './value.js';

const value = (expr: Expr): Value => ({ kind: 'expr', rank: 'uniform', expr });

function typeArgument(call: Call): Type {
  call.typeCounts(1);
  const [arg] = call.typeArgs;
  const type = arg === undefined ? null : (resolveArgument(call.frame, arg)?.type ?? null);
  if (type !== null && isHostType(type)) return type;
  throw call.frame.problem(call.at, `'${call.name}' takes a type of host values`);
}

const list: Builtin = (call) => {
  const elem = typeArgument(call);
  const type: Type = { kind: 'list', elem };
  const made = heap(call, 'list.new', type, []);
  if (call.args.length === 0 || made.kind !== 'expr') return made;
  const kept = call.frame.hold('list', made.expr, 'uniform');
  const self = (kept as { expr: Expr }).expr;
  call.args.forEach((_, index) => {
    const item = call.arg(index, elem);
    call.frame.emit({ op: 'list.push', site: call.site, list: self, value: item });
  });
  return kept;
};

const seal: Builtin = (call) => {
  call.counts(1);
  const record = call.any(0);
  if (record.type.kind !== 'record') {
    throw call.frame.problem(call.argAt(0), `seal takes a record, got ${typeName(record.type)}`);
  }
  return heap(call, 'seal', REF, [record]);
};

const open: Builtin = (call) => {
  call.counts(1);
  const type = typeArgument(call);
  if (type.kind !== 'record') {
    throw call.frame.problem(call.at, `open<…> takes a record, got ${typeName(type)}`);
  }
  return heap(call, 'open', type, [call.arg(0, REF)]);
};

const cell: Builtin = (call) => {
  call.counts(1);
  const record = call.typeArgs.length > 0 ? call.arg(0, typeArgument(call)) : call.any(0);
  if (record.type.kind !== 'record') {
    throw call.frame.problem(call.argAt(0), `cell takes a record, got ${typeName(record.type)}`);
  }
  return heap(call, 'cell.new', { kind: 'cell', elem: record.type }, [record]);
};

const printable: ReadonlySet<string> = new Set([
  'bool',
  'i32',
  'u32',
  'i64',
  'f32',
  'f64',
  'string',
]);

/** Text of a literal format from argument `first` on, and the values it names. */
function formatted(call: Call, first: number): Expr {
  const { frame, site } = call;
  const literal = call.args[first];
  if (literal === undefined || literal.kind !== 'string') {
    throw frame.problem(
      call.argAt(first),
      `'${call.name}' takes a literal text with {} for values`,
    );
  }
  const pieces = literal.value.split('{}');
  const given = call.args.length - first - 1;
  if (pieces.length - 1 !== given) {
    throw frame.problem(call.at, `the text has ${pieces.length - 1} {} and ${given} values follow`);
  }
  const args = call.args.slice(first + 1).map((arg, offset) => {
    const expr = expression(frame, call.value(first + 1 + offset), arg.at);
    if (printable.has(typeName(expr.type))) return expr;
    throw frame.problem(arg.at, `a ${typeName(expr.type)} cannot be printed`);
  });
  if (args.length === 0) return { op: 'const', type: STRING, site, value: literal.value };
  return { op: 'format', type: STRING, site, pieces, args };
}

const format: Builtin = (call) => value(formatted(call, 0));

const raise =
  (kind: 'reject' | 'fail'): Builtin =>
  (call) => {
    call.statement();
    call.frame.emit({ op: 'raise', site: call.site, kind, message: formatted(call, 0) });
    return NOTHING;
  };

const require: Builtin = (call) => {
  call.statement();
  const { frame, site } = call;
  const given = call.value(0);
  const condition = coerce(frame, given, BOOL, {
    at: call.argAt(0),
    what: "the condition of 'require'",
  });
  const failing = frame.capture(() => {
    frame.emit({ op: 'raise', site, kind: 'fail', message: formatted(call, 1) });
  });
  const cond: Expr = { op: 'not', type: BOOL, site, value: condition };
  frame.emit({ op: 'if', site, cond, then: failing.block(), otherwise: null });
  return NOTHING;
};

const newBuffer: Builtin = (call) => {
  call.counts(1);
  return heap(call, 'buffer.new', BUFFER, [call.wide(0)]);
};

export const hostBuiltins: ReadonlyMap<string, Builtin> = new Map<string, Builtin>([
  ['list', list],
  ['cell', cell],
  ['seal', seal],
  ['open', open],
  ['format', format],
  ['reject', raise('reject')],
  ['fail', raise('fail')],
  ['require', require],
  ['buffer.new', newBuffer],
]);
