/**
 * Compiles a command program for a WebGPU device: shaders, interned by what they depend on, and the
 * plan that a driver follows. Stateless; the result is plain data.
 */
import { StatusError } from '../../base/errors.js';
import type { CommandProgram, Dispatch, Kernel, WordExpr } from '../../loom/typed.js';
import { backEdgeBound } from '../kernel/loop-rounds.js';
import { planCommand, type CommandPlan, type PlannedStep } from '../plan-command.js';
import { reflectCommand } from '../reflect-command.js';
import type { ExecutableReflection, KernelReflection } from '../reflection.js';
import { emitKernel } from './emit-kernel.js';
import { bindingsOf, type KernelBindings } from './kernel-bindings.js';
import type {
  WgslDispatch,
  WgslKernel,
  WgslProgram,
  WgslStep,
  WgslTarget,
} from './wgsl-program.js';
import { bytesOf, shapeOf } from './wgsl-types.js';

export interface CompiledWgsl {
  readonly reflection: ExecutableReflection;
  readonly program: WgslProgram;
}

export function compileWgsl(program: CommandProgram, target: WgslTarget): CompiledWgsl {
  const plan = planCommand(program);
  const shaders = new Shaders(program, target);
  const parts = plan.parts.map((steps) => steps.map((step) => shaders.step(step)));
  return { reflection: shaders.reflection(plan), program: { kernels: shaders.kernels, parts } };
}

class Shaders {
  readonly kernels: WgslKernel[] = [];
  readonly #program: CommandProgram;
  readonly #target: WgslTarget;
  /** Kernel of the program that each shader was made from. */
  readonly #origins: number[] = [];
  readonly #known = new Map<string, number>();

  constructor(program: CommandProgram, target: WgslTarget) {
    this.#program = program;
    this.#target = target;
  }

  step(step: PlannedStep): WgslStep {
    if (step.op === 'fill') {
      const { workspace, start, bytes } = step;
      return { op: 'fill', workspace, start, bytes };
    }
    return this.#dispatch(step.dispatch, step.index);
  }

  #dispatch(dispatch: Dispatch, index: number): WgslDispatch {
    const kernel = this.#program.kernels[dispatch.kernel]!;
    const bindings = bindingsOf(this.#program, dispatch, this.#target);
    return {
      op: 'dispatch',
      index,
      kernel: this.#shader(dispatch.kernel, bindings),
      bindings: bindings.list.map(({ range }) => range),
      views: dispatch.args.flatMap((arg) =>
        'base' in arg ? [{ offset: arg.offset, length: arg.length }] : [],
      ),
      scalars: kernel.params.flatMap((param, i) => scalarOf(kernel, dispatch, { param, i })),
      grid: gridOf(dispatch),
    };
  }

  #shader(index: number, bindings: KernelBindings): number {
    const key = `${index} ${bindings.key}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const { files, kernels } = this.#program;
    const kernel = kernels[index]!;
    const made = emitKernel({ kernel, files, bindings, target: this.#target });
    this.kernels.push(made);
    this.#origins.push(index);
    this.#known.set(key, this.kernels.length - 1);
    return this.kernels.length - 1;
  }

  reflection(plan: CommandPlan): ExecutableReflection {
    const kernels = this.kernels.map((shader, at): KernelReflection => {
      const kernel = this.#program.kernels[this.#origins[at]!]!;
      return {
        name: shader.name,
        lanes: kernel.lanes,
        views: shader.views.length,
        sharedBytes: shader.workgroupBytes,
        privateBytes: privateBytes(kernel),
        backEdgeBound: backEdgeBound(kernel.body),
        codeBytes: shader.source.length,
      };
    });
    const codeBytes = kernels.reduce((sum, kernel) => sum + kernel.codeBytes, 0);
    // Workgroup memory is the device's own: no worker brings scratch.
    return reflectCommand(plan, { kernels, codeBytes, scratchBytes: 0 });
  }
}

function privateBytes({ lanes, privates }: Kernel): number {
  return privates.reduce((sum, { type, count }) => sum + bytesOf(shapeOf(type)) * count * lanes, 0);
}

function scalarOf(
  kernel: Kernel,
  { args }: Dispatch,
  { param, i }: { readonly param: Kernel['params'][number]; readonly i: number },
): readonly WordExpr[] {
  if ('view' in param) return [];
  const arg = args[i];
  if (arg !== undefined && 'word' in arg) return [arg.word];
  throw new StatusError('internal', `a range for scalar parameter ${i} of ${kernel.name}`);
}

function gridOf({ grid }: Dispatch): WgslDispatch['grid'] {
  if (grid.kind === 'direct') return grid;
  return { kind: 'indirect', base: grid.range.base, offset: grid.range.offset + grid.index * 12 };
}
