/**
 * Device functions: always inlined. The body is elaborated in a frame of its own, with parameters
 * bound to the arguments; constants and views pass through unchanged, anything else is evaluated
 * once. A single final `return` leaves its values as they are; several become a labelled block.
 */
import type { At, Block, FuncDef, Param, Stmt as SyntaxStmt } from '../tree.js';
import type { Type } from '../typed.js';
import type { Call } from './call.js';
import { placeOf } from './catalog.js';
import { adapt } from './constant-folding.js';
import { coerce } from './coercion.js';
import { Frame } from './frame.js';
import type { ReturnTarget } from './frame.js';
import { checkGrowth } from './growth.js';
import { elaborationLimits } from './session.js';
import { resolveTerm, resolveType } from './type-resolution.js';
import { elementName, isDeviceType, isInteger, sameElement, sameType, typeName } from './types.js';
import type { FunctionRef, Value } from './value.js';

export interface Inlining {
  readonly ref: FunctionRef;
  readonly values: readonly Value[];
  readonly call: Call;
}

export function inline(frame: Frame, inlining: Inlining): Value {
  const { ref, call } = inlining;
  const decl = ref.declaration.decl as FuncDef;
  if (frame.body.depth >= elaborationLimits.templateDepth) {
    const related = [placeOf(ref.declaration, 'it is declared here')];
    const message = `'${decl.name}' is inlined more than ${elaborationLimits.templateDepth} calls deep; device functions do not recurse`;
    throw frame.problem(call.at, message, undefined, { related });
  }
  checkGrowth(frame, call.at);
  if (frame.body.depth === 0) frame.body.inlineStart = frame.body.nodes;
  checkInlined(frame, decl, call.at);
  frame.body.depth += 1;
  try {
    const value = frame.session.resolving(ref.declaration, () => body(frame, decl, inlining));
    checkInlined(frame, decl, call.at);
    return value;
  } finally {
    frame.body.depth -= 1;
  }
}

/** Functions that call functions multiply: the whole of one call is limited, while it grows. */
function checkInlined(frame: Frame, decl: FuncDef, at: At): void {
  const limit = elaborationLimits.inlineNodes;
  if (frame.body.nodes - frame.body.inlineStart <= limit) return;
  throw frame.problem(
    at,
    `'${decl.name}' inlines to more than ${limit} nodes`,
    'unroll less in it',
  );
}

function body(frame: Frame, decl: FuncDef, { ref, values, call }: Inlining): Value {
  const isTail = hasOnlyTailReturn(decl.body);
  const signature = inner(frame, ref, call, { kind: 'none' });
  const results = decl.results.map((result) => resolveType(signature, result));
  for (const type of results) checkDevice(signature, type, decl);
  const returns: ReturnTarget = isTail
    ? { kind: 'tail', results, values: null }
    : {
        kind: 'label',
        results,
        label: frame.body.labels++,
        locals: results.map((type) => frame.body.local(decl.name, type)),
      };
  const child = inner(frame, ref, call, returns);
  decl.params.forEach((param, index) =>
    bindParam(frame, child, param, { value: values[index] as Value, call, index }),
  );
  if (returns.kind === 'tail') {
    child.emission = frame.emission;
    child.statements(decl.body);
    return one(returns.values ?? results.map(() => ({ kind: 'poison' as const })));
  }
  if (results.length > 0 && !alwaysReturns(decl.body)) {
    throw child.problem(decl.at, `'${decl.name}' does not return on every way`);
  }
  const block = child.nested(() => child.statements(decl.body));
  frame.emit({
    op: 'label',
    site: call.site,
    label: (returns as { label: number }).label,
    body: block,
  });
  const rank = frame.region === null ? 'uniform' : 'lane';
  return one(
    (returns as { locals: readonly number[] }).locals.map((local) =>
      frame.localValue(local, call.site, rank),
    ),
  );
}

function inner(frame: Frame, ref: FunctionRef, call: Call, returns: ReturnTarget): Frame {
  const place = { file: frame.file.file, at: call.at, message: `in ${ref.key}, called here` };
  const { session, body, kernel } = frame;
  const child = new Frame({
    session,
    file: ref.declaration.file,
    bindings: ref.bindings,
    world: 'device',
    body,
    narrow: true,
    kernel,
    returns,
    instances: [place, ...frame.instances],
  });
  child.region = frame.region;
  child.emission = frame.emission;
  return child;
}

function one(values: readonly Value[]): Value {
  return values.length === 1 ? (values[0] as Value) : { kind: 'tuple', items: values };
}

function checkDevice(frame: Frame, type: Type, decl: FuncDef): void {
  if (isDeviceType(type)) return;
  throw frame.problem(
    decl.at,
    `'${decl.name}' uses ${typeName(type)}, which exists on the host only`,
  );
}

interface Argument {
  readonly value: Value;
  readonly call: Call;
  readonly index: number;
}

function bindParam(frame: Frame, child: Frame, param: Param, argument: Argument): void {
  const { value, call, index } = argument;
  const at = call.argAt(index);
  if (param.type === null) throw child.problem(param.at, 'a function takes values and `in` views');
  const term = resolveTerm(child, param.type);
  if (term.view !== null || param.mode !== '') {
    if (param.mode !== 'in' || term.view === null) {
      throw child.problem(param.at, 'a function takes views as `in view<E>` only');
    }
    if (value.kind !== 'view' || !sameElement(value.element, term.view)) {
      const got = value.kind === 'view' ? `view<${elementName(value.element)}>` : 'no view';
      throw frame.problem(
        at,
        `argument ${index + 1} must be view<${elementName(term.view)}>, got ${got}`,
      );
    }
    child.define(param.name, param.at, value);
    return;
  }
  const type = resolveType(child, param.type);
  if (!isDeviceType(type)) {
    throw child.problem(param.at, `${typeName(type)} exists on the host only`);
  }
  child.define(param.name, param.at, argumentValue(frame, value, type, { at, name: param.name }));
}

/** Arrays pass as they are; integer constants stay constants of the parameter's type. */
function argumentValue(
  frame: Frame,
  value: Value,
  type: Type,
  where: { at: number; name: string },
): Value {
  if (value.kind === 'array' && type.kind === 'array') {
    if (sameType(value.elem, type.elem) && value.items.length === type.count) {
      return { ...value, locals: null };
    }
    const got = `${typeName(value.elem)}[${value.items.length}]`;
    throw frame.problem(where.at, `expected ${typeName(type)}, got ${got}`);
  }
  if (value.kind === 'const' && isInteger(type)) {
    const adapted = adapt(value, type);
    if (adapted !== null) return { kind: 'const', type, value: adapted };
  }
  const expr = coerce(frame, value, type, { at: where.at, what: `argument '${where.name}'` });
  const rank = frame.rankOf(value);
  if (expr.op === 'const' || expr.op === 'local') return { kind: 'expr', rank, expr };
  return frame.hold(where.name, expr, rank);
}

/** One `return`, and it is the last statement (or none at all). */
function hasOnlyTailReturn(block: Block): boolean {
  const returns = countReturns(block);
  if (returns === 0) return true;
  return returns === 1 && block.stmts.at(-1)?.kind === 'return';
}

function countReturns(block: Block): number {
  let count = 0;
  for (const stmt of block.stmts) {
    if (stmt.kind === 'return') count += 1;
    for (const nested of nestedBlocks(stmt)) count += countReturns(nested);
  }
  return count;
}

export function nestedBlocks(stmt: SyntaxStmt): readonly Block[] {
  switch (stmt.kind) {
    case 'if':
      return stmt.otherwise === null ? [stmt.then] : [stmt.then, stmt.otherwise];
    case 'for':
    case 'while':
    case 'parallel':
    case 'once':
      return [stmt.body];
    default:
      return [];
  }
}

/** Whether no way reaches the end of the block. */
export function alwaysReturns(block: Block): boolean {
  const last = block.stmts.at(-1);
  if (last === undefined) return false;
  if (last.kind === 'return') return true;
  if (last.kind === 'if') {
    return last.otherwise !== null && alwaysReturns(last.then) && alwaysReturns(last.otherwise);
  }
  if (last.kind === 'do' && last.value.kind === 'call' && last.value.callee.kind === 'name') {
    return last.value.callee.name === 'fail' || last.value.callee.name === 'reject';
  }
  return false;
}
