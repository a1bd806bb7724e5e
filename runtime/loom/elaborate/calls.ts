/**
 * Calls: what a callee denotes (function, capability, type, built-in, method) and the call of each.
 * A host call is an expression; several results spread over locals. On a device calls are inlined.
 */
import type { At, Expr as SyntaxExpr, FuncDecl, FuncDef, TemplateArg } from '../tree.js';
import { Call } from './call.js';
import type { Builtin } from './call.js';
import type { Declaration } from './catalog.js';
import { placeOf } from './catalog.js';
import { checkBuiltins } from './check-builtins.js';
import { coerce } from './coercion.js';
import { convert } from './conversions.js';
import { deviceBuiltins } from './device-builtins.js';
import { deviceMethod } from './device-methods.js';
import type { Frame } from './frame.js';
import { formulaValue } from './formulas.js';
import { inline } from './inlining.js';
import { hostBuiltins } from './host-builtins.js';
import { hostMethod } from './host-methods.js';
import { intrinsics } from './intrinsics.js';
import { commandBuiltins, commandMethod } from './command-calls.js';
import { findPath, unresolved } from './names.js';
import { spread } from './spread.js';
import { applyTemplate } from './templates.js';
import { resolveTerm, resolveType, termOfName } from './type-resolution.js';
import { constantFrame } from './declaration-frame.js';
import { describeKind } from './value.js';
import type { FunctionRef, Value } from './value.js';

type CallExpr = Extract<SyntaxExpr, { kind: 'call' }>;

export function evaluateCall(frame: Frame, expr: CallExpr, isStatement: boolean): Value {
  const { callee, typeArgs, args, at } = expr;
  if (callee.kind === 'member') {
    const call = new Call(frame, { name: callee.name, at: callee.at, typeArgs, args, isStatement });
    return method(frame.eval(callee.base), call);
  }
  if (callee.kind !== 'name') throw frame.problem(at, 'this cannot be called');
  return named(frame, callee.name, { at, typeArgs, args, isStatement });
}

interface Parts {
  readonly at: At;
  readonly typeArgs: readonly TemplateArg[];
  readonly args: readonly SyntaxExpr[];
  readonly isStatement: boolean;
}

/** A callee with a dotted name: a function, a type, a built-in, or a method of what precedes. */
function named(frame: Frame, path: string, parts: Parts): Value {
  const call = new Call(frame, { name: path, ...parts });
  const dot = path.lastIndexOf('.');
  const first = path.split('.')[0] as string;
  if (frame.scope.find(first) === null) {
    if (parts.typeArgs.length > 0 && ['list', 'cell'].includes(path)) return generic(call);
    const value = termOf(frame, path, parts.at) ?? declarationOf(frame, path, parts.at);
    if (value !== null) return callValue(value, call);
    const builtin = builtinOf(frame, path);
    if (builtin !== null) return builtin(call);
  }
  if (frame.scope.find(first) === null) checkWorld(frame, path, parts.at);
  const whole = dot < 0 ? findPath(frame, path, parts.at) : null;
  if (whole !== null) return callValue(whole, call);
  const base = dot < 0 ? null : findPath(frame, path.slice(0, dot), parts.at);
  if (base === null) throw unresolved(frame, path, parts.at);
  return method(base, new Call(frame, { name: path.slice(dot + 1), ...parts }));
}

/** A built-in of another world is worth a better message than "not defined". */
function checkWorld(frame: Frame, path: string, at: At): void {
  const tables = [
    ['the host', hostBuiltins],
    ['devices', deviceBuiltins],
    ['command programs', commandBuiltins],
    ['checks', checkBuiltins],
  ] as const;
  for (const [where, table] of tables) {
    if (table.has(path)) throw frame.problem(at, `'${path}' is for ${where} only`);
  }
}

function termOf(frame: Frame, path: string, at: At): Value | null {
  const term = termOfName(frame, path, at);
  return term === null ? null : { kind: 'term', term };
}

/** A function or capability by name; names of other things are no callees here. */
function declarationOf(frame: Frame, path: string, at: At): Value | null {
  const bound = frame.bindings.get(path);
  if (bound !== undefined) return findPath(frame, path, at);
  const found = frame.session.catalog.lookup(frame.file, path);
  if (found === null || found.rest.length > 0) return null;
  const { kind } = found.declaration.decl;
  if (kind === 'const' || kind === 'config') return null;
  return { kind: 'declaration', declaration: found.declaration };
}

function builtinOf(frame: Frame, path: string): Builtin | null {
  const general = intrinsics.get(path);
  if (general !== undefined) {
    return general;
  }
  if (frame.host?.checks === true) {
    const check = checkBuiltins.get(path);
    if (check !== undefined) return check;
  }
  const tables = {
    host: hostBuiltins,
    device: deviceBuiltins,
    command: commandBuiltins,
    const: null,
  };
  return tables[frame.world]?.get(path) ?? null;
}

/** `list<T>(…)` and `cell<T>(record)`. */
function generic(call: Call): Value {
  const { frame, name, at, typeArgs } = call;
  const term = resolveTerm(frame, { kind: 'namedType', at, name, args: typeArgs });
  const builtin = hostBuiltins.get(name);
  if (builtin === undefined || frame.world !== 'host' || term.type === null) {
    throw frame.problem(at, `'${name}' exists on the host only`);
  }
  return builtin(call);
}

function callValue(value: Value, call: Call): Value {
  switch (value.kind) {
    case 'term':
      if (value.term.type === null) break;
      return convert(call, value.term.type);
    case 'func':
      return callFunction(call, value.ref.declaration, value.ref);
    case 'declaration': {
      const { kind } = value.declaration.decl;
      if (kind === 'func') return callFunction(call, value.declaration, null);
      if (kind === 'import') return callImport(call, value.declaration);
      break;
    }
    default:
      break;
  }
  const related =
    value.kind === 'declaration' ? [placeOf(value.declaration, 'it is declared here')] : [];
  const hint =
    value.kind === 'declaration' && value.declaration.decl.kind === 'kernel'
      ? 'a kernel is started by `dispatch` in a command program'
      : undefined;
  throw call.frame.problem(call.at, `${describeKind(value)} cannot be called`, hint, { related });
}

function method(base: Value, call: Call): Value {
  const { frame } = call;
  if (frame.world === 'command') {
    const found = commandMethod(base, call);
    if (found !== null) return found;
  }
  const found =
    deviceMethod(base, call) ?? (frame.world === 'host' ? hostMethod(base, call) : null);
  if (found !== null) return found;
  throw frame.problem(call.at, `${describeKind(base)} has no method '${call.name}'`);
}

// --- functions -------------------------------------------------------------------------------

function callFunction(call: Call, declaration: Declaration, applied: FunctionRef | null): Value {
  const { frame, at } = call;
  const decl = declaration.decl as FuncDef;
  const related = [placeOf(declaration, `'${decl.name}' is declared here`)];
  if (call.args.length !== decl.params.length) {
    const message = `'${decl.name}' takes ${decl.params.length} arguments, got ${call.args.length}`;
    throw frame.problem(at, message, undefined, { related });
  }
  const values = call.values();
  const ref =
    applied ??
    applyTemplate(frame, { declaration, typeArgs: call.typeArgs, params: decl.params, values, at });
  frame.session.reach(declaration);
  if (ref.bindings.size > 0) frame.session.instance(ref.key, ref.declaration);
  if (frame.world === 'device') return inline(frame, { ref, values, call });
  if (frame.world !== 'host' || frame.host === null) return formulaValue(call, ref, values);
  const signature = constantFrame(frame.session, declaration.file, ref.bindings);
  const args = decl.params.map((param, index) => {
    if (param.type === null || param.mode !== '') {
      const message = `'${decl.name}' takes views and runs on devices only`;
      throw frame.problem(at, message, undefined, { related });
    }
    const type = resolveType(signature, param.type);
    return coerce(frame, values[index] as Value, type, {
      at: call.argAt(index),
      what: `argument ${index + 1} of '${decl.name}'`,
    });
  });
  const results = decl.results.map((result) => resolveType(signature, result));
  const asked = { file: frame.file.file, at, message: `in ${ref.key}, called here` };
  const instances = ref.bindings.size === 0 ? [] : [asked, ...frame.instances];
  const func = frame.host.request(ref, instances);
  return spread(call, results, (type) => ({ op: 'call', type, site: call.site, func, args }));
}

function callImport(call: Call, declaration: Declaration): Value {
  const { frame, at } = call;
  const decl = declaration.decl as FuncDecl;
  if (frame.world !== 'host' || frame.host === null) {
    throw frame.problem(at, `the capability '${decl.name}' exists on the host only`);
  }
  const related = [placeOf(declaration, `'${decl.name}' is declared here`)];
  if (call.args.length !== decl.params.length) {
    const message = `'${decl.name}' takes ${decl.params.length} arguments, got ${call.args.length}`;
    throw frame.problem(at, message, undefined, { related });
  }
  frame.session.reach(declaration);
  const signature = constantFrame(frame.session, declaration.file);
  const params = decl.params.map((param) => resolveType(signature, param.type as never));
  const results = decl.results.map((result) => resolveType(signature, result));
  const args = params.map((type, index) => call.arg(index, type));
  const { module, name } = decl;
  const site = signature.site(decl.at);
  const index = frame.host.import({ module, name, params, results, site }, declaration.id);
  return spread(call, results, (type) => ({
    op: 'capability',
    type,
    site: call.site,
    index,
    args,
  }));
}
