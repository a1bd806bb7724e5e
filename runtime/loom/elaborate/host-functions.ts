/**
 * Bodies of host functions. They are elaborated from the builder's queue, each once an instance;
 * a call only asks for the index. Also which world a function belongs to, by its signature.
 */
import type { Block, CheckDef, FuncDef, Param, TypeExpr } from '../tree.js';
import type { HostFunction, Type } from '../typed.js';
import { closeBlock } from './cost.js';
import { constantFrame } from './declaration-frame.js';
import { Body, Frame } from './frame.js';
import type { HostBuilder, PendingFunction } from './host-builder.js';
import { alwaysReturns } from './inlining.js';
import { elaborationLimits } from './session.js';
import type { Session } from './session.js';
import { resolveType } from './type-resolution.js';
import { isDeviceType, isHostType, typeName } from './types.js';
import type { Declaration } from './catalog.js';

/** Views and packed bytes exist on devices only; such functions are never host functions. */
export function isDeviceOnly(decl: FuncDef): boolean {
  return (
    decl.params.some((param) => param.mode !== '' || mentionsDevice(param.type)) ||
    decl.results.some(mentionsDevice)
  );
}

function mentionsDevice(type: TypeExpr | null): boolean {
  if (type === null) return true;
  if (type.kind === 'arrayType') return mentionsDevice(type.elem);
  return type.kind === 'namedType' && ['view', 'i8x4', 'i8x16', 'u8x4'].includes(type.name);
}

export function drainHostFunctions(session: Session, builder: HostBuilder): void {
  for (;;) {
    const pending = builder.queue.shift();
    if (pending === undefined) return;
    try {
      builder.functions[pending.index] = hostFunction(session, builder, pending);
    } catch (error) {
      session.record(error);
    }
  }
}

function hostFunction(
  session: Session,
  builder: HostBuilder,
  pending: PendingFunction,
): HostFunction {
  const { declaration, bindings, key } = pending.ref;
  const decl = declaration.decl as FuncDef;
  session.reach(declaration);
  const signature = constantFrame(session, declaration.file, bindings);
  const params = decl.params.map((param) => paramType(signature, param));
  const results = decl.results.map((result) => resolveType(signature, result));
  const { instances } = pending;
  if (instances.length > elaborationLimits.templateDepth) {
    const message = `templates nest deeper than ${elaborationLimits.templateDepth} instances`;
    const related = instances.slice(0, 2);
    throw signature.problem(decl.at, message, undefined, { related });
  }
  const narrow = params.length > 0 && [...params, ...results].every(isDeviceType);
  const body = new Body();
  const frame = new Frame({
    session,
    file: declaration.file,
    bindings,
    world: 'host',
    body,
    narrow,
    host: builder,
    returns: { kind: 'host', results },
    instances,
  });
  decl.params.forEach((param, index) => {
    const local = body.local(param.name, params[index] as Type);
    frame.define(param.name, param.at, frame.localValue(local, frame.site(param.at), 'uniform'));
  });
  if (results.length > 0 && !alwaysReturns(decl.body)) {
    session.record(frame.problem(decl.at, `'${decl.name}' does not return on every way`), frame);
  }
  return finished(frame, decl, { params: params.length, results, name: key });
}

export function paramType(frame: Frame, param: Param): Type {
  if (param.type === null || param.mode !== '') {
    throw frame.problem(param.at, `a host function takes values, not \`${param.mode}\` views`);
  }
  const type = resolveType(frame, param.type);
  if (isHostType(type)) return type;
  throw frame.problem(param.at, `${typeName(type)} exists on devices only`);
}

interface Finished {
  readonly params: number;
  readonly results: readonly Type[];
  readonly name: string;
}

function finished(
  frame: Frame,
  decl: { readonly body: Block; readonly at: number; readonly exported: boolean },
  { params, results, name }: Finished,
): HostFunction {
  frame.scoped(() => frame.statements(decl.body));
  const body = closeBlock(frame.emission.flat());
  const { exported } = decl;
  const site = frame.site(decl.at);
  return { name, exported, site, params, locals: frame.body.locals, results, body };
}

/** The body of a check: a host function without parameters that sees the check built-ins. */
export function checkFunction(
  session: Session,
  builder: HostBuilder,
  declaration: Declaration,
): HostFunction {
  const decl = declaration.decl as CheckDef;
  const frame = new Frame({
    session,
    file: declaration.file,
    bindings: new Map(),
    world: 'host',
    body: new Body(),
    narrow: false,
    host: builder,
    returns: { kind: 'host', results: [] },
  });
  return finished(frame, decl, { params: 0, results: [], name: declaration.name });
}
