/** Runs one expression as a host function or as a kernel of one lane. */
import type { Expr, HostFunction, Type } from '../../../runtime/loom/typed.js';
import type { CapabilityTable } from '../../../runtime/vm/capability.js';
import { interpretCommand } from '../../../runtime/vm/device/command-interpreter.js';
import { HostVm, type HostLimits } from '../../../runtime/vm/host-vm.js';
import type { HostValue } from '../../../runtime/vm/host-value.js';
import type { SealedState } from '../../../runtime/vm/heap.js';
import * as b from '../../generators/typed-builder.js';

export interface VmOptions {
  readonly capabilities?: CapabilityTable;
  readonly limits?: Partial<HostLimits>;
  readonly state?: SealedState;
  readonly extra?: Parameters<typeof b.hostProgram>[1];
}

export function vmOf(functions: readonly HostFunction[], options: VmOptions = {}): HostVm {
  return HostVm.create({
    program: b.hostProgram(functions, options.extra),
    executor: 'interpret',
    capabilities: options.capabilities ?? new Map(),
    limits: options.limits,
    state: options.state,
  });
}

/** The value of an expression without variables on the host. */
export function evaluate(expr: Expr): HostValue {
  const f = new b.FunctionBuilder('f');
  return vmOf([f.build([expr.type], b.block(b.ret(expr)))]).call('f', [])[0]!;
}

/** A host function of some parameters, ready to be called many times. */
export function hostFunctionOf(
  params: readonly Type[],
  make: (params: readonly Expr[]) => Expr,
): (...args: HostValue[]) => HostValue {
  const f = new b.FunctionBuilder('f');
  const variables = params.map((type, i) => f.param(`p${i}`, type));
  const expr = make(variables.map((variable) => variable.get));
  const vm = vmOf([f.build([expr.type], b.block(b.ret(expr)))]);
  return (...args) => vm.call('f', args)[0]!;
}

/** The words that an expression of type u32 gives in a kernel of one lane. */
export function deviceWord(expr: Expr): number {
  const k = new b.KernelBuilder('k', 1);
  const out = k.view('out', 'out', b.storage('u32'));
  const lane = k.local('lane', b.t.i32);
  const region = k.parallel(
    lane,
    { from: b.i32(0), to: b.i32(1) },
    b.block(out.set(b.i32(0), expr)),
  );
  const program = b.commandProgram({
    roots: [b.root('out')],
    kernels: [k.build(b.block(region))],
    steps: [b.dispatch(0, [b.wholeRoot(0)], 1)],
  });
  const root = new Uint8Array(4);
  interpretCommand(program, { roots: [root] });
  return new DataView(root.buffer).getUint32(0, true);
}

/** What `run` throws; fails when it does not. */
export function errorOf(
  run: () => unknown,
): Error & { code?: string; status?: { where?: string; details?: readonly string[] } } {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
