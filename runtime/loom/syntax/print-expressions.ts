/**
 * Expressions and types as text, with the fewest parentheses that read back as the same tree.
 * `flat` gives one line. `layout` breaks what is too wide: argument lists one item a line, chains
 * of operators after the operator. The line breaks never change how the text reads back.
 */

import type { BinaryOp, Expr, TemplateArg, TypeExpr } from '../tree.js';
import { quote } from './lex-string.js';
import { comparisonPrecedence, precedence, unaryPrecedence } from './operators.js';

export const lineWidth = 100;

/** Where an expression stands, as far as that asks for parentheses. */
export type Surroundings = 'plain' | 'list' | 'angles';

type Binary = Extract<Expr, { kind: 'binary' }>;

export interface Room {
  /** Indentation of the line, in columns. */
  readonly indent: number;
  /** Columns already used on the line. */
  readonly column: number;
  /** Columns that must stay free behind. */
  readonly tail: number;
}

/** One line, whatever its length. */
export function flat(e: Expr, around: Surroundings = 'plain'): string {
  return operand(e, { weakest: 0, around });
}

/** The head of `if`, `for`…: a record literal there would be taken for the block. */
export function layoutHead(e: Expr, room: Room): string {
  if (!exposesRecord(e)) return layout(e, room);
  return `(${layout(e, { ...room, column: room.column + 1, tail: room.tail + 1 })})`;
}

export function layout(e: Expr, room: Room, around: Surroundings = 'plain'): string {
  const line = flat(e, around);
  if (room.column + line.length + room.tail <= lineWidth) return line;
  if (needsParens(e, around)) {
    return `(${layout(e, { ...room, column: room.column + 1, tail: room.tail + 1 })})`;
  }
  switch (e.kind) {
    case 'call':
      return callHead(e.callee, e.typeArgs) + layoutList(e.args, room.indent);
    case 'array':
      return printType(e.type) + layoutList(e.args, room.indent);
    case 'record':
      return layoutRecord(e, room.indent);
    case 'binary':
      return layoutChain(e, room, around);
    default:
      return line;
  }
}

/** `(`, the items one a line, `)`. */
export function layoutList(items: readonly Expr[], indent: number): string {
  if (items.length === 0) return '()';
  const inner = { indent: indent + 2, column: indent + 2, tail: 1 };
  const lines = items.map((item) => ' '.repeat(indent + 2) + layout(item, inner, 'list'));
  return `(\n${lines.join(',\n')}\n${' '.repeat(indent)})`;
}

export const flatList = (items: readonly Expr[]): string =>
  `(${items.map((item) => flat(item, 'list')).join(', ')})`;

function layoutRecord(e: Extract<Expr, { kind: 'record' }>, indent: number): string {
  const lines = e.fields.map((field) => {
    const start = `${' '.repeat(indent + 2)}${field.name}: `;
    return start + layout(field.value, { indent: indent + 2, column: start.length, tail: 1 });
  });
  return `${printType(e.type)} {\n${lines.join(',\n')}\n${' '.repeat(indent)}}`;
}

/**
 * Operators of one strength, one operand a line. `>` ends a statement with its line: not broken.
 */
function layoutChain(e: Binary, room: Room, around: Surroundings): string {
  const parts: { op: BinaryOp; right: Expr }[] = [];
  const strength = precedence[e.op];
  let left: Expr = e;
  while (left.kind === 'binary' && precedence[left.op] === strength && !needsParens(left, around)) {
    parts.unshift({ op: left.op, right: left.right });
    left = left.left;
    if (strength === comparisonPrecedence) break;
  }
  const inner = { indent: room.indent + 2, column: room.indent + 2, tail: room.tail + 3 };
  const weakest = strength === comparisonPrecedence ? strength + 1 : strength;
  let text = beforeOp(e.op, layoutOperand(left, { weakest, around }, room));
  for (const { op, right } of parts) {
    const breaks = op !== '>' && op !== '>>';
    const gap = breaks ? `\n${' '.repeat(inner.indent)}` : ' ';
    text += ` ${op}${gap}${layoutOperand(right, { weakest: strength + 1, around }, inner)}`;
  }
  return text;
}

interface Place {
  /** An operand that binds more weakly than this needs parentheses. */
  readonly weakest: number;
  readonly around: Surroundings;
}

/** `operand` with line breaks: the same parentheses, or the text would change its meaning. */
function layoutOperand(e: Expr, place: Place, room: Room): string {
  if (strengthOf(e) >= place.weakest && !needsParens(e, place.around)) {
    return layout(e, room, place.around);
  }
  return `(${layout(e, { ...room, column: room.column + 1, tail: room.tail + 1 })})`;
}

/** An operand in one line, in parentheses if it binds too weakly or its place asks for them. */
function operand(e: Expr, place: Place): string {
  const isOpen = strengthOf(e) >= place.weakest && !needsParens(e, place.around);
  return isOpen ? bare(e, place.around) : `(${bare(e, 'plain')})`;
}

function strengthOf(e: Expr): number {
  if (e.kind === 'binary') return precedence[e.op];
  return e.kind === 'unary' ? unaryPrecedence : unaryPrecedence + 1;
}

/**
 * Parentheses that only the place asks for. Between `<` and `>`: comparisons and `>>`, records,
 * and `a[1]`, which would read as a type. In a list: `c > (d)`, because `f(a < b, c > (d))` reads
 * as a call of `a<b, c>`.
 */
function needsParens(e: Expr, around: Surroundings): boolean {
  if (around === 'plain') return false;
  if (e.kind === 'binary') {
    if (around === 'angles') return precedence[e.op] <= comparisonPrecedence || e.op === '>>';
    if (e.op !== '>' && e.op !== '>>') return false;
    return operand(e.right, { weakest: precedence[e.op] + 1, around }).startsWith('(');
  }
  return around === 'angles' && e.kind === 'record';
}

/** Whether a record literal stands outside all brackets of the printed expression. */
function exposesRecord(e: Expr): boolean {
  switch (e.kind) {
    case 'record':
      return true;
    case 'binary':
      return exposesRecord(e.left) || exposesRecord(e.right);
    case 'unary':
      return exposesRecord(e.value);
    case 'call':
      return exposesRecord(e.callee);
    case 'index':
    case 'member':
      return exposesRecord(e.base);
    default:
      return false;
  }
}

/** Without parentheses around the whole. */
function bare(e: Expr, around: Surroundings): string {
  switch (e.kind) {
    case 'int':
      return printInt(e);
    case 'float':
      return e.value;
    case 'string':
      return quote(e.value);
    case 'bool':
      return String(e.value);
    case 'name':
      return e.name;
    case 'symbol':
      return `@${e.name}${printTemplateArgs(e.args)}`;
    case 'unary':
      return e.op + operand(e.value, { weakest: unaryPrecedence, around });
    case 'binary':
      return printBinary(e, around);
    case 'call':
      return callHead(e.callee, e.typeArgs) + flatList(e.args);
    case 'array':
      return printType(e.type) + flatList(e.args);
    case 'index':
      return `${printBase(e.base)}[${flat(e.index)}]`;
    case 'member':
      return `${printBase(e.base)}.${e.name}`;
    case 'record': {
      const fields = e.fields.map((field) => `${field.name}: ${flat(field.value)}`);
      const inner = fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
      return `${printType(e.type)} ${inner}`;
    }
  }
}

function printBinary(e: Binary, around: Surroundings): string {
  const strength = precedence[e.op];
  // Comparisons do not chain, so one inside another needs parentheses on either side.
  const left = strength === comparisonPrecedence ? strength + 1 : strength;
  const right = operand(e.right, { weakest: strength + 1, around });
  return `${beforeOp(e.op, operand(e.left, { weakest: left, around }))} ${e.op} ${right}`;
}

/** `@f < g` would open template arguments. */
const beforeOp = (op: BinaryOp, left: string): string =>
  op === '<' && /@[\w.]+$/.test(left) ? `(${left})` : left;

function printInt(e: Extract<Expr, { kind: 'int' }>): string {
  const digits = e.hex ? `0x${BigInt(e.value).toString(16)}` : e.value;
  return e.unsigned ? `${digits}u` : digits;
}

const callHead = (callee: Expr, typeArgs: readonly TemplateArg[]): string =>
  printBase(callee) + printTemplateArgs(typeArgs);

/** What `.name`, `[index]` or `(…)` is put behind. Numbers get parentheses to be readable. */
function printBase(e: Expr): string {
  switch (e.kind) {
    case 'name':
    case 'call':
    case 'array':
    case 'index':
    case 'member':
    case 'string':
    case 'bool':
      return bare(e, 'plain');
    default:
      return `(${bare(e, 'plain')})`;
  }
}

export function printTemplateArgs(args: readonly TemplateArg[]): string {
  return args.length === 0 ? '' : `<${args.map(printTemplateArg).join(', ')}>`;
}

function printTemplateArg(arg: TemplateArg): string {
  if (arg.kind === 'namedType' || arg.kind === 'arrayType' || arg.kind === 'funcType') {
    return printType(arg);
  }
  const text = flat(arg, 'angles');
  return arg.kind === 'index' ? `(${text})` : text;
}

export function printType(type: TypeExpr): string {
  switch (type.kind) {
    case 'namedType':
      return type.name + printTemplateArgs(type.args);
    case 'arrayType':
      return `${printType(type.elem)}[${flat(type.count)}]`;
    case 'funcType':
      return `func(${type.params.map(printType).join(', ')})${printResults(type.results)}`;
  }
}

export function printResults(results: readonly TypeExpr[]): string {
  if (results.length === 0) return '';
  if (results.length === 1) return ` -> ${printType(results[0]!)}`;
  return ` -> (${results.map(printType).join(', ')})`;
}
