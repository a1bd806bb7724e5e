/**
 * Blocks and statements, with recovery: an error ends its statement, the rest of the block is still
 * read. Words like `shared`, `dispatch` or `part` are keywords only where their form follows.
 */

import type { Block, Expr, Stmt } from '../tree.js';
import { ParseFailure } from './cursor.js';
import type { Cursor } from './cursor.js';
import { syntaxLimits } from './limits.js';
import { assignOps } from './operators.js';
import { parseArguments, parseExpression, parseSymbolName } from './parse-expressions.js';
import { parseType } from './parse-types.js';

/** `{ … }`. Brackets balance, so the closing brace is always found. */
export function parseBlock(c: Cursor): Block {
  const { at, blockDepth } = c;
  c.expect('{');
  const limit = syntaxLimits.nesting;
  if (blockDepth >= limit) c.fail(`blocks nest deeper than ${limit} levels`);
  c.blockDepth += 1;
  const stmts: Stmt[] = [];
  for (;;) {
    c.skipNewlines();
    if (c.is('}') || c.kind === 'end') break;
    const stmt = parseRecovering(c);
    if (stmt !== null) stmts.push(stmt);
  }
  c.expect('}');
  c.blockDepth = blockDepth;
  return { kind: 'block', at, stmts };
}

/** One statement and what must follow it; null if it was reported and skipped. */
function parseRecovering(c: Cursor): Stmt | null {
  const start = c.index;
  const { blockDepth } = c;
  try {
    const stmt = parseStatement(c);
    if (!c.atStatementEnd) {
      const hint = 'a statement ends with its line; a line goes on after an operator or a comma';
      c.expected("the end of the line or ';'", hint);
    }
    return stmt;
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    recover(c, start, blockDepth);
    return null;
  }
}

/**
 * To the end of the statement that began at `start`. Brackets balance, so it is found by jumping
 * over them; a block that lies behind the error is read for its own errors.
 */
function recover(c: Cursor, start: number, blockDepth: number): void {
  const failed = c.index;
  const { text, kind } = c.tokens;
  let index = start;
  while (kind[index] !== 'end' && text[index] !== '}') {
    // No statement begins with a brace: such a line is the block that was missed.
    if (kind[index] === 'newline' && text[index + 1] !== '{') break;
    if (text[index] === '{' && index >= failed && opensBlock(c, index)) {
      c.reset(index, blockDepth);
      skipBlock(c);
    }
    index = c.after(index);
  }
  c.reset(index, blockDepth);
}

/** Reads a block that belongs to no statement, for its diagnostics. */
export function skipBlock(c: Cursor): void {
  try {
    parseBlock(c);
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
  }
}

/** Not `{ name: …`, which is a record literal. */
const opensBlock = (c: Cursor, index: number): boolean =>
  !(c.tokens.kind[index + 1] === 'name' && c.tokens.text[index + 2] === ':');

function parseStatement(c: Cursor): Stmt {
  const { at } = c;
  switch (c.text) {
    case 'let':
      return parseLet(c);
    case 'var':
      return parseVar(c);
    case 'if':
      return parseIf(c);
    case 'for':
      return parseFor(c);
    case 'while':
      c.index += 1;
      return { kind: 'while', at, cond: parseHead(c), body: parseBlock(c) };
    case 'break':
      c.index += 1;
      return { kind: 'break', at };
    case 'continue':
      c.index += 1;
      return { kind: 'continue', at };
    case 'return':
      c.index += 1;
      return { kind: 'return', at, values: parseReturned(c) };
    default:
      return parseDeviceStatement(c) ?? parseSimple(c);
  }
}

/** Statements whose keyword is an ordinary name elsewhere. */
function parseDeviceStatement(c: Cursor): Stmt | null {
  const { at, text } = c;
  if (c.kind !== 'name') return null;
  if (text === 'part') {
    if (c.peekKind() !== 'newline' && c.peekKind() !== 'end' && c.peekText() !== '}') return null;
    c.index += 1;
    return { kind: 'part', at };
  }
  if (text === 'once' && c.peekText() === '{') {
    c.index += 1;
    return { kind: 'once', at, body: parseBlock(c) };
  }
  if (!c.isName(1)) return null;
  switch (text) {
    case 'parallel':
      return parseParallel(c);
    case 'shared':
    case 'private': {
      c.index += 1;
      const name = c.name('a name');
      return { kind: text, at, name, type: parseTyped(c) };
    }
    case 'workspace':
      return parseWorkspace(c);
    case 'dispatch':
      return parseDispatch(c);
    default:
      return null;
  }
}

/** `: type` of a declaration of storage. */
function parseTyped(c: Cursor) {
  c.expect(':', 'the type follows: `name : f32[64]`');
  return parseType(c);
}

/** An expression before a block: `{` does not open a record literal here. */
function parseHead(c: Cursor): Expr {
  c.inHead = true;
  const value = parseExpression(c);
  c.inHead = false;
  return value;
}

/** `let a = e`, `let a : t = e`, `let (a, b) = e`. */
function parseLet(c: Cursor): Stmt {
  const { at } = c;
  c.index += 1;
  const names: string[] = [];
  let type = null;
  if (c.accept('(')) {
    do names.push(c.name('a name'));
    while (c.accept(','));
    c.expect(')');
  } else {
    names.push(c.name('a name'));
    if (c.accept(':')) type = parseType(c);
  }
  c.expect('=', 'a `let` has a value; use `var` to give it later');
  return { kind: 'let', at, names, type, value: parseExpression(c) };
}

function parseVar(c: Cursor): Stmt {
  const { at } = c;
  c.index += 1;
  const name = c.name('a name');
  const type = c.accept(':') ? parseType(c) : null;
  if (type === null && !c.is('=')) c.expected("':' or '='", 'a `var` has a type or a value');
  const value = c.accept('=') ? parseExpression(c) : null;
  return { kind: 'var', at, name, type, value };
}

function parseIf(c: Cursor): Stmt {
  const { at } = c;
  c.index += 1;
  const cond = parseHead(c);
  const then = parseBlock(c);
  // `else` begins no statement, so it may stand on the next line.
  let ahead = 0;
  while (c.peekKind(ahead) === 'newline') ahead += 1;
  if (c.peekText(ahead) !== 'else') return { kind: 'if', at, cond, then, otherwise: null };
  c.index += ahead + 1;
  const otherwise = c.is('if') ? parseElseIf(c) : parseBlock(c);
  return { kind: 'if', at, cond, then, otherwise };
}

/** `else if` is `else { if … }`: a level of blocks like any other. */
function parseElseIf(c: Cursor): Block {
  const { at } = c;
  const limit = syntaxLimits.nesting;
  if (c.blockDepth >= limit) c.fail(`blocks nest deeper than ${limit} levels`);
  c.blockDepth += 1;
  const stmt = parseIf(c);
  c.blockDepth -= 1;
  return { kind: 'block', at, stmts: [stmt] };
}

/** `i in first..end`. */
function parseRange(c: Cursor): { name: string; from: Expr; to: Expr } {
  const name = c.name('the name of the counter');
  c.expect('in');
  const from = parseHead(c);
  c.expect('..', 'a range is `first..end`, without the end');
  return { name, from, to: parseHead(c) };
}

function parseFor(c: Cursor): Stmt {
  const { at } = c;
  c.index += 1;
  const range = parseRange(c);
  const step = c.accept('step') ? parseHead(c) : null;
  const unroll = c.accept('unroll');
  return { kind: 'for', at, ...range, step, unroll, body: parseBlock(c) };
}

function parseParallel(c: Cursor): Stmt {
  const { at } = c;
  c.index += 1;
  return { kind: 'parallel', at, ...parseRange(c), body: parseBlock(c) };
}

/** `return`, `return e`, `return (a, b)`: parentheses around all of it are a tuple. */
function parseReturned(c: Cursor): Expr[] {
  if (c.atStatementEnd) return [];
  const close = c.is('(') ? c.tokens.match[c.index]! : -1;
  const next = c.tokens.kind[close + 1];
  const isTuple =
    close > 0 && (next === 'newline' || next === 'end' || c.tokens.text[close + 1] === '}');
  if (!isTuple) return [parseExpression(c)];
  const start = c.index;
  const values = parseArguments(c);
  if (values.length === 0) c.fail('nothing is returned by a plain `return`', { index: start });
  return values;
}

function parseWorkspace(c: Cursor): Stmt {
  const { at } = c;
  c.index += 1;
  const zero = acceptModifier(c, 'zero');
  const invocation = acceptModifier(c, 'invocation');
  const name = c.name('a name');
  return { kind: 'workspace', at, name, type: parseTyped(c), zero, invocation };
}

/** A modifier is followed by another name; else it is the name itself. */
function acceptModifier(c: Cursor, word: string): boolean {
  return c.is(word) && c.isName(1) && c.accept(word);
}

/** The kernel is named as after `@`: a symbol, with template arguments or without. */
function parseDispatch(c: Cursor): Stmt {
  const { at } = c;
  c.index += 1;
  const kernel = parseSymbolName(c, c.at);
  const args = parseArguments(c);
  // Without a grid the kernel's own one holds.
  if (!c.accept('grid')) return { kind: 'dispatch', at, kernel, args, grid: [], indirect: false };
  const indirect = c.accept('indirect');
  const { index } = c;
  const grid = parseArguments(c);
  if (indirect && grid.length !== 2) {
    c.fail('an indirect grid has a view and an index', { index });
  }
  if (grid.length < 1 || grid.length > 3) c.fail('a grid has 1 to 3 extents', { index });
  return { kind: 'dispatch', at, kernel, args, grid, indirect };
}

/** An assignment or a call: which of them, only the token after the expression tells. */
function parseSimple(c: Cursor): Stmt {
  const { at, index } = c;
  const target = parseExpression(c);
  if (!assignOps.has(c.text)) {
    if (target.kind === 'call') return { kind: 'do', at, value: target };
    if (!c.atStatementEnd) c.expected("the end of the line, '=' or ';'");
    const hint = 'a line goes on only after an operator, a comma or an open bracket';
    return c.fail('an expression on its own does nothing; expected a call', { index, hint });
  }
  if (target.kind !== 'name' && target.kind !== 'index' && target.kind !== 'member') {
    c.fail('this cannot be assigned to', { index });
  }
  const op = c.text as '=' | '+=' | '-=' | '*=';
  c.index += 1;
  return { kind: 'assign', at, target, op, value: parseExpression(c) };
}
