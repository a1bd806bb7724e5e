/**
 * Stages: a command program for one root, or a kernel used directly, which becomes a program of one
 * dispatch over whole roots with the kernel's own constant grid.
 */
import type { At, CommandDef, KernelDef, Param } from '../tree.js';
import type { BankInfo, CommandProgram, Kernel, Symbol, WordExpr } from '../typed.js';
import { flattenBank } from './banks.js';
import type { Declaration } from './catalog.js';
import { CommandBuilder } from './command-builder.js';
import { extentOf } from './kernel-grid.js';
import { constantFrame } from './declaration-frame.js';
import { Body, Frame } from './frame.js';
import { kernelInstance } from './kernels.js';
import { Problem } from './problem.js';
import { elaborationLimits } from './session.js';
import type { Session } from './session.js';
import { bindSymbolArgs, instanceKey } from './templates.js';
import { resolveTerm } from './type-resolution.js';
import type { FunctionRef } from './value.js';

export function stageProgram(session: Session, root: Symbol): CommandProgram {
  const ref = rootOf(session, root);
  const isCommand = ref.declaration.decl.kind === 'command';
  return isCommand ? commandProgram(session, ref) : directProgram(session, ref);
}

export function kernelProgram(session: Session, root: Symbol): Kernel {
  const ref = rootOf(session, root);
  const { decl, file } = ref.declaration;
  if (decl.kind === 'kernel') return kernelInstance(session, ref, decl.at, null).kernel;
  throw new Problem(
    { file: file.file, at: decl.at },
    `'${root.name}' is a ${decl.kind}, not a kernel`,
  );
}

export function rootOf(session: Session, root: Symbol): FunctionRef {
  const declaration = session.catalog.find(root.name);
  const kind = declaration?.decl.kind;
  if (declaration === null || (kind !== 'command' && kind !== 'kernel')) {
    const file = declaration?.file.file ?? session.catalog.files[0]?.file ?? '';
    const at = declaration?.decl.at ?? 4097;
    const what = declaration === null ? 'is not defined' : `is a ${kind}`;
    throw new Problem(
      { file, at },
      `the root '${root.name}' ${what}; a stage is a command or a kernel`,
    );
  }
  return instanceOf(session, declaration, root.args);
}

/** The instance of a declaration that a symbol with these canonical arguments names. */
export function instanceOf(
  session: Session,
  declaration: Declaration,
  args: readonly string[],
): FunctionRef {
  const frame = constantFrame(session, declaration.file);
  const bindings = bindSymbolArgs(frame, declaration, args, declaration.decl.at);
  session.reach(declaration);
  return { declaration, bindings, key: instanceKey(declaration, bindings) };
}

/** Banks of a stage in binding order, without its body: what placing parameters must know. */
export function stageBanks(session: Session, root: Symbol): readonly BankInfo[] {
  const ref = rootOf(session, root);
  const { decl } = ref.declaration;
  if (decl.kind !== 'command') return [];
  const builder = new CommandBuilder();
  const frame = commandFrame(session, ref, builder);
  for (const param of decl.params) {
    if (param.mode === 'param') defineParam(frame, builder, param);
  }
  return builder.banks.map((bank) => bank.info);
}

export function commandFrame(session: Session, ref: FunctionRef, builder: CommandBuilder): Frame {
  return new Frame({
    session,
    file: ref.declaration.file,
    bindings: ref.bindings,
    world: 'command',
    body: new Body(),
    narrow: true,
    command: builder,
    returns: { kind: 'none' },
  });
}

function commandProgram(session: Session, ref: FunctionRef): CommandProgram {
  return session.resolving(ref.declaration, () => {
    const decl = ref.declaration.decl as CommandDef;
    const builder = new CommandBuilder();
    const frame = commandFrame(session, ref, builder);
    for (const param of decl.params) defineParam(frame, builder, param);
    if (builder.roots.length > elaborationLimits.roots) {
      const message = `'${decl.name}' has ${builder.roots.length} roots; the limit is ${elaborationLimits.roots}`;
      throw frame.problem(decl.at, message);
    }
    frame.scoped(() => frame.statements(decl.body));
    checkHosted(frame, builder);
    return program(session, ref, builder);
  });
}

function defineParam(frame: Frame, builder: CommandBuilder, param: Param): void {
  const { name, at } = param;
  if (param.mode === 'root') {
    frame.define(name, at, { kind: 'root', root: builder.root(name) });
    return;
  }
  const term = param.type === null ? null : resolveTerm(frame, param.type);
  if (param.mode !== 'param' || term === null || term.bank === null) {
    throw frame.problem(at, 'a command program takes `name: root` and `name: param Bank`');
  }
  const bank = builder.bank(flattenBank(frame, name, term.bank, at));
  frame.define(name, at, { kind: 'bank', bank, type: term.bank, path: '' });
}

/** Words are read from what the host uploaded, so nothing may write such a root. */
function checkHosted(frame: Frame, builder: CommandBuilder): void {
  for (const root of builder.roots) {
    if (root.hosted === null || root.writes === null) continue;
    const related = [
      { file: frame.file.file, at: root.hosted, message: 'a word of it is used here' },
    ];
    const message = `root '${root.name}' is written here, and its words are read as uploaded`;
    frame.session.record(
      frame.problem(root.writes, message, 'write to another root', { related }),
      frame,
    );
  }
}

export function program(
  session: Session,
  ref: FunctionRef,
  builder: CommandBuilder,
): CommandProgram {
  const { declaration, key } = ref;
  const files = session.catalog.files.map((file) => file.file);
  const site = constantFrame(session, declaration.file).site(declaration.decl.at);
  return {
    name: key,
    files,
    site,
    roots: builder.rootInfos(),
    banks: builder.banks.map((bank) => bank.info),
    workspaces: builder.workspaces.map(({ name, bytes, zero, lifetime }) => ({
      name,
      bytes,
      zero,
      lifetime,
    })),
    kernels: builder.kernels,
    steps: builder.steps,
  };
}

function directProgram(session: Session, ref: FunctionRef): CommandProgram {
  const decl = ref.declaration.decl as KernelDef;
  const builder = new CommandBuilder();
  const frame = commandFrame(session, ref, builder);
  if (decl.grid.length === 0) {
    const hint = 'write `workgroup(L) grid(x)`, or start it from a command program';
    throw frame.problem(decl.at, `the kernel '${decl.name}' has no grid of its own`, hint);
  }
  const instance = kernelInstance(session, ref, decl.at, null);
  instance.elements.forEach((element, index) => {
    const param = decl.params[index] as Param;
    if (element === null) scalarParam(frame, param.at, param.name);
    const { access } = instance.kernel.views[index] ?? { access: 'in' };
    const root = builder.roots[builder.root(param.name)];
    if (root === undefined) return;
    root.reads = access !== 'out';
    root.writes = access === 'in' ? null : param.at;
  });
  if (builder.roots.length > elaborationLimits.roots) {
    throw frame.problem(
      decl.at,
      `'${decl.name}' has ${builder.roots.length} roots; the limit is ${elaborationLimits.roots}`,
    );
  }
  const extents = decl.grid.map((extent): WordExpr => extentOf(frame, extent));
  const args = builder.roots.map((_, index) => ({
    base: { kind: 'root' as const, index },
    offset: 0,
    length: null,
  }));
  const kernel = builder.kernel(instance.kernel);
  builder.steps.push({
    op: 'dispatch',
    site: frame.site(decl.at),
    kernel,
    args,
    grid: { kind: 'direct', extents },
  });
  return program(session, ref, builder);
}

function scalarParam(frame: Frame, at: At, name: string): never {
  const hint = 'a direct stage has buffers only; use configuration for constants';
  throw frame.problem(at, `a direct stage cannot give the scalar '${name}'`, hint);
}

/** For diagnostics of a whole catalog: elaborates a command that has no template. */
export function verifyStage(session: Session, declaration: Declaration): void {
  const ref: FunctionRef = { declaration, bindings: new Map(), key: declaration.name };
  if (declaration.decl.kind === 'command') commandProgram(session, ref);
  else kernelInstance(session, ref, declaration.decl.at, null);
}
