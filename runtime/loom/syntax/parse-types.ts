/**
 * Types and template arguments. `T<…>` in a type always has arguments; in an argument list a token
 * or two of lookahead tell a type from a constant, so nothing is parsed twice.
 */

import type { Expr, TemplateArg, TemplateParam, TypeExpr } from '../tree.js';
import type { Cursor } from './cursor.js';
import { syntaxLimits } from './limits.js';
import { builtinTypes } from './words.js';

export function parseType(c: Cursor): TypeExpr {
  const { at } = c;
  let type: TypeExpr;
  if (c.is('func')) type = parseFuncType(c);
  else {
    const name = c.path('a type');
    const args = c.is('<') ? parseTemplateArgs(c) : noArgs(c);
    c.grow(c.height);
    type = { kind: 'namedType', at, name, args };
  }
  while (c.is('[')) {
    const { height } = c;
    c.index += 1;
    const count: Expr = c.nested(() => c.expression(c));
    c.expect(']');
    c.grow(Math.max(height, c.height));
    type = { kind: 'arrayType', at, elem: type, count };
  }
  return type;
}

function noArgs(c: Cursor): TemplateArg[] {
  c.height = 0;
  return [];
}

function parseFuncType(c: Cursor): TypeExpr {
  const { at } = c;
  c.index += 1;
  const params = c.nested(() => parseTypeList(c));
  let { height } = c;
  const results = c.nested(() => parseResults(c));
  height = Math.max(height, c.height);
  c.grow(height);
  return { kind: 'funcType', at, params, results };
}

/** `(t, u)`. Leaves the levels of the highest in `height`. */
function parseTypeList(c: Cursor): TypeExpr[] {
  const types: TypeExpr[] = [];
  let height = 0;
  c.expect('(');
  while (!c.is(')')) {
    types.push(parseType(c));
    height = Math.max(height, c.height);
    if (!c.accept(',')) break;
  }
  c.expect(')');
  c.height = height;
  return types;
}

/** `-> t`, `-> (t, u)` or nothing. */
export function checkCount(
  c: Cursor,
  { what, count, index }: { what: string; count: number; index: number },
): void {
  const limit = syntaxLimits.parameters;
  if (count <= limit) return;
  c.fail(`${count} ${what}; the limit is ${limit}`, { index, hint: 'use a record or a buffer' });
}

export function parseResults(c: Cursor): TypeExpr[] {
  c.height = 0;
  if (!c.accept('->')) return [];
  if (!c.is('(')) return [parseType(c)];
  const at = c.index;
  const types = parseTypeList(c);
  if (types.length === 0) {
    c.fail('a result list is not empty', { index: at, hint: 'leave `-> ()` away' });
  }
  checkCount(c, { what: 'results', count: types.length, index: at });
  return types;
}

/** `<a, b>`, at the `<`. */
export function parseTemplateArgs(c: Cursor): TemplateArg[] {
  c.expect('<');
  let height = 0;
  const args: TemplateArg[] = [];
  do {
    args.push(c.nested(() => (startsType(c) ? parseType(c) : c.expression(c)), true));
    height = Math.max(height, c.height);
  } while (c.accept(','));
  c.expect('>', 'comparisons and `>>` in template arguments need parentheses');
  c.height = height;
  return args;
}

/** Whether the argument at hand is a type: `func(…)`, `T<…>`, `T[…]` or a built-in name. */
function startsType(c: Cursor): boolean {
  if (c.is('func')) return true;
  if (!c.isName()) return false;
  const { text } = c.tokens;
  let end = c.index + 1;
  let path = c.text;
  while (text[end] === '.') {
    path += `.${text[end + 1]}`;
    end += 2;
  }
  const isBare = text[end] !== '<' && text[end] !== '[';
  if (text[end] === '<') {
    const close = c.angleEnd(end);
    if (close < 0) return false;
    end = close + 1;
  }
  while (text[end] === '[') end = c.after(end);
  const isWhole = text[end] === ',' || text[end] === '>';
  return isWhole && (!isBare || builtinTypes.has(path));
}

/** `N: i64, T: f32 | f32x4` between `<` and `>`. */
export function parseTemplateParams(c: Cursor): TemplateParam[] {
  c.expect('<');
  const params: TemplateParam[] = [];
  do {
    const { at } = c;
    const name = c.name('the name of a template parameter');
    c.expect(':', 'a template parameter is like `N: i64` or `T: f32 | f32x4`');
    const constraint = [c.nested(() => parseType(c), true)];
    while (c.accept('|')) constraint.push(c.nested(() => parseType(c), true));
    params.push({ kind: 'templateParam', at, name, constraint });
  } while (c.accept(','));
  c.expect('>');
  return params;
}
