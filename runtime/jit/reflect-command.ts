/** What a compiled command program tells about itself, for every code generator. */
import { positionOf } from '../vm/program-error.js';
import { WORKSPACE_ALIGNMENT } from './place-workspaces.js';
import type { CommandPlan } from './plan-command.js';
import type { ExecutableReflection } from './reflection.js';

/** What only the code generator knows. */
export type CodeReflection = Pick<ExecutableReflection, 'kernels' | 'codeBytes' | 'scratchBytes'>;

export function reflectCommand(plan: CommandPlan, code: CodeReflection): ExecutableReflection {
  const { program, placement } = plan;
  const dispatches = program.steps.filter((step) => step.op === 'dispatch');
  return {
    ...code,
    name: program.name,
    roots: program.roots,
    banks: program.banks,
    bankFields: program.banks.flatMap((bank) => bank.fields.map((field) => field.bytes)),
    workspaceBytes: placement.peakBytes,
    invocationBytes: placement.invocationBytes,
    workspaceAlignment: WORKSPACE_ALIGNMENT,
    workspaces: program.workspaces.map(({ name, bytes, lifetime }, index) => ({
      name,
      bytes,
      lifetime,
      offset: placement.offsets[index]!,
    })),
    parts: plan.parts.length,
    steps: dispatches.map((step) => {
      const { name, site } = program.kernels[step.kernel]!;
      return `${name} (${positionOf(program.files, site)})`;
    }),
    dispatches: dispatches.length,
    barriers: plan.barriers,
  };
}
