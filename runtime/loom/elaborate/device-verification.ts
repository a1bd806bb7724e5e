/** A device function by itself: its body elaborated once with parameters of its own types. */
import type { FuncDef, Param } from '../tree.js';
import { constantFrame } from './declaration-frame.js';
import { Body, Frame } from './frame.js';
import { KernelBuilder } from './kernel-builder.js';
import type { Session } from './session.js';
import { resolveTerm, resolveType } from './type-resolution.js';
import { isDeviceType, typeName } from './types.js';
import type { FunctionRef, Value } from './value.js';

export function verifyDeviceFunction(session: Session, ref: FunctionRef): void {
  const { declaration, bindings } = ref;
  const decl = declaration.decl as FuncDef;
  const signature = constantFrame(session, declaration.file, bindings);
  const results = decl.results.map((result) => resolveType(signature, result));
  const body = new Body();
  const kernel = new KernelBuilder(1);
  const locals = results.map((type) => body.local(decl.name, type));
  const frame = new Frame({
    session,
    file: declaration.file,
    bindings,
    world: 'device',
    body,
    narrow: true,
    kernel,
    returns: { kind: 'label', results, label: 0, locals },
  });
  for (const param of decl.params) defineParam(frame, kernel, param);
  frame.scoped(() => frame.statements(decl.body));
}

/** Binds a parameter of a device function that is elaborated by itself. */
export function defineParam(frame: Frame, kernel: KernelBuilder, param: Param): void {
  const { name, at, mode } = param;
  if (param.type === null) throw frame.problem(at, 'a function takes values and `in` views');
  const term = resolveTerm(frame, param.type);
  if (term.view !== null) {
    if (mode !== 'in') throw frame.problem(at, 'a function takes views as `in view<E>` only');
    const like = { element: term.view, access: 'in' } as const;
    frame.define(name, at, kernel.view(name, like, 'param', null));
    return;
  }
  const { type } = term;
  if (mode !== '' || type === null || !isDeviceType(type)) {
    const shown = type === null ? term.name : typeName(type);
    const message = `a function with views cannot take ${mode} ${shown}`.replace('  ', ' ');
    throw frame.problem(at, message);
  }
  frame.define(name, at, paramValue(frame, name, type, at));
}

function paramValue(
  frame: Frame,
  name: string,
  type: ReturnType<typeof resolveType>,
  at: number,
): Value {
  const site = frame.site(at);
  if (type.kind !== 'array') return frame.localValue(frame.body.local(name, type), site, 'uniform');
  const items = Array.from({ length: type.count }, () =>
    frame.localValue(frame.body.local(name, type.elem), site, 'uniform'),
  );
  return { kind: 'array', elem: type.elem, items, locals: null };
}
