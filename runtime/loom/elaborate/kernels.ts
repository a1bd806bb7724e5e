/**
 * Kernels: parameters (views with an access, scalars), the workgroup size, the body at kernel
 * level. One instance of a kernel is elaborated once in a session, whoever dispatches it.
 */
import type { At, KernelDef, Param } from '../tree.js';
import type { Kernel } from '../typed.js';
import { constantCount } from './coercion.js';
import type { KernelInstance } from './command-builder.js';
import { closeBlock } from './cost.js';
import { constantFrame } from './declaration-frame.js';
import { Body, Frame } from './frame.js';
import { KernelBuilder } from './kernel-builder.js';
import { Poisoned } from './problem.js';
import { elaborationLimits } from './session.js';
import type { Session } from './session.js';
import { resolveTerm } from './type-resolution.js';
import { isDeviceType } from './types.js';
import type { Element } from './types.js';
import type { FunctionRef } from './value.js';

const known = new WeakMap<Session, Map<string, KernelInstance | null>>();

/** Views that any device binds; more of them make the kernel depend on the device. */
const portableViews = 8;

export function kernelInstance(
  session: Session,
  ref: FunctionRef,
  at: At,
  from: Frame | null,
): KernelInstance {
  const instances = known.get(session) ?? new Map<string, KernelInstance | null>();
  known.set(session, instances);
  const key = `${ref.declaration.id} ${ref.key}`;
  const found = instances.get(key);
  if (found === null) throw new Poisoned();
  if (found !== undefined) return found;
  instances.set(key, null);
  if (ref.bindings.size > 0) session.instance(ref.key, ref.declaration);
  const before = session.sink.count;
  const instance = session.resolving(ref.declaration, () =>
    elaborateKernel(session, ref, at, from),
  );
  if (session.sink.count > before) throw new Poisoned();
  instances.set(key, instance);
  return instance;
}

export function lanesOf(frame: Frame, decl: KernelDef): number {
  const bounds = { what: 'the workgroup size', min: 1, max: elaborationLimits.lanes };
  const lanes = constantCount(frame, frame.eval(decl.lanes), decl.lanes.at, bounds);
  if ((lanes & (lanes - 1)) === 0) return lanes;
  throw frame.problem(decl.lanes.at, `the workgroup size ${lanes} is not a power of two`);
}

function elaborateKernel(
  session: Session,
  ref: FunctionRef,
  at: At,
  from: Frame | null,
): KernelInstance {
  const { declaration, bindings, key } = ref;
  const decl = declaration.decl as KernelDef;
  const signature = constantFrame(session, declaration.file, bindings);
  const builder = new KernelBuilder(lanesOf(signature, decl));
  const body = new Body();
  const here =
    from === null || bindings.size === 0
      ? []
      : [{ file: from.file.file, at, message: `in ${key}, used here` }];
  const frame = new Frame({
    session,
    file: declaration.file,
    bindings,
    world: 'device',
    body,
    narrow: true,
    kernel: builder,
    returns: { kind: 'kernel' },
    instances: [...here, ...(from?.instances ?? [])],
  });
  const elements: (Element | null)[] = [];
  const params = decl.params.map((param) => defineParam(frame, builder, param, elements));
  checkViews(frame, decl, builder.views.length);
  frame.scoped(() => frame.statements(decl.body));
  const kernel: Kernel = {
    name: declaration.name,
    key,
    site: signature.site(decl.at),
    params,
    lanes: builder.lanes,
    views: builder.views,
    locals: body.locals,
    shared: builder.shared,
    privates: builder.privates,
    body: closeBlock(frame.emission.flat()),
  };
  checkSize(frame, decl, body.nodes);
  return { kernel, elements, names: decl.params.map((param) => param.name) };
}

function checkSize(frame: Frame, decl: KernelDef, nodes: number): void {
  const limit = elaborationLimits.kernelNodes;
  if (nodes <= limit) return;
  frame.session.record(
    frame.problem(
      decl.at,
      `'${decl.name}' grows to ${nodes} nodes; the limit is ${limit}`,
      'unroll less',
    ),
    frame,
  );
}

function checkViews(frame: Frame, decl: KernelDef, count: number): void {
  if (count <= portableViews) return;
  frame.session.factsRead.add('views');
  const limit = frame.session.configuration.target.views;
  if (count <= limit) return;
  const message = `'${decl.name}' has ${count} views; the limit is ${limit} (target.views)`;
  frame.session.record(frame.problem(decl.at, message, 'fold small inputs into one'), frame);
}

export function defineParam(
  frame: Frame,
  builder: KernelBuilder,
  param: Param,
  elements: (Element | null)[],
): Kernel['params'][number] {
  const { mode, name, at } = param;
  if (param.type === null || mode === 'root' || mode === 'param') {
    throw frame.problem(at, 'a kernel takes views and scalars');
  }
  const term = resolveTerm(frame, param.type);
  if (term.view !== null) {
    if (mode === '')
      throw frame.problem(at, `the view '${name}' needs an access`, 'in, out, inout or acc');
    const element = term.view;
    if (mode === 'acc') checkAccumulator(frame, element, at);
    if (
      (mode === 'out' || mode === 'inout') &&
      element.kind === 'storage' &&
      element.storage.size < 4
    ) {
      const hint = 'store whole words: f16x2, bf16x2, i8x4 or u8x4';
      throw frame.problem(at, `elements of ${term.name} are read-only`, hint);
    }
    const view = builder.view(name, { element, access: mode }, 'param', null);
    frame.define(name, at, view);
    elements.push(element);
    return { view: view.view };
  }
  const { type } = term;
  if (mode !== '' || type === null || type.kind !== 'scalar' || !isDeviceType(type)) {
    const hint = 'scalars are bool, i32, u32 and f32; data comes in views';
    throw frame.problem(
      at,
      `a kernel cannot take '${name}' as ${mode} ${term.name}`.replace('  ', ' '),
      hint,
    );
  }
  const local = frame.body.local(name, type);
  frame.define(name, at, frame.localValue(local, frame.site(at), 'uniform'));
  elements.push(null);
  return { local };
}

function checkAccumulator(frame: Frame, element: Element, at: At): void {
  const fits =
    element.kind === 'storage' &&
    element.storage.lanes === 1 &&
    ['i32', 'u32'].includes(element.storage.elem);
  if (!fits) throw frame.problem(at, 'an `acc` view holds i32 or u32');
}
