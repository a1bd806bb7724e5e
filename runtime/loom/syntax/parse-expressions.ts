/**
 * Expressions: precedence climbing over unary and postfix forms. `a<b>(…)` is a call with template
 * arguments when the tokens between `<` and a matching `>` can be arguments and `(` follows.
 * Each function leaves the levels of what it returned in `cursor.height`.
 */

import type { ArrayType, BinaryOp, Expr, FieldValue, TemplateArg, UnaryOp } from '../tree.js';
import type { Cursor } from './cursor.js';
import { syntaxLimits } from './limits.js';
import { comparisonPrecedence, precedenceOf } from './operators.js';
import { parseTemplateArgs } from './parse-types.js';

export function parseExpression(c: Cursor): Expr {
  return parseBinary(c, 1);
}

/** The operator at the cursor, `>>` from two touching `>`; '' where none continues. */
function binaryOp(c: Cursor): string {
  const { text } = c;
  if (text !== '>') return text;
  const { start } = c.tokens;
  const isShift = c.peekText() === '>' && start[c.index + 1] === start[c.index]! + 1;
  return isShift ? '>>' : '>';
}

/** Operators at least as strong as `weakest`; the right side takes the stronger ones first. */
function parseBinary(c: Cursor, weakest: number): Expr {
  let left = parseUnary(c);
  for (;;) {
    const op = binaryOp(c);
    const strength = precedenceOf.get(op);
    if (strength === undefined || strength < weakest) return left;
    if (c.inAngles && (strength <= comparisonPrecedence || op === '>>')) return left;
    const { at, height } = c;
    c.index += op === '>>' ? 2 : 1;
    const right = parseBinary(c, strength + 1);
    c.grow(Math.max(height, c.height));
    left = { kind: 'binary', at, op: op as BinaryOp, left, right };
    if (strength === comparisonPrecedence && precedenceOf.get(binaryOp(c)) === strength) {
      const hint = 'write `a < b && b < c`, or put one comparison in parentheses';
      c.fail('comparisons do not chain', { hint });
    }
  }
}

function parseUnary(c: Cursor): Expr {
  const { at, text } = c;
  if (text !== '-' && text !== '!' && text !== '~') return parsePostfix(c);
  c.index += 1;
  // An operand stands where its operator stands: no brackets, so the flags stay.
  const { inAngles, inHead } = c;
  const value = c.nested(() => {
    c.inAngles = inAngles;
    c.inHead = inHead;
    return parseUnary(c);
  });
  c.grow(c.height);
  return { kind: 'unary', at, op: text as UnaryOp, value };
}

function parsePostfix(c: Cursor): Expr {
  let base = parsePrimary(c);
  for (;;) {
    const next = postfix(c, base);
    if (next === null) return base;
    base = next;
  }
}

/** One more postfix form on `base`, or null. */
function postfix(c: Cursor, base: Expr): Expr | null {
  switch (c.text) {
    case '.':
      return parseMember(c, base);
    case '[':
      return parseIndex(c, base);
    case '(':
      return parseCall(c, base, []);
    case '<':
      return parseGeneric(c, base);
    case '{':
      return base.kind === 'name' && !c.inHead ? parseRecord(c, base, []) : null;
    default:
      return null;
  }
}

/** `.name`. Behind a plain name it makes a longer name: resolution decides what is a member. */
function parseMember(c: Cursor, base: Expr): Expr {
  const { height } = c;
  const start = c.index;
  c.index += 1;
  const { at } = c;
  const name = c.name('the name of a member');
  if (base.kind === 'name') {
    const path = `${base.name}.${name}`;
    c.checkPath(path, start);
    return { ...base, name: path };
  }
  c.grow(height);
  return { kind: 'member', at, base, name };
}

function parseIndex(c: Cursor, base: Expr): Expr {
  const { at, height } = c;
  c.index += 1;
  const index = c.nested(() => parseExpression(c));
  c.expect(']');
  c.grow(Math.max(height, c.height));
  return { kind: 'index', at, base, index };
}

/** `(…)` behind a name, a method or what turns out to be an array type. */
function parseCall(c: Cursor, callee: Expr, typeArgs: readonly TemplateArg[]): Expr {
  const { height, index } = c;
  const type = callee.kind === 'index' ? arrayTypeOf(callee) : null;
  if (type === null && callee.kind !== 'name' && callee.kind !== 'member') {
    const hint = 'only functions by name, methods and array types like `i32[4](…)` are called';
    c.fail('this cannot be called', { index, hint });
  }
  const args = parseArguments(c);
  c.grow(Math.max(height, c.height));
  if (type !== null) return { kind: 'array', at: type.at, type, args };
  return { kind: 'call', at: callee.at, callee, typeArgs, args };
}

/** `i32[4][2]` was read as indexing of a name; before `(` it is an array type. */
function arrayTypeOf(base: Expr): ArrayType | null {
  if (base.kind !== 'index') return null;
  const { base: inner, index: count } = base;
  if (inner.kind === 'name') {
    const { at, name } = inner;
    return { kind: 'arrayType', at, elem: { kind: 'namedType', at, name, args: [] }, count };
  }
  const elem = arrayTypeOf(inner);
  return elem === null ? null : { kind: 'arrayType', at: elem.at, elem, count };
}

/** `(a, b)`, at the parenthesis. Leaves the levels of the highest in `height`. */
export function parseArguments(c: Cursor): Expr[] {
  c.expect('(');
  const args: Expr[] = [];
  let height = 0;
  while (!c.is(')')) {
    args.push(c.nested(() => parseExpression(c)));
    height = Math.max(height, c.height);
    if (!c.accept(',')) break;
  }
  if (!c.is(')')) c.expected("',' or ')'");
  c.index += 1;
  c.height = height;
  return args;
}

/** `<…>(…)` or `<…> { … }`; null where `<` compares. */
function parseGeneric(c: Cursor, base: Expr): Expr | null {
  if (base.kind !== 'name' && base.kind !== 'member') return null;
  const close = c.angleEnd(c.index);
  const follower = close < 0 ? '' : c.tokens.text[close + 1];
  const isRecord = follower === '{' && base.kind === 'name' && !c.inHead;
  if (follower !== '(' && !isRecord) return null;
  const { height } = c;
  const args = parseTemplateArgs(c);
  c.height = Math.max(height, c.height);
  if (isRecord && base.kind === 'name') return parseRecord(c, base, args);
  return parseCall(c, base, args);
}

/** `Cold { dim: 4, rows: n }`, at the brace; fields end with commas or lines. */
function parseRecord(
  c: Cursor,
  base: Extract<Expr, { kind: 'name' }>,
  args: readonly TemplateArg[],
): Expr {
  // The type is one level; its arguments are below it.
  let height = args.length > 0 ? c.height + 1 : 1;
  const fields: FieldValue[] = [];
  c.index += 1;
  c.skipNewlines();
  while (!c.is('}')) {
    const { at } = c;
    const name = c.name('the name of a field');
    c.expect(':');
    const value = c.nested(() => parseExpression(c));
    height = Math.max(height, c.height);
    fields.push({ kind: 'fieldValue', at, name, value });
    if (!c.is(',') && c.kind !== 'newline' && !c.is('}')) c.expected("',' or '}'");
    c.accept(',');
    c.skipNewlines();
  }
  c.index += 1;
  c.grow(height);
  const { at, name } = base;
  return { kind: 'record', at, type: { kind: 'namedType', at, name, args }, fields };
}

/** What everything else is built on. */
function parsePrimary(c: Cursor): Expr {
  const { at, text } = c;
  c.height = 1;
  switch (c.kind) {
    case 'int':
      c.index += 1;
      return intOf(c, at, text);
    case 'float':
      c.index += 1;
      return { kind: 'float', at, value: text };
    case 'string':
      c.index += 1;
      return { kind: 'string', at, value: text.slice(1) };
    case 'name':
      return parseName(c);
    default:
      break;
  }
  if (text === '(') {
    c.index += 1;
    const value = c.nested(() => parseExpression(c));
    c.expect(')', c.is(',') ? 'tuples exist only in `return` and `let`' : undefined);
    return value;
  }
  if (text === '@') return parseSymbol(c);
  return missing(c);
}

/** An operator that ends its line is where something is missing, not the line that follows. */
function missing(c: Cursor): never {
  const { text, start } = c.tokens;
  const last = c.index - 1;
  const before = text[last] ?? '';
  const isOperator = c.peekKind(-1) === 'punct' && !brackets.has(before);
  if (!isOperator || !c.startsLine) return c.expected('an expression');
  const isShift = before === '>' && text[last - 1] === '>' && start[last - 1]! + 1 === start[last];
  const shown = isShift ? '>>' : before;
  const index = isShift ? last - 1 : last;
  return c.fail(`expected an expression after '${shown}', found ${c.describe()}`, { index });
}

const brackets: ReadonlySet<string> = new Set(['(', '[', '{', ')', ']', '}', '.', '@']);

function parseName(c: Cursor): Expr {
  const { at, text } = c;
  if (text === 'true' || text === 'false') {
    c.index += 1;
    return { kind: 'bool', at, value: text === 'true' };
  }
  const name = c.path('an expression');
  c.height = 1;
  return { kind: 'name', at, name };
}

/** The canonical digits of a literal. Short decimal ones, nearly all, are canonical already. */
function intOf(c: Cursor, at: number, text: string): Expr {
  const unsigned = text.endsWith('u');
  const digits = unsigned ? text.slice(0, -1) : text;
  const hex = digits.startsWith('0x') || digits.startsWith('0X');
  const plain = !hex && digits.length < 16 && (digits[0] !== '0' || digits.length === 1);
  if (plain && !unsigned) return { kind: 'int', at, value: digits, unsigned, hex };
  const value = BigInt(digits);
  const max = unsigned ? syntaxLimits.u32Max : syntaxLimits.intMax;
  if (value > max) c.fail(`${text} is too large; the limit is ${max}`, { index: c.index - 1 });
  return { kind: 'int', at, value: value.toString(), unsigned, hex };
}

function parseSymbol(c: Cursor): Expr {
  const { at } = c;
  c.index += 1;
  return parseSymbolName(c, at);
}

/** `name` or `name<args>`: after `@`, or the kernel of a `dispatch`. */
export function parseSymbolName(c: Cursor, at: number): Extract<Expr, { kind: 'symbol' }> {
  const name = c.path('the name of a function, kernel, command or policy');
  c.height = 0;
  const args = c.is('<') ? parseTemplateArgs(c) : [];
  c.grow(c.height);
  return { kind: 'symbol', at, name, args };
}
