/**
 * One kernel as one shader: bindings, the uniform slot, workgroup memory, the functions it calls,
 * and `main`. What does not fit the device (workgroup memory, invocations, views) is an error here,
 * with the kernel's place.
 */
import { StatusError } from '../../base/errors.js';
import type { Kernel, ViewId } from '../../loom/typed.js';
import { positionOf } from '../../vm/program-error.js';
import { barriersOf, parameterOf } from './barriers.js';
import { sharedTakes } from './broadcasts.js';
import { dotTotals } from './dot-totals.js';
import { emitBlock } from './emit-statement.js';
import { emitValue } from './emit-value.js';
import type { KernelBindings } from './kernel-bindings.js';
import { unitOf } from './carrier.js';
import { Jumps } from './jumps.js';
import { hasWaits } from './kernel-waits.js';
import { localKinds } from './local-lets.js';
import { Prelude } from './prelude.js';
import { declaration, sharedArrays, workgroupBytes } from './shared-functions.js';
import { uniformityOf } from './uniformity.js';
import { SLOT_BYTES, type WgslKernel, type WgslTarget } from './wgsl-program.js';
import { declared, safeName, type WgslScope } from './wgsl-scope.js';
import { nameOf, shapeOf, typeName } from './wgsl-types.js';
import { WgslWriter } from './wgsl-writer.js';

export interface KernelSource {
  readonly kernel: Kernel;
  readonly files: readonly string[];
  readonly bindings: KernelBindings;
  readonly target: WgslTarget;
}

export function emitKernel(source: KernelSource): WgslKernel {
  const { kernel, files, bindings, target } = source;
  const position = positionOf(files, kernel.site);
  checkKernel(source, position);
  const scope = kernelScope(source);
  emitBlock(scope, kernel.body);
  const bytes = memoryBytes(scope);
  if (bytes > target.workgroupBytes) {
    throw new StatusError(
      'invalidArgument',
      `${kernel.name} (${position}) needs ${bytes} bytes of workgroup memory (shared arrays and ` +
        `reductions); this device has ${target.workgroupBytes}`,
      { where: position },
    );
  }
  const needs = [...scope.needs].sort();
  return {
    key: `${kernel.key} ${bindings.key}`,
    name: kernel.name,
    position,
    source: sourceText(scope, bindings, needs),
    workgroupSize: kernel.lanes,
    bindings: bindings.list.map(({ access, carrier }) => ({
      access,
      bytesMin: carrier.elementBytes,
    })),
    views: scope.views.map(({ info, carrier }, k) => ({
      name: info.name,
      binding: bindings.views[k]!,
      unit: unitOf(info, carrier),
      elementBytes: info.elementSize,
    })),
    workgroupBytes: bytes,
    needs,
  };
}

function checkKernel({ kernel, bindings, target }: KernelSource, position: string): void {
  const refuse = (what: string, asked: number, limit: number) => {
    if (asked <= limit) return;
    throw new StatusError(
      'invalidArgument',
      `${kernel.name} (${position}) has ${asked} ${what}; this device takes ${limit}`,
      { where: position },
    );
  };
  refuse('lanes', kernel.lanes, target.invocations);
  refuse('storage bindings', bindings.list.length, target.bindings);
  const words = kernel.params.reduce((sum, param) => sum + ('view' in param ? 2 : 1), 0);
  refuse('words of parameters (two a view, one a scalar)', words, SLOT_BYTES / 4);
}

function kernelScope({ kernel, files, bindings, target }: KernelSource): WgslScope {
  const code = new WgslWriter(files);
  const parameter = parameterOf(kernel);
  const params = kernel.params.flatMap((param) => ('view' in param ? [param.view] : []));
  const paramOf = (view: ViewId): number => params.indexOf(parameter(view));
  const viewNames = kernel.views.map(({ name }, id) => safeName(name, id, 'v'));
  const views = params.map((view, k) => {
    const { carrier, access } = bindings.list[bindings.views[k]!]!;
    const array = `binding_${bindings.views[k]}`;
    const name = viewNames[view]!;
    return { info: kernel.views[view]!, carrier, name, array, constant: access === 'read' };
  });
  const barriers = barriersOf(kernel);
  const isConstant = (view: ViewId) => views[paramOf(view)]!.constant;
  const names = kernel.locals.map(({ name }, id) => safeName(name, id, 'l'));
  const scope: WgslScope = {
    kernel,
    target,
    code,
    prelude: new Prelude(),
    jumps: new Jumps(code),
    views,
    shared: sharedArrays(
      kernel,
      kernel.shared.map(({ name }, id) => safeName(name, id, 's')),
    ),
    locals: localTexts(kernel, names),
    viewNames,
    privates: kernel.privates.map(({ name, count }, id) =>
      Array.from({ length: count }, (_, i) => `${safeName(name, id, 'p')}_${i}`),
    ),
    lets: localKinds(kernel).lets,
    ranges: new Map(),
    paramOf,
    barriers,
    uniform: uniformityOf(kernel, isConstant, barriers.size > 0 || hasWaits(kernel)).nodes,
    totals: dotTotals(kernel),
    sharedTakes: sharedTakes(kernel),
    scratch: new Map(),
    needs: new Set(),
    emit: { value: (expr) => emitValue(scope, expr), block: (block) => emitBlock(scope, block) },
  };
  return scope;
}

/** Scalar parameters are read from the slot; a bool lies there as a number. */
function localTexts(kernel: Kernel, names: readonly string[]): readonly string[] {
  const texts = [...names];
  for (const param of kernel.params) {
    if (!('local' in param)) continue;
    const name = `slot.${names[param.local]}`;
    const isBool = typeName(kernel.locals[param.local]!.type) === 'bool';
    texts[param.local] = isBool ? `(${name} != 0u)` : name;
  }
  return texts;
}

function memoryBytes({ shared, scratch }: WgslScope): number {
  const arrays = shared.map(({ shape, count }) => workgroupBytes(shape, count));
  const others = [...scratch.values()].map(({ shape, count }) => workgroupBytes(shape, count));
  return [...arrays, ...others].reduce((sum, bytes) => sum + bytes, 0);
}

function sourceText(scope: WgslScope, { list }: KernelBindings, needs: readonly string[]): string {
  const { kernel } = scope;
  const directives = needs.map((need) =>
    // The language shows that a subgroup comes by together; WGSL's own analysis knows less.
    need === 'subgroups'
      ? 'enable subgroups;\ndiagnostic(off, subgroup_uniformity);'
      : `requires ${need};`,
  );
  const declarations = list.map(
    ({ access, carrier }, n) =>
      `@group(0) @binding(${n}) var<storage, ${access}> binding_${n}: array<${carrier.element}>;`,
  );
  const slot = slotFields(scope);
  if (slot.length > 0) {
    declarations.push(
      `struct Slot { ${slot.join(', ')} }`,
      `@group(0) @binding(${list.length}) var<uniform> slot: Slot;`,
    );
  }
  declarations.push(...scope.shared.map(declaration));
  for (const [name, { shape, count }] of scope.scratch)
    declarations.push(`var<workgroup> ${name}: array<${nameOf(shape)}, ${count}>;`);
  const head = [...directives, ...declarations].map((line) => `${line}\n`).join('');
  const prelude = scope.prelude.text;
  const inputs = [
    '@builtin(local_invocation_index) lane: u32',
    '@builtin(workgroup_id) group: vec3<u32>',
    ...(needs.includes('subgroups') ? ['@builtin(subgroup_invocation_id) sub_lane: u32'] : []),
  ];
  const main = `@compute @workgroup_size(${kernel.lanes})
fn main(${inputs.join(', ')}) {
${[...variables(scope).map((line) => `  ${line}`), ...scope.code.lines].join('\n')}
}
`;
  return [`${head}`, ...(prelude === '' ? [] : [prelude]), main].join('\n');
}

function slotFields({ kernel, views, locals }: WgslScope): readonly string[] {
  const fields = views.flatMap(({ name }) => [`${name}_base: u32`, `${name}_length: u32`]);
  for (const param of kernel.params) {
    if (!('local' in param)) continue;
    const type = typeName(kernel.locals[param.local]!.type);
    const name = /slot\.(\w+)/.exec(locals[param.local]!)![1]!;
    fields.push(`${name}: ${type === 'bool' ? 'u32' : type}`);
  }
  return fields;
}

function variables({ kernel, locals, viewNames, privates, code }: WgslScope): readonly string[] {
  const kinds = localKinds(kernel);
  const text: string[] = [];
  if (code.lines.some((line) => line.includes('zero_bits'))) text.push('var zero_bits = 0u;');
  for (const local of kinds.variables) {
    if (locals[local]!.startsWith('slot.')) continue;
    text.push(declared(locals[local]!, nameOf(shapeOf(kernel.locals[local]!.type))));
  }
  kernel.views.forEach(({ origin }, view) => {
    if (origin === 'param') return;
    text.push(declared(`${viewNames[view]}_base`, 'u32'));
    text.push(declared(`${viewNames[view]}_length`, 'u32'));
  });
  kernel.privates.forEach(({ type }, id) => {
    for (const name of privates[id]!) text.push(declared(name, typeName(type)));
  });
  return text;
}
