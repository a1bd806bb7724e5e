/** Statements of command programs: workspaces, dispatches with their grids, part boundaries. */
import type { At, Expr as SyntaxExpr, KernelDef, Stmt } from '../tree.js';
import type { Dispatch, Kernel, Range, WordExpr } from '../typed.js';
import type { Declaration } from './catalog.js';
import { coerce, constantCount } from './coercion.js';
import type { CommandBuilder, KernelInstance } from './command-builder.js';
import { checkOverlaps, checkRange, useRange } from './command-hazards.js';
import type { Argument } from './command-hazards.js';
import { toWord } from './command-words.js';
import type { Frame } from './frame.js';
import { extentOf, ownGrid } from './kernel-grid.js';
import { kernelInstance } from './kernels.js';
import { elaborationLimits } from './session.js';
import { applyTemplate } from './templates.js';
import { resolveElement } from './type-resolution.js';
import { elementName, elementSize, sameElement } from './types.js';
import type { Element } from './types.js';
import { describeKind } from './value.js';
import type { Value } from './value.js';
import { unresolved } from './names.js';

function builderOf(frame: Frame, at: At, what: string): CommandBuilder {
  if (frame.command !== null) return frame.command;
  throw frame.problem(at, `\`${what}\` stands in command programs only`);
}

export function workspaceStatement(frame: Frame, stmt: Extract<Stmt, { kind: 'workspace' }>): void {
  const builder = builderOf(frame, stmt.at, 'workspace');
  const { type, name, at, zero } = stmt;
  if (type.kind !== 'arrayType') {
    throw frame.problem(type.at, 'a workspace is an array', 'like `workspace x : f32x4[64]`');
  }
  const element = resolveElement(frame, type.elem);
  const max = Math.floor(Number.MAX_SAFE_INTEGER / elementSize(element));
  const bounds = { what: 'the length of a workspace', min: 1, max };
  const count = constantCount(frame, frame.eval(type.count), type.count.at, bounds);
  const bytes = count * elementSize(element);
  const lifetime = stmt.invocation ? 'invocation' : 'command';
  const index = builder.workspace({ name, at, bytes, zero, lifetime, element });
  const range: Range = { base: { kind: 'workspace', index }, offset: 0, length: bytes };
  frame.define(name, at, { kind: 'range', range, element });
}

export function partStatement(frame: Frame, stmt: Extract<Stmt, { kind: 'part' }>): void {
  const builder = builderOf(frame, stmt.at, 'part');
  builder.steps.push({ op: 'part', site: frame.site(stmt.at) });
  for (const workspace of builder.workspaces) {
    if (workspace.lifetime === 'invocation') continue;
    workspace.stale ||= workspace.written.length > 0;
    workspace.written = [];
  }
}

type DispatchStmt = Extract<Stmt, { kind: 'dispatch' }>;

export function dispatchStatement(frame: Frame, stmt: DispatchStmt): void {
  const builder = builderOf(frame, stmt.at, 'dispatch');
  try {
    dispatch(frame, builder, stmt);
  } catch (error) {
    builder.incomplete = true;
    throw error;
  }
}

function dispatch(frame: Frame, builder: CommandBuilder, stmt: DispatchStmt): void {
  const { declaration, typeArgs } = kernelNamed(frame, stmt.kernel);
  const decl = declaration.decl as KernelDef;
  const { at } = stmt;
  if (stmt.args.length !== decl.params.length) {
    throw frame.problem(
      at,
      `'${decl.name}' takes ${decl.params.length} arguments, got ${stmt.args.length}`,
    );
  }
  const values = stmt.args.map((arg) => frame.eval(arg));
  const ref = applyTemplate(frame, {
    declaration,
    typeArgs,
    params: decl.params,
    values,
    at: stmt.kernel.at,
  });
  const instance = kernelInstance(frame.session, ref, at, frame);
  const args: Dispatch['args'][number][] = [];
  const views: Argument[] = [];
  values.forEach((value, index) => {
    const place = { at: stmt.args[index]?.at ?? at, name: instance.names[index] as string };
    const element = instance.elements[index] ?? null;
    if (element === null) {
      args.push({ word: scalarArgument(frame, instance, index, { value, at: place.at }) });
      return;
    }
    const view = viewArgument(frame, value, element, place);
    const param = instance.kernel.params[index] as { view: number };
    const { access } = instance.kernel.views[param.view] as Kernel['views'][number];
    checkRange(frame, view, element, place);
    args.push(view);
    views.push({ range: view, access, element, ...place });
  });
  checkOverlaps(frame, views);
  for (const view of views) useRange(frame, builder, view);
  const grid: Dispatch['grid'] =
    stmt.grid.length === 0
      ? { kind: 'direct', extents: ownGrid(frame, { ref, builder, values, at }) }
      : gridOf(frame, builder, stmt);
  const site = frame.site(at);
  builder.steps.push({ op: 'dispatch', site, kernel: builder.kernel(instance.kernel), args, grid });
  if (builder.steps.length > elaborationLimits.dispatches) {
    throw frame.problem(at, `more than ${elaborationLimits.dispatches} dispatches in one program`);
  }
}

function kernelNamed(
  frame: Frame,
  expr: SyntaxExpr,
): { declaration: Declaration; typeArgs: Extract<SyntaxExpr, { kind: 'symbol' }>['args'] } {
  if (expr.kind !== 'symbol') throw frame.problem(expr.at, 'a dispatch names a kernel');
  const bound = frame.bindings.get(expr.name);
  const found =
    bound?.kind === 'symbol'
      ? (bound.declaration ?? frame.session.catalog.find(bound.name))
      : (frame.session.catalog.lookup(frame.file, expr.name)?.declaration ?? null);
  if (found === null) throw unresolved(frame, expr.name, expr.at);
  if (found.decl.kind !== 'kernel')
    throw frame.problem(expr.at, `'${expr.name}' is a ${found.decl.kind}, not a kernel`);
  return { declaration: found, typeArgs: expr.args };
}

function scalarArgument(
  frame: Frame,
  instance: KernelInstance,
  index: number,
  given: { value: Value; at: At },
): WordExpr {
  const { kernel } = instance;
  const param = kernel.params[index] as { local: number };
  const type = kernel.locals[param.local]?.type;
  if (type?.kind !== 'scalar')
    throw frame.problem(given.at, 'a scalar parameter has a scalar type');
  return toWord(frame, given.value, type.name as 'i32' | 'u32' | 'f32' | 'bool', given.at);
}

function viewArgument(
  frame: Frame,
  value: Value,
  element: Element,
  place: { at: At; name: string },
): Range {
  if (value.kind === 'root') {
    return { base: { kind: 'root', index: value.root }, offset: 0, length: null };
  }
  if (value.kind !== 'range') {
    coercePoison(value, frame, place.at);
    throw frame.problem(place.at, `'${place.name}' takes a range, got ${describeKind(value)}`);
  }
  if (value.element !== null && !sameElement(value.element, element)) {
    const message = `'${place.name}' takes view<${elementName(element)}>, got elements of ${elementName(value.element)}`;
    throw frame.problem(place.at, message, `.as<${elementName(element)}>() reads the same bytes`);
  }
  return value.range;
}

/** Poisoned arguments stay silent. */
function coercePoison(value: Value, frame: Frame, at: At): void {
  if (value.kind === 'poison') coerce(frame, value, { kind: 'void' }, at);
}

function gridOf(
  frame: Frame,
  builder: CommandBuilder,
  stmt: Extract<Stmt, { kind: 'dispatch' }>,
): Dispatch['grid'] {
  if (!stmt.indirect) {
    return { kind: 'direct', extents: stmt.grid.map((extent) => extentOf(frame, extent)) };
  }
  const [view, index] = stmt.grid as readonly [SyntaxExpr, SyntaxExpr];
  const value = frame.eval(view);
  const u32: Element = { kind: 'storage', storage: { elem: 'u32', lanes: 1, size: 4 } };
  const range = viewArgument(frame, value, u32, { at: view.at, name: 'grid' });
  const bounds = { what: 'the index of an indirect grid', min: 0, max: 2 ** 28 };
  const at = constantCount(frame, frame.eval(index), index.at, bounds);
  if (range.length !== null && (at + 1) * 12 > range.length) {
    throw frame.problem(index.at, `grid ${at} lies outside of a range of ${range.length} bytes`);
  }
  useRange(frame, builder, { range, access: 'in', element: u32, at: view.at, name: 'grid' });
  return { kind: 'indirect', range, index: at };
}
