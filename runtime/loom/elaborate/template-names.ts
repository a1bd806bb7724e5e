/**
 * Generic check of template bodies: every name must denote something (a local, a template
 * parameter, a declaration, a built-in), before any instance exists.
 */
import type { Block, CommandDef, Expr, FuncDef, KernelDef, Stmt, TypeExpr } from '../tree.js';
import type { Declaration } from './catalog.js';
import { checkBuiltins } from './check-builtins.js';
import { commandBuiltins } from './command-calls.js';
import { constantFrame } from './declaration-frame.js';
import { deviceBuiltins } from './device-builtins.js';
import { Scope } from './frame.js';
import type { Frame } from './frame.js';
import { hostBuiltins } from './host-builtins.js';
import { intrinsics } from './intrinsics.js';
import { unresolved } from './names.js';
import type { Session } from './session.js';
import { builtinTerms } from './types.js';
import { POISON } from './value.js';

const tables = [intrinsics, hostBuiltins, deviceBuiltins, commandBuiltins, checkBuiltins];
const namespaces: ReadonlySet<string> = new Set([
  'target',
  'workgroup',
  'f32',
  'buffer',
  'list',
  'cell',
  'view',
  'type',
]);

export function checkTemplateNames(session: Session, declaration: Declaration): void {
  const frame = constantFrame(session, declaration.file);
  const decl = declaration.decl as FuncDef | KernelDef | CommandDef;
  for (const param of decl.template) bind(frame, param.name, param.at);
  for (const param of decl.params) {
    bind(frame, param.name, param.at);
    if (param.type !== null) walkType(frame, param.type);
  }
  if (decl.kind === 'func') for (const result of decl.results) walkType(frame, result);
  else if (decl.kind === 'kernel') walkExpr(frame, decl.lanes);
  walkBlock(frame, decl.body);
}

function bind(frame: Frame, name: string, at: number): void {
  frame.scope.set(name, { value: POISON, at, variable: true, region: null });
}

function check(frame: Frame, path: string, at: number): void {
  const first = path.split('.')[0] as string;
  if (frame.scope.find(first) !== null || namespaces.has(first)) return;
  if (frame.session.catalog.lookup(frame.file, path) !== null || builtinTerms.has(path)) return;
  if (tables.some((table) => table.has(path))) return;
  frame.session.record(unresolved(frame, path, at));
}

function walkBlock(frame: Frame, block: Block): void {
  const outer = frame.scope;
  frame.scope = new Scope(outer);
  for (const stmt of block.stmts) walkStmt(frame, stmt);
  frame.scope = outer;
}

function walkStmt(frame: Frame, stmt: Stmt): void {
  // Operands first: a name is bound after its own value.
  for (const [key, part] of Object.entries(stmt) as [string, unknown][]) {
    if (key !== 'body' && key !== 'then' && key !== 'otherwise') walkPart(frame, part);
  }
  if (stmt.kind === 'for' || stmt.kind === 'parallel') {
    const outer = frame.scope;
    frame.scope = new Scope(outer);
    bind(frame, stmt.name, stmt.at);
    walkBlock(frame, stmt.body);
    frame.scope = outer;
    return;
  }
  if (stmt.kind === 'let') for (const name of stmt.names) bind(frame, name, stmt.at);
  else if ('name' in stmt) bind(frame, stmt.name, stmt.at);
  if (stmt.kind === 'if') {
    walkBlock(frame, stmt.then);
    if (stmt.otherwise !== null) walkBlock(frame, stmt.otherwise);
  } else if ('body' in stmt) walkBlock(frame, stmt.body);
}

function walkPart(frame: Frame, part: unknown): void {
  if (Array.isArray(part)) {
    for (const each of part as unknown[]) walkPart(frame, each);
    return;
  }
  if (typeof part !== 'object' || part === null || !('kind' in part)) return;
  const kind = part.kind as string;
  if (kind === 'namedType' || kind === 'arrayType' || kind === 'funcType')
    walkType(frame, part as TypeExpr);
  else walkExpr(frame, part as Expr);
}

function walkType(frame: Frame, type: TypeExpr): void {
  if (type.kind === 'namedType') {
    if (type.args.length === 0) check(frame, type.name, type.at);
    for (const arg of type.args) walkPart(frame, arg);
  } else if (type.kind === 'arrayType') {
    walkType(frame, type.elem);
    walkExpr(frame, type.count);
  } else for (const part of [...type.params, ...type.results]) walkType(frame, part);
}

/** Methods and members are left to instances: only the first segment of a path is a name. */
function walkExpr(frame: Frame, expr: Expr): void {
  switch (expr.kind) {
    case 'name':
    case 'symbol':
      check(frame, expr.name, expr.at);
      break;
    case 'call': {
      if (expr.callee.kind !== 'name') walkExpr(frame, expr.callee);
      else check(frame, expr.callee.name, expr.callee.at);
      break;
    }
    default:
      break;
  }
  for (const [key, part] of Object.entries(expr) as [string, unknown][]) {
    if (key !== 'callee') walkPart(frame, part);
  }
}
