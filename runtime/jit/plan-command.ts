/**
 * The plan of a command program: steps by part, barriers between them, where workspaces lie. Pure
 * and independent of any code generator; drivers for other devices read the same plan.
 */
import type { CommandProgram, Dispatch, Range } from '../loom/typed.js';
import { HazardTracker, type Touch } from './hazards.js';
import { placeWorkspaces, type Placement, type WorkspaceLife } from './place-workspaces.js';

export type PlannedStep =
  /** Zeroes a workspace before its first use. */
  | {
      readonly op: 'fill';
      readonly barrier: boolean;
      readonly workspace: number;
      readonly start: number;
      readonly bytes: number;
    }
  /** `index` counts dispatches over the whole program: counters, messages, step names. */
  | {
      readonly op: 'dispatch';
      readonly barrier: boolean;
      readonly index: number;
      readonly dispatch: Dispatch;
    };

export interface CommandPlan {
  readonly program: CommandProgram;
  readonly parts: readonly (readonly PlannedStep[])[];
  readonly placement: Placement;
  readonly barriers: number;
  /** A root that is both read for words and written: workers wait until all have read them. */
  readonly wordsNeedBarrier: boolean;
}

type UnplannedStep =
  | { readonly op: 'fill'; readonly workspace: number }
  | { readonly op: 'dispatch'; readonly index: number; readonly dispatch: Dispatch };

export function planCommand(program: CommandProgram): CommandPlan {
  const parts = splitParts(program);
  const placement = placeWorkspaces(livesOf(program, parts));
  const tracker = new HazardTracker();
  let barriers = 0;
  const planned = parts.map((steps) => {
    tracker.reset();
    return steps.map((step): PlannedStep => {
      const barrier = tracker.step(touchesOf(program, placement, step));
      if (barrier) barriers++;
      if (step.op === 'dispatch') return { ...step, barrier };
      const start = placement.offsets[step.workspace]!;
      return { ...step, barrier, start, bytes: program.workspaces[step.workspace]!.bytes };
    });
  });
  const wordsNeedBarrier = program.roots.some(
    (root) => root.hosted && (root.access === 'out' || root.access === 'inout'),
  );
  return { program, parts: planned, placement, barriers, wordsNeedBarrier };
}

/** Dispatches by part, each part led by the fills of the workspaces first used in it. */
function splitParts(program: CommandProgram): readonly (readonly UnplannedStep[])[] {
  const parts: UnplannedStep[][] = [[]];
  const filled = new Set<number>();
  const leading = (part: UnplannedStep[]) => part.filter((step) => step.op === 'fill').length;
  const fill = (part: UnplannedStep[], workspace: number) => {
    filled.add(workspace);
    part.splice(leading(part), 0, { op: 'fill', workspace });
  };
  // What lives as long as the invocation is cleared once, however often later parts run.
  program.workspaces.forEach((workspace, index) => {
    if (workspace.zero && workspace.lifetime === 'invocation') fill(parts[0]!, index);
  });
  let index = 0;
  for (const step of program.steps) {
    if (step.op === 'part') {
      parts.push([]);
      continue;
    }
    const part = parts.at(-1)!;
    for (const range of rangesOf(step)) {
      const { base } = range;
      if (base.kind !== 'workspace' || filled.has(base.index)) continue;
      if (program.workspaces[base.index]!.zero) fill(part, base.index);
    }
    part.push({ op: 'dispatch', index: index++, dispatch: step });
  }
  return parts;
}

/** Every range that a dispatch touches, in argument order, then the indirect grid's. */
export function rangesOf(dispatch: Dispatch): readonly Range[] {
  const ranges = dispatch.args.filter((arg): arg is Range => 'base' in arg);
  return dispatch.grid.kind === 'indirect' ? [...ranges, dispatch.grid.range] : ranges;
}

function livesOf(
  program: CommandProgram,
  parts: readonly (readonly UnplannedStep[])[],
): readonly WorkspaceLife[] {
  const lives = program.workspaces.map(() => null as { first: number; last: number } | null);
  parts.flat().forEach((step, at) => {
    const touch = (workspace: number) => {
      const known = lives[workspace];
      if (known) known.last = at;
      else lives[workspace] = { first: at, last: at };
    };
    if (step.op === 'fill') return touch(step.workspace);
    for (const { base } of rangesOf(step.dispatch))
      if (base.kind === 'workspace') touch(base.index);
  });
  return program.workspaces.map(({ bytes, lifetime }, index) => ({
    bytes,
    lifetime,
    live: lives[index]!,
  }));
}

function touchesOf(
  program: CommandProgram,
  placement: Placement,
  step: UnplannedStep,
): readonly Touch[] {
  if (step.op === 'fill') {
    const start = placement.offsets[step.workspace]!;
    const end = start + program.workspaces[step.workspace]!.bytes;
    return [{ space: 'workspace', start, end, writes: true }];
  }
  const { dispatch } = step;
  const kernel = program.kernels[dispatch.kernel]!;
  const touches = dispatch.args.flatMap((arg, index) => {
    const param = kernel.params[index]!;
    if (!('base' in arg) || !('view' in param)) return [];
    const touch = absolute(program, placement, arg);
    return touch ? [{ ...touch, writes: kernel.views[param.view]!.access !== 'in' }] : [];
  });
  if (dispatch.grid.kind === 'indirect') {
    const touch = absolute(program, placement, dispatch.grid.range);
    if (touch) touches.push({ ...touch, writes: false });
  }
  return touches;
}

/** Banks are never written, so their ranges are no touches. */
function absolute(
  program: CommandProgram,
  placement: Placement,
  { base, offset, length }: Range,
): Omit<Touch, 'writes'> | null {
  if (base.kind === 'bank') return null;
  if (base.kind === 'root') {
    return { space: `root ${base.index}`, start: offset, end: offset + (length ?? Infinity) };
  }
  const start = placement.offsets[base.index]! + offset;
  return {
    space: 'workspace',
    start,
    end: start + (length ?? program.workspaces[base.index]!.bytes - offset),
  };
}
