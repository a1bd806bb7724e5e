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
import { shaderText } from './shader-text.js';
import { sharedArrays, workgroupBytes } from './shared-functions.js';
import { uniformityOf } from './uniformity.js';
import { SLOT_BYTES, type WgslKernel, type WgslTarget } from './wgsl-program.js';
import { safeName, type WgslScope } from './wgsl-scope.js';
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
    source: shaderText(scope, bindings, needs),
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
    locals: kernel.locals.map(({ name }, id) => safeName(name, id, 'l')),
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

function memoryBytes({ shared, scratch }: WgslScope): number {
  const arrays = shared.map(({ shape, count }) => workgroupBytes(shape, count));
  const others = [...scratch.values()].map(({ shape, count }) => workgroupBytes(shape, count));
  return [...arrays, ...others].reduce((sum, bytes) => sum + bytes, 0);
}
