/** Takes from a worker's budget; shared by loops of kernels and by the workgroups of a dispatch. */
import type { FunctionBody } from '../wasm/function-body.js';

export interface Charge {
  /** Local with the number of rounds or workgroups. */
  readonly rounds: number;
  /** Budget that each costs. */
  readonly units: number;
}

/** Poisons the submission and then runs `leave` when the budget does not cover the charge. */
export function emitBudgetCharge(
  code: FunctionBody,
  module: { readonly globals: { readonly budget: number }; readonly ranTooLong: number },
  { rounds, units }: Charge,
  leave: () => void,
): void {
  const { budget } = module.globals;
  code.getGlobal(budget);
  if (units > 1) {
    // Divided, not multiplied: the product might wrap.
    code.i32(units);
    code.op('i32.div_u');
  }
  code.get(rounds);
  code.op('i32.lt_u');
  code.if();
  code.call(module.ranTooLong);
  leave();
  code.end();
  code.getGlobal(budget);
  code.get(rounds);
  if (units > 1) {
    code.i32(units);
    code.op('i32.mul');
  }
  code.op('i32.sub');
  code.setGlobal(budget);
}
