/**
 * Generic check of template bodies: what no instance could make right. Arguments that are numbers,
 * functions or symbols are unknown, and every statement that depends on one is left to instances;
 * types are tried, each alternative that the template allows, and so is each world that a function
 * may run in. The template is wrong when all of them are; the least of what was found is told.
 */
import type { Diagnostic } from '../diagnostics.js';
import type { FuncDef, KernelDef, Param, TemplateParam } from '../tree.js';
import type { Declaration } from './catalog.js';
import { constantFrame } from './declaration-frame.js';
import { defineParam as defineFunctionParam } from './device-verification.js';
import { Body, Frame } from './frame.js';
import type { ReturnTarget } from './frame.js';
import { HostBuilder } from './host-builder.js';
import { isDeviceOnly, paramType } from './host-functions.js';
import { KernelBuilder } from './kernel-builder.js';
import { defineParam as defineKernelParam, lanesOf } from './kernels.js';
import { Poisoned } from './problem.js';
import { Session } from './session.js';
import { kindOf } from './templates.js';
import { resolveTerm, resolveType } from './type-resolution.js';
import { POISON } from './value.js';
import type { TemplateBindings, TemplateValue } from './value.js';

/** Combinations of types that are tried; parameters beyond stay unknown. */
const combinationsMax = 8;

/** Literals of a host function over device types are i32 and f32; which it is may be unknown. */
type World = 'kernel' | 'device' | 'host' | 'narrow host';

interface Attempt {
  readonly session: Session;
  readonly declaration: Declaration;
  readonly bindings: TemplateBindings;
  readonly world: World;
}

export function checkTemplateBody(session: Session, declaration: Declaration): void {
  // Another problem would not be kept, and a hostile file has thousands of templates.
  if (session.sink.isFull) return;
  let least: readonly Diagnostic[] | null = null;
  for (const bindings of combinations(session, declaration)) {
    for (const world of worldsOf(declaration)) {
      const found = problemsOf(session, { declaration, bindings, world });
      if (found.length === 0) return;
      if (least === null || found.length < least.length) least = found;
    }
  }
  session.sink.reportAll(least ?? []);
}

function worldsOf({ decl }: Declaration): readonly World[] {
  if (decl.kind === 'kernel') return ['kernel'];
  // Devices last: they inline.
  return isDeviceOnly(decl as FuncDef) ? ['device'] : ['host', 'narrow host', 'device'];
}

function combinations(session: Session, declaration: Declaration): readonly TemplateBindings[] {
  let made: ReadonlyMap<string, TemplateValue>[] = [new Map()];
  for (const param of declaration.decl.template) {
    const all = choicesOf(session, declaration, param);
    const choices = all.length * made.length <= combinationsMax ? all : [UNKNOWN];
    made = made.flatMap((before) =>
      choices.map((choice) => new Map([...before, [param.name, choice]])),
    );
  }
  return made;
}

const UNKNOWN: TemplateValue = { kind: 'unknown' };

function choicesOf(
  session: Session,
  declaration: Declaration,
  param: TemplateParam,
): readonly TemplateValue[] {
  if (kindOf(param) !== 'type') return [UNKNOWN];
  const isAny = param.constraint.some(
    (entry) => entry.kind === 'namedType' && entry.name === 'type',
  );
  if (isAny) return [UNKNOWN];
  const frame = constantFrame(session, declaration.file);
  return param.constraint.map((entry) => ({ kind: 'type', term: resolveTerm(frame, entry) }));
}

/** In a session of its own, so that what is found stays apart. */
function problemsOf(session: Session, attempt: Omit<Attempt, 'session'>): readonly Diagnostic[] {
  const { catalog, configuration, engine } = session;
  const own = new Session(catalog, configuration, engine);
  try {
    elaborate({ ...attempt, session: own });
  } catch (error) {
    own.record(error);
  }
  const before = new Set(catalog.diagnostics);
  return own.sink.list().filter((diagnostic) => !before.has(diagnostic));
}

function elaborate(attempt: Attempt): void {
  const { session, declaration, bindings, world } = attempt;
  const decl = declaration.decl as FuncDef | KernelDef;
  const kernel = world === 'kernel' || world === 'device' ? builderOf(attempt) : null;
  const isHost = kernel === null;
  const frame = new Frame({
    session,
    file: declaration.file,
    bindings,
    world: isHost ? 'host' : 'device',
    body: new Body(),
    narrow: world !== 'host',
    generic: true,
    kernel,
    host: isHost ? new HostBuilder(true) : null,
    returns: returnsOf(attempt),
  });
  for (const param of decl.params) {
    try {
      define(frame, param, kernel);
    } catch (error) {
      session.record(error, frame);
      const poison = { value: POISON, at: param.at, variable: true, region: null };
      if (frame.scope.here(param.name) === null) frame.scope.set(param.name, poison);
    }
  }
  frame.scoped(() => frame.statements(decl.body));
}

function define(frame: Frame, param: Param, kernel: KernelBuilder | null): void {
  if (kernel === null) {
    const local = frame.body.local(param.name, paramType(frame, param));
    frame.define(param.name, param.at, frame.localValue(local, frame.site(param.at), 'uniform'));
  } else if (frame.returns.kind === 'kernel') defineKernelParam(frame, kernel, param, []);
  else defineFunctionParam(frame, kernel, param);
}

function builderOf({ session, declaration, bindings }: Attempt): KernelBuilder {
  const { decl } = declaration;
  if (decl.kind !== 'kernel') return new KernelBuilder(1);
  const frame = constantFrame(session, declaration.file, bindings);
  try {
    return new KernelBuilder(lanesOf(frame, decl));
  } catch (error) {
    session.record(error, frame);
    return new KernelBuilder(1);
  }
}

function returnsOf({ session, declaration, bindings, world }: Attempt): ReturnTarget {
  if (world === 'kernel') return { kind: 'kernel' };
  const decl = declaration.decl as FuncDef;
  const frame = constantFrame(session, declaration.file, bindings);
  try {
    const results = decl.results.map((result) => resolveType(frame, result));
    return { kind: world === 'device' ? 'tail' : 'host', results, values: null };
  } catch (error) {
    if (!(error instanceof Poisoned)) throw error;
    return { kind: 'unknown', count: decl.results.length };
  }
}
