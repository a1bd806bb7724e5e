/**
 * Trees as short S-expressions, for expectations that a reader can check by eye. Independent of the
 * printer: no precedence, no parentheses to save, every node shown.
 */
import type {
  Block,
  Decl,
  Expr,
  Module,
  Stmt,
  TemplateArg,
  TypeExpr,
} from '../../../../runtime/loom/tree.js';
import { parse } from '../../../../runtime/loom/syntax/parse.js';

const join = (...parts: string[]): string => `(${parts.filter((part) => part !== '').join(' ')})`;
const list = (parts: readonly string[]): string => `[${parts.join(' ')}]`;
const generic = (args: readonly TemplateArg[]): string =>
  args.length === 0 ? '' : `<${args.map(outlineArg).join(' ')}>`;

const outlineArg = (arg: TemplateArg): string =>
  arg.kind === 'namedType' || arg.kind === 'arrayType' || arg.kind === 'funcType'
    ? outlineType(arg)
    : outline(arg);

/** Types carry a `:`, so that a type never looks like an expression. */
export function outlineType(type: TypeExpr): string {
  switch (type.kind) {
    case 'namedType':
      return `:${type.name}${generic(type.args)}`;
    case 'arrayType':
      return join('of', outline(type.count), outlineType(type.elem));
    case 'funcType':
      return join('func', list(type.params.map(outlineType)), list(type.results.map(outlineType)));
  }
}

export function outline(e: Expr): string {
  switch (e.kind) {
    case 'int':
      return e.value + (e.unsigned ? 'u' : '') + (e.hex ? 'h' : '');
    case 'float':
      return e.value;
    case 'string':
      return JSON.stringify(e.value);
    case 'bool':
      return `#${e.value}`;
    case 'name':
      return e.name;
    case 'symbol':
      return `@${e.name}${generic(e.args)}`;
    case 'unary':
      return join(e.op, outline(e.value));
    case 'binary':
      return join(e.op, outline(e.left), outline(e.right));
    case 'call':
      return join('call', outline(e.callee) + generic(e.typeArgs), ...e.args.map(outline));
    case 'array':
      return join('array', outlineType(e.type), ...e.args.map(outline));
    case 'index':
      return join('at', outline(e.base), outline(e.index));
    case 'member':
      return join('dot', outline(e.base), e.name);
    case 'record': {
      const fields = e.fields.map(({ name, value }) => `${name}=${outline(value)}`);
      return join('record', outlineType(e.type), ...fields);
    }
  }
}

export function outlineStmt(stmt: Stmt): string {
  switch (stmt.kind) {
    case 'let':
      return join('let', list(stmt.names), optionalType(stmt.type), outline(stmt.value));
    case 'var': {
      const value = stmt.value === null ? '' : outline(stmt.value);
      return join('var', stmt.name, optionalType(stmt.type), value);
    }
    case 'assign':
      return join(stmt.op, outline(stmt.target), outline(stmt.value));
    case 'if': {
      const otherwise = stmt.otherwise === null ? '' : outlineBlock(stmt.otherwise);
      return join('if', outline(stmt.cond), outlineBlock(stmt.then), otherwise);
    }
    case 'for': {
      const step = stmt.step === null ? '' : `step=${outline(stmt.step)}`;
      const unroll = stmt.unroll ? 'unroll' : '';
      return join('for', outlineRange(stmt), step, unroll, outlineBlock(stmt.body));
    }
    case 'while':
      return join('while', outline(stmt.cond), outlineBlock(stmt.body));
    case 'return':
      return join('return', ...stmt.values.map(outline));
    case 'do':
      return outline(stmt.value);
    case 'parallel':
      return join('parallel', outlineRange(stmt), outlineBlock(stmt.body));
    case 'once':
      return join('once', outlineBlock(stmt.body));
    case 'shared':
    case 'private':
      return join(stmt.kind, stmt.name, outlineType(stmt.type));
    case 'workspace': {
      const flags = [stmt.zero ? 'zero' : '', stmt.invocation ? 'invocation' : ''];
      return join('workspace', ...flags, stmt.name, outlineType(stmt.type));
    }
    case 'dispatch': {
      const grid = `${stmt.indirect ? 'indirect' : 'grid'}=${list(stmt.grid.map(outline))}`;
      return join('dispatch', outline(stmt.kernel), ...stmt.args.map(outline), grid);
    }
    default:
      return join(stmt.kind);
  }
}

const optionalType = (type: TypeExpr | null): string => (type === null ? '' : outlineType(type));
const outlineRange = (range: { name: string; from: Expr; to: Expr }): string =>
  `${range.name}=${outline(range.from)}..${outline(range.to)}`;
export const outlineBlock = (block: Block): string => `{${block.stmts.map(outlineStmt).join(' ')}}`;

/** Parses text that must be right. */
export function parseModule(text: string): Module {
  const { module, diagnostics } = parse({ file: 'test.loom', text });
  if (diagnostics.length > 0) throw new Error(`unexpected: ${JSON.stringify(diagnostics[0])}`);
  return module;
}

export const parseDecl = (text: string): Decl => parseModule(text).decls[0]!;

export function outlineOf(expression: string): string {
  const decl = parseDecl(`const.def value = ${expression}`);
  if (decl.kind !== 'const') throw new Error('expected a constant');
  return outline(decl.value);
}

/** The statements of a function body, outlined. */
export function outlineBody(body: string): string {
  const decl = parseDecl(`func.def f() {\n${body}\n}`);
  if (decl.kind !== 'func') throw new Error('expected a function');
  return decl.body.stmts.map(outlineStmt).join(' ');
}

/** `line:column message` of every diagnostic of a text. */
export function complaints(text: string): string[] {
  return parse({ file: 'test.loom', text }).diagnostics.map(
    ({ at, message }) => `${Math.floor(at / 4096)}:${at % 4096} ${message}`,
  );
}
