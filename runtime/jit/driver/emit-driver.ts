/**
 * The driver of a command program: `run(worker, workers, args)`. Straight-line code over the plan:
 * barriers where a hazard asks, fills, grids, arguments, one call a dispatch. It is cut into
 * functions of a few steps, because the optimising compiler is slow on very long ones. Every
 * function answers the poison word (not 0: leave at once).
 */
import type { Dispatch, WordExpr } from '../../loom/typed.js';
import { ARGS, POISON, SINK_BYTES } from '../local-abi.js';
import type { CommandPlan, PlannedStep } from '../plan-command.js';
import { checkBody } from '../wasm/body-limits.js';
import { FunctionBody } from '../wasm/function-body.js';
import { emitOwnShare } from './driver-module.js';
import type { DriverModule } from './driver-module.js';
import {
  pushRangeAddress,
  pushRangeBytes,
  pushView,
  type ArgumentContext,
} from './emit-arguments.js';
import { Words } from './emit-words.js';

const STEPS_A_FUNCTION = 16;
const EXTENT_MAX = 65_535;
/** Bytes of one indirect grid: three u32. */
const INDIRECT_BYTES = 12;

export interface DriverInput {
  readonly module: DriverModule;
  readonly plan: CommandPlan;
  /** Index of the grid function of each kernel. */
  readonly grids: ReadonlyMap<number, number>;
}

interface StepScope extends ArgumentContext {
  readonly code: FunctionBody;
  readonly words: Words;
  readonly grids: ReadonlyMap<number, number>;
}

export function emitDriver({ module, plan, grids }: DriverInput): void {
  const { program, placement } = plan;
  const words = new Words(module, program);
  const parts = plan.parts.map((steps, part) => {
    const functions: number[] = [];
    const meetings = meetingsOf(steps);
    for (let first = 0; first < steps.length; first += STEPS_A_FUNCTION) {
      const code = new FunctionBody({ params: [], results: ['i32'] });
      const scope: StepScope = { module, program, placement, code, words, grids };
      for (const step of steps.slice(first, first + STEPS_A_FUNCTION)) {
        if (step.barrier) emitBarrier(code, meetings.has(step) ? module.meeting : module.barrier);
        emitStep(scope, step);
      }
      code.i32(0);
      functions.push(module.helper(`part${part}_from${first}`, () => code));
    }
    return functions;
  });
  const run = runBody(module, { words, parts, plan });
  checkBody(run, program.name);
  const index = module.helper('run', () => run);
  module.builder.exportFunction('run', index);
}

interface RunInput {
  readonly words: Words;
  readonly parts: readonly (readonly number[])[];
  readonly plan: CommandPlan;
}

function runBody(module: DriverModule, { words, parts, plan }: RunInput): FunctionBody {
  const code = new FunctionBody({ params: ['i32', 'i32', 'i32'], results: [] });
  const { globals } = module;
  const [worker, workers, args] = [0, 1, 2];
  const load = (offset: number) => {
    code.get(args);
    code.access('i32.load', offset);
  };
  const fromParam = [
    [worker, globals.worker],
    [workers, globals.workers],
    [args, globals.args],
  ] as const;
  for (const [param, global] of fromParam) {
    code.get(param);
    code.setGlobal(global);
  }
  const fromBlock = [
    [ARGS.sync, globals.sync],
    [ARGS.zeroPage, globals.zeroPage],
    [ARGS.budget, globals.budget],
  ] as const;
  for (const [offset, global] of fromBlock) {
    load(offset);
    code.setGlobal(global);
  }
  load(ARGS.scratch);
  load(ARGS.scratchStride);
  code.get(worker);
  code.ops('i32.mul', 'i32.add');
  code.setGlobal(globals.sink);
  code.getGlobal(globals.sink);
  code.i32(SINK_BYTES);
  code.op('i32.add');
  code.setGlobal(globals.scratch);
  emitLastByte(code, globals.lastByte);
  code.i32(0);
  code.setGlobal(globals.begun);
  words.emitReads(code);
  if (plan.wordsNeedBarrier && words.used) {
    code.call(module.meeting);
    emitLeave(code);
  }
  parts.forEach((functions, part) => {
    load(ARGS.part);
    code.i32(part);
    code.op('i32.eq');
    code.if();
    for (const step of functions) {
      code.call(step);
      emitLeave(code);
    }
    code.end();
  });
  return code;
}

/** Of 65,536 pages the product is 0, and one less the last address again. */
function emitLastByte(code: FunctionBody, global: number): void {
  code.op('memory.size');
  code.i32(16);
  code.op('i32.shl');
  code.i32(1);
  code.op('i32.sub');
  code.setGlobal(global);
}

/** Leaves a function without results when the i32 on the stack is not 0. */
function emitLeave(code: FunctionBody): void {
  code.if();
  code.op('return');
  code.end();
}

/** Leaves a step function when the poison word on the stack is set. */
function emitLeavePoisoned(code: FunctionBody): void {
  code.if();
  code.i32(1);
  code.op('return');
  code.end();
}

/**
 * Steps before which all workers meet: behind a grid that lies in memory, which a worker that comes
 * late must still find there.
 */
function meetingsOf(steps: readonly PlannedStep[]): ReadonlySet<PlannedStep> {
  const meetings = new Set<PlannedStep>();
  let isRead = false;
  for (const step of steps) {
    if (step.barrier && isRead) meetings.add(step);
    if (step.barrier) isRead = false;
    if (step.op === 'dispatch' && step.dispatch.grid.kind === 'indirect') isRead = true;
  }
  return meetings;
}

function emitBarrier(code: FunctionBody, barrier: number): void {
  code.call(barrier);
  emitLeavePoisoned(code);
}

function emitStep(scope: StepScope, step: PlannedStep): void {
  const { code, module } = scope;
  if (step.op === 'fill') return emitFill(scope, step);
  code.i32(step.index);
  code.setGlobal(module.globals.step);
  emitDispatch(scope, step.dispatch, step.index);
}

/** Each worker clears its share, in whole 16 bytes; the last takes the rest. */
function emitFill(scope: StepScope, step: PlannedStep & { readonly op: 'fill' }): void {
  const { code, module } = scope;
  const { worker, workers, args } = module.globals;
  const units = Math.floor(step.bytes / 16);
  const from = code.temp('i32');
  /** Bytes before the share of worker (worker + add). */
  const pushShare = (add: number) => {
    code.getGlobal(worker);
    code.i32(add);
    code.ops('i32.add', 'i64.extend_i32_u');
    code.i64(BigInt(units));
    code.op('i64.mul');
    code.getGlobal(workers);
    code.ops('i64.extend_i32_u', 'i64.div_u', 'i32.wrap_i64');
    code.i32(4);
    code.op('i32.shl');
  };
  pushShare(0);
  code.set(from);
  code.getGlobal(args);
  code.access('i32.load', ARGS.workspace);
  code.i32(step.start);
  code.op('i32.add');
  code.get(from);
  code.op('i32.add');
  code.i32(0);
  // The last share ends at the last byte, not at the last whole unit.
  code.i32(step.bytes);
  pushShare(1);
  code.getGlobal(worker);
  code.i32(1);
  code.op('i32.add');
  code.getGlobal(workers);
  code.ops('i32.eq', 'select');
  code.get(from);
  code.op('i32.sub');
  code.op('memory.fill');
  code.release('i32', from);
  emitOwnShare(code, module);
}

function emitDispatch(scope: StepScope, dispatch: Dispatch, index: number): void {
  const { code, module, program } = scope;
  const kernel = program.kernels[dispatch.kernel]!;
  const extents = [code.temp('i32'), code.temp('i32'), code.temp('i32')];
  emitExtents(scope, dispatch, extents);
  for (const extent of extents) {
    code.get(extent);
    code.i32(EXTENT_MAX);
    code.op('i32.gt_u');
    code.if();
    code.i32(POISON.gridTooLarge);
    code.get(extent);
    code.call(module.poison);
    code.i32(1);
    code.op('return');
    code.end();
  }
  for (const extent of extents) code.get(extent);
  code.getGlobal(module.globals.args);
  code.access('i32.load', ARGS.counters);
  if (index > 0) {
    code.i32(index * 4);
    code.op('i32.add');
  }
  dispatch.args.forEach((arg, at) => {
    const param = kernel.params[at]!;
    if ('base' in arg && 'view' in param) pushView(code, scope, arg, kernel.views[param.view]!);
    else if ('word' in arg) scope.words.emit(code, arg.word);
  });
  code.call(scope.grids.get(dispatch.kernel)!);
  emitLeavePoisoned(code);
  for (const extent of extents) code.release('i32', extent);
}

function emitExtents(scope: StepScope, dispatch: Dispatch, extents: readonly number[]): void {
  const { code } = scope;
  const { grid } = dispatch;
  if (grid.kind === 'direct') {
    const one: WordExpr = { op: 'const', type: 'i32', value: 1 };
    extents.forEach((extent, axis) => {
      scope.words.emit(code, grid.extents[axis] ?? one);
      code.set(extent);
    });
    return;
  }
  // An indirect grid that lies outside its range is empty.
  const offset = grid.index * INDIRECT_BYTES;
  for (const extent of extents) {
    code.i32(0);
    code.set(extent);
  }
  pushRangeBytes(code, scope, grid.range);
  code.i32(offset + INDIRECT_BYTES);
  code.op('i32.ge_u');
  code.if();
  extents.forEach((extent, axis) => {
    pushRangeAddress(code, scope, grid.range);
    code.access('i32.load', offset + axis * 4);
    code.set(extent);
  });
  code.end();
}
