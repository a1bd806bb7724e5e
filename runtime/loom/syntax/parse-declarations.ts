/**
 * Declarations and the head of a file. An error ends its declaration; reading goes on with the next
 * line that begins one, and the body behind a broken head is still read for its own errors.
 */

import type { Decl, Field, Module, Param, ParamMode, TemplateParam, Use } from '../tree.js';
import { ParseFailure } from './cursor.js';
import type { Cursor } from './cursor.js';
import { parseArguments } from './parse-expressions.js';
import { parseBlock, skipBlock } from './parse-statements.js';
import { checkCount, parseResults, parseTemplateParams, parseType } from './parse-types.js';
import { declarationHeads, paramModes } from './words.js';

/** What every declaration has. */
type Common = Pick<Decl, 'at' | 'doc' | 'exported' | 'name' | 'template'>;

/** The whole file. Every round of the loop moves past a line at least. */
export function parseModule(c: Cursor): Module {
  let library = '';
  const uses: Use[] = [];
  const decls: Decl[] = [];
  c.skipNewlines();
  const { at } = c;
  if (c.is('library')) recovering(c, () => void (library = parseLibrary(c)));
  for (;;) {
    c.skipNewlines();
    if (c.kind === 'end') return { kind: 'module', at, library, uses, decls };
    recovering(c, () => {
      if (headAt(c, c.index) === null && c.is('use')) uses.push(parseUse(c, decls.length > 0));
      else decls.push(parseDecl(c));
    });
  }
}

/** Runs `parse` for one line of the top level; what fails is reported and skipped. */
function recovering(c: Cursor, parse: () => void): void {
  const start = c.index;
  try {
    parse();
    if (c.kind !== 'newline' && c.kind !== 'end') c.expected('the end of the line');
  } catch (error) {
    if (!(error instanceof ParseFailure)) throw error;
    recover(c, start);
  }
}

/** To the next line that begins a declaration; blocks behind the error are read on the way. */
function recover(c: Cursor, start: number): void {
  const failed = c.index;
  const head = headAt(c, start);
  const hasBlock = head !== null && blockHeads.has(head);
  const { kind, text } = c.tokens;
  let index = start;
  while (kind[index] !== 'end') {
    if (kind[index] === 'newline') {
      if (headAt(c, index + 1) !== null || text[index + 1] === 'use') break;
    } else if (text[index] === '{' && index >= failed && hasBlock) {
      c.reset(index, 0);
      skipBlock(c);
    }
    index = c.after(index);
  }
  c.reset(index, 0);
}

/** Declarations whose braces hold statements. */
const blockHeads = new Set(['func.def', 'kernel.def', 'command.def', 'check.def', 'template.def']);

/** `kernel.def` and the like at a token, else null. */
function headAt(c: Cursor, index: number): string | null {
  const { text } = c.tokens;
  if (text[index + 1] !== '.') return null;
  const head = `${text[index]}.${text[index + 2]}`;
  return declarationHeads.has(head) ? head : null;
}

function parseLibrary(c: Cursor): string {
  c.index += 1;
  return c.path('the name of the library');
}

function parseUse(c: Cursor, isLate: boolean): Use {
  const { at } = c;
  if (isLate) c.fail('`use` stands before the declarations');
  c.index += 1;
  const path = c.path('the name of a library');
  if (!c.accept('{')) return { kind: 'use', at, path, names: null };
  const names: string[] = [];
  c.skipNewlines();
  while (!c.is('}')) {
    names.push(c.name('a name'));
    c.accept(',');
    c.skipNewlines();
  }
  if (names.length === 0) c.fail('name what is used, or leave the braces away');
  c.index += 1;
  return { kind: 'use', at, path, names };
}

/** `template.def` and documentation may come in either order; both belong to what follows. */
function parseDecl(c: Cursor): Decl {
  const docs: string[] = [];
  const keepDoc = () => {
    const doc = c.tokens.docs.get(c.index);
    if (doc !== undefined) docs.push(doc);
  };
  keepDoc();
  let template: readonly TemplateParam[] = [];
  if (headAt(c, c.index) === 'template.def') {
    c.index += 3;
    template = parseTemplateParams(c);
    c.skipNewlines();
    keepDoc();
  }
  const head = headAt(c, c.index);
  if (head === null) {
    const hint = 'declarations begin with words like `func.def`, `kernel.def` or `config.decl`';
    if (c.is('library')) c.fail('`library` is the first line of a file');
    return c.expected('a declaration', hint);
  }
  if (head === 'template.def') c.fail('one `template.def` stands before a declaration');
  c.index += 3;
  const exported = c.accept('export');
  if (exported && (head === 'config.decl' || head === 'check.def')) {
    c.fail(`\`${head}\` is not exported`, { index: c.index - 1 });
  }
  const module = head === 'func.decl' ? parseImport(c) : '';
  const { at } = c;
  const name = c.name('the name of the declaration');
  const common = { at, doc: docs.join('\n'), exported, name, template };
  return parseRest(c, head, { common, module });
}

/** `import("module")`. */
function parseImport(c: Cursor): string {
  c.expect('import', '`func.decl import("module") name(…)` declares what a module offers');
  c.expect('(');
  if (c.kind !== 'string') c.expected('the name of a module in quotes');
  const module = c.text.slice(1);
  c.index += 1;
  c.expect(')');
  return module;
}

/** What follows the name: the part in which the kinds differ. */
function parseRest(c: Cursor, head: string, start: { common: Common; module: string }): Decl {
  const { common, module } = start;
  switch (head) {
    case 'config.decl': {
      c.expect(':', 'a configuration has a type: `config.decl rows : i64 = 4`');
      const type = parseType(c);
      c.expect('=', 'a configuration has a default');
      return { kind: 'config', ...common, type, value: c.expression(c) };
    }
    case 'const.def': {
      const type = c.accept(':') ? parseType(c) : null;
      c.expect('=');
      return { kind: 'const', ...common, type, value: c.expression(c) };
    }
    case 'record.def':
      return { kind: 'record', ...common, fields: parseFields(c) };
    case 'layout.def':
      return { kind: 'layout', ...common, fields: parseFields(c) };
    case 'bank.def':
      return { kind: 'bank', ...common, fields: parseFields(c) };
    case 'func.decl': {
      const params = parseParams(c, false);
      return { kind: 'import', ...common, module, params, results: parseResults(c) };
    }
    case 'func.def': {
      const params = parseParams(c, false);
      return { kind: 'func', ...common, params, results: parseResults(c), body: parseBlock(c) };
    }
    case 'kernel.def':
      return parseKernel(c, common);
    case 'command.def': {
      const params = parseParams(c, true);
      return { kind: 'command', ...common, params, body: parseBlock(c) };
    }
    default:
      return { kind: 'check', ...common, body: parseBlock(c) };
  }
}

function parseKernel(c: Cursor, common: Common): Decl {
  const params = parseParams(c, false);
  c.expect('workgroup', 'a kernel says its lanes: `workgroup(64)`');
  c.expect('(');
  const lanes = c.nested(() => c.expression(c));
  c.expect(')');
  // Only a kernel that is a stage by itself says its grid; else the dispatch does.
  const { index } = c;
  const grid = c.accept('grid') ? parseArguments(c) : [];
  if (c.index > index && (grid.length < 1 || grid.length > 3)) {
    c.fail('a grid has 1 to 3 extents', { index });
  }
  return { kind: 'kernel', ...common, params, lanes, grid, body: parseBlock(c) };
}

/** `{ name: type, … }`; fields end with commas, semicolons or lines. */
function parseFields(c: Cursor): Field[] {
  const fields: Field[] = [];
  c.expect('{');
  c.skipNewlines();
  while (!c.is('}')) {
    const start = c.index;
    try {
      fields.push(parseField(c));
    } catch (error) {
      if (!(error instanceof ParseFailure)) throw error;
      skipField(c, start);
    }
    c.accept(',');
    c.skipNewlines();
  }
  c.index += 1;
  return fields;
}

/** A field with what must follow it, so that a mistake is found before the next field. */
function parseField(c: Cursor): Field {
  const { at } = c;
  const name = c.name('the name of a field');
  c.expect(':', 'a field is `name: type`');
  const type = parseType(c);
  if (!c.is(',') && !c.atStatementEnd) c.expected("',' or the end of the line");
  return { kind: 'field', at, name, type };
}

/** To the end of a broken field, over brackets. */
function skipField(c: Cursor, start: number): void {
  c.reset(start, 0);
  while (!c.is(',') && !c.atStatementEnd) c.index = c.after(c.index);
}

function parseParams(c: Cursor, isCommand: boolean): Param[] {
  const params: Param[] = [];
  c.expect('(');
  while (!c.is(')')) {
    const { at, index } = c;
    const name = c.name('the name of a parameter');
    c.expect(':', 'a parameter is `name: type`');
    params.push(isCommand ? commandParam(c, at, name) : plainParam(c, at, name));
    checkCount(c, { what: 'parameters', count: params.length, index });
    if (!c.accept(',')) break;
  }
  if (!c.is(')')) c.expected("',' or ')'");
  c.index += 1;
  return params;
}

/** `in view<f32>` or a type. An access word with no type behind it is the type. */
function plainParam(c: Cursor, at: number, name: string): Param {
  let mode: ParamMode = '';
  if (paramModes.has(c.text) && c.peekKind() === 'name') {
    mode = c.text as ParamMode;
    c.index += 1;
  }
  return { kind: 'param', at, name, mode, type: c.nested(() => parseType(c)) };
}

function commandParam(c: Cursor, at: number, name: string): Param {
  if (c.accept('root')) return { kind: 'param', at, name, mode: 'root', type: null };
  c.expect('param', 'a command takes `name: root` and `name: param Bank`');
  return { kind: 'param', at, name, mode: 'param', type: c.nested(() => parseType(c)) };
}
