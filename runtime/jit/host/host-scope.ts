/**
 * What the emission of one host function shares, and the three things that every emitter of it
 * does: call a heap operation with its position noted, raise a fault, and charge fuel. Positions
 * are noted at every call, since any of them may raise.
 */
import type { Block, Expr, HostFunction, Site } from '../../loom/typed.js';
import { operatorCodes, type HeapFunction } from '../../vm/heap-operations.js';
import { FUEL } from '../../vm/memory-map.js';
import type { Faults } from '../numeric/arithmetic.js';
import type { FunctionBody, Label } from '../wasm/function-body.js';
import type { HostModule } from './host-module.js';

export interface HostEmitters {
  value(expr: Expr): void;
  block(block: Block, site: Site): void;
}

export interface HostScope {
  readonly emit: HostEmitters;
  readonly module: HostModule;
  readonly func: HostFunction;
  readonly code: FunctionBody;
  /** WebAssembly locals by local id. */
  readonly locals: readonly number[];
  /** Where results wait until the function has closed its call. */
  readonly results: readonly number[];
  exit: Label;
  readonly labels: Map<number, Label>;
  readonly loops: { readonly exit: Label; readonly next: Label }[];
}

export function callOperation(scope: HostScope, name: HeapFunction, site: Site): void {
  scope.code.mark(site);
  scope.code.call(scope.module.operation(name));
}

/** With a condition on the stack: raises when it holds. `args` pushes the operands of the fault. */
export function faultIf(scope: HostScope, name: HeapFunction, site: Site, args: () => void): void {
  const { code } = scope;
  code.if();
  args();
  callOperation(scope, name, site);
  code.op('unreachable');
  code.end();
}

/** What arithmetic of host code does on a zero divisor and on i64 overflow. */
export function faultsAt(scope: HostScope, operator: string, site: Site): Faults {
  const raise = (name: HeapFunction) => () =>
    faultIf(scope, name, site, () => scope.code.i32(operatorCodes.indexOf(operator)));
  return { divisionByZero: raise('fault.divisionByZero'), overflow: raise('fault.overflow') };
}

/** Takes the cost of a block from the fuel of the call, when control enters it. */
export function chargeFuel(scope: HostScope, cost: number, site: Site): void {
  if (cost === 0) return;
  const { code } = scope;
  const left = code.temp('i32');
  code.i32(0);
  code.i32(0);
  code.access('i32.load', FUEL);
  code.i32(cost);
  code.op('i32.sub');
  code.tee(left);
  code.access('i32.store', FUEL);
  code.get(left);
  code.i32(0);
  code.op('i32.lt_s');
  faultIf(scope, 'fault.fuel', site, () => {
    // Spent fuel reads -1, whatever the block would have cost.
    code.i32(0);
    code.i32(-1);
    code.access('i32.store', FUEL);
  });
  code.release('i32', left);
}
