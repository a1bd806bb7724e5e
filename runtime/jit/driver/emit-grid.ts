/**
 * The workgroups of one dispatch, shared among workers: `grid_<kernel>(gx, gy, gz, counter, kernel
 * arguments…)` takes chunks from the step's atomic counter until none is left, and says how many
 * it has done. Answers the poison word; a worker that was slow or preempted costs one chunk, not
 * the step.
 */
import type { Kernel } from '../../loom/typed.js';
import { emitBudgetCharge } from '../kernel/emit-charge.js';
import { kernelType } from '../kernel/emit-kernel.js';
import { unitsOf } from '../kernel/loop-rounds.js';
import { SYNC } from '../local-abi.js';
import { FunctionBody } from '../wasm/function-body.js';
import type { DriverModule } from './driver-module.js';

/**
 * Each worker first takes one long chunk, all of which cover three quarters of a step, then chunks
 * that balance, of which all would take so many. What lies behind each other is read fastest in one
 * go, and a worker of half the speed still finds others to take what is left.
 */
const LONG_QUARTERS = 3;
const CHUNKS_PER_WORKER = 8;

/** Parameters before the kernel's own arguments. */
const GX = 0;
const GY = 1;
const GZ = 2;
const COUNTER = 3;
const ARGUMENTS = 4;

export function gridBody(module: DriverModule, kernel: Kernel, kernelIndex: number): FunctionBody {
  const given = kernelType(kernel).params.slice(3);
  const code = new FunctionBody({
    params: ['i32', 'i32', 'i32', 'i32', ...given],
    results: ['i32'],
  });
  const { globals } = module;
  const chunks: Chunks = {
    total: code.local('i32'),
    first: code.local('i32'),
    firsts: code.local('i32'),
    chunk: code.local('i32'),
  };
  const at = code.local('i32');
  const end = code.local('i32');
  const own = code.local('i32');
  emitTotal(code, module, chunks.total);
  emitChunkSizes(code, module, chunks);
  emitBegun(code, module, chunks);
  const done = code.block();
  const again = code.loop();
  code.get(COUNTER);
  code.i32(1);
  code.access('i32.atomic.rmw.add', 0);
  code.set(at);
  emitChunk(code, chunks, { at, end });
  code.get(at);
  code.get(chunks.total);
  code.op('i32.ge_u');
  code.brIf(done);
  emitChunkCharge(code, module, { at, end, units: unitsOf(kernel.body) });
  emitWorkgroups(code, { at, end, arguments: given.length, kernelIndex, sync: globals.sync });
  code.get(own);
  code.i32(1);
  code.op('i32.add');
  code.set(own);
  code.br(again);
  code.end();
  code.end();
  code.get(own);
  code.if();
  code.get(own);
  code.call(module.complete);
  code.end();
  code.getGlobal(globals.sync);
  code.access('i32.atomic.load', SYNC.poison);
  return code;
}

/** gx * gy * gz; a grid that no budget can cover is refused at once. */
function emitTotal(code: FunctionBody, module: DriverModule, total: number): void {
  const wide = code.local('i64');
  code.get(GX);
  code.op('i64.extend_i32_u');
  code.get(GY);
  code.ops('i64.extend_i32_u', 'i64.mul');
  code.get(GZ);
  code.ops('i64.extend_i32_u', 'i64.mul');
  code.tee(wide);
  code.i64(2n ** 30n);
  code.op('i64.gt_u');
  code.if();
  code.call(module.ranTooLong);
  code.i32(1);
  code.op('return');
  code.end();
  code.get(wide);
  code.op('i32.wrap_i64');
  code.set(total);
}

/** How one step is cut: `firsts` chunks of `first` workgroups, then chunks of `chunk`. */
interface Chunks {
  readonly total: number;
  readonly first: number;
  readonly firsts: number;
  readonly chunk: number;
}

/** A lone worker takes everything at once; steps of few workgroups have no first chunks. */
function emitChunkSizes(code: FunctionBody, module: DriverModule, chunks: Chunks): void {
  const { total, first, firsts, chunk } = chunks;
  const { workers } = module.globals;
  const divide = (parts: number): void => {
    code.getGlobal(workers);
    code.i32(parts);
    code.ops('i32.mul', 'i32.div_u');
  };
  code.get(total);
  code.get(total);
  code.i32(LONG_QUARTERS);
  code.op('i32.mul');
  divide(4);
  code.getGlobal(workers);
  code.i32(1);
  code.ops('i32.eq', 'select');
  code.set(first);
  code.getGlobal(workers);
  code.i32(0);
  code.get(first);
  code.op('select');
  code.set(firsts);
  code.get(total);
  divide(CHUNKS_PER_WORKER);
  code.tee(chunk);
  code.i32(1);
  code.get(chunk);
  code.op('select');
  code.set(chunk);
}

/** All chunks of this step are begun: the first ones and ceil(what is left / chunk). */
function emitBegun(code: FunctionBody, module: DriverModule, chunks: Chunks): void {
  const { total, first, firsts, chunk } = chunks;
  const { begun } = module.globals;
  code.getGlobal(begun);
  code.get(firsts);
  code.op('i32.add');
  code.get(total);
  code.get(firsts);
  code.get(first);
  code.ops('i32.mul', 'i32.sub');
  code.get(chunk);
  code.op('i32.add');
  code.i32(1);
  code.op('i32.sub');
  code.get(chunk);
  code.ops('i32.div_u', 'i32.add');
  code.setGlobal(begun);
}

/** From the number of a chunk in `at`: its first workgroup and the one behind its last. */
function emitChunk(
  code: FunctionBody,
  { total, first, firsts, chunk }: Chunks,
  { at, end }: { readonly at: number; readonly end: number },
): void {
  code.get(at);
  code.get(firsts);
  code.op('i32.lt_u');
  code.if();
  code.get(at);
  code.get(first);
  code.op('i32.mul');
  code.tee(at);
  code.get(first);
  code.op('i32.add');
  code.set(end);
  code.else();
  code.get(firsts);
  code.get(first);
  code.op('i32.mul');
  code.get(at);
  code.get(firsts);
  code.op('i32.sub');
  code.get(chunk);
  code.ops('i32.mul', 'i32.add');
  code.tee(at);
  code.get(chunk);
  code.op('i32.add');
  code.tee(end);
  code.get(total);
  code.get(end);
  code.get(total);
  code.ops('i32.lt_u', 'select');
  code.set(end);
  code.end();
}

/** Workgroups count as rounds, so that an immense grid of empty kernels ends too. */
function emitChunkCharge(
  code: FunctionBody,
  module: DriverModule,
  { at, end, units }: { at: number; end: number; units: number },
): void {
  const rounds = code.temp('i32');
  code.get(end);
  code.get(at);
  code.op('i32.sub');
  code.set(rounds);
  emitBudgetCharge(code, module, { rounds, units }, () => {
    code.i32(1);
    code.op('return');
  });
  code.release('i32', rounds);
}

interface WorkgroupLoop {
  readonly at: number;
  readonly end: number;
  readonly arguments: number;
  readonly kernelIndex: number;
  readonly sync: number;
}

/** Workgroups at … end - 1, x fastest. Looks at the poison word after each. */
function emitWorkgroups(code: FunctionBody, loop: WorkgroupLoop): void {
  const { at, end } = loop;
  const [x, y, z] = [code.local('i32'), code.local('i32'), code.local('i32')];
  code.get(at);
  code.get(GX);
  code.op('i32.rem_u');
  code.set(x);
  code.get(at);
  code.get(GX);
  code.op('i32.div_u');
  code.tee(y);
  code.get(GY);
  code.op('i32.div_u');
  code.set(z);
  code.get(y);
  code.get(GY);
  code.op('i32.rem_u');
  code.set(y);
  const again = code.loop();
  for (const axis of [x, y, z]) code.get(axis);
  for (let index = 0; index < loop.arguments; index++) code.get(ARGUMENTS + index);
  code.call(loop.kernelIndex);
  code.getGlobal(loop.sync);
  code.access('i32.atomic.load', SYNC.poison);
  code.if();
  code.i32(1);
  code.op('return');
  code.end();
  emitStep(code, x, GX, () => emitStep(code, y, GY, () => emitStep(code, z, null, null)));
  code.get(at);
  code.i32(1);
  code.op('i32.add');
  code.tee(at);
  code.get(end);
  code.op('i32.ne');
  code.brIf(again);
  code.end();
}

/** axis += 1; at its extent it starts over and the next axis steps. */
function emitStep(
  code: FunctionBody,
  axis: number,
  extent: number | null,
  carry: (() => void) | null,
): void {
  code.get(axis);
  code.i32(1);
  code.op('i32.add');
  code.set(axis);
  if (extent === null || carry === null) return;
  code.get(axis);
  code.get(extent);
  code.op('i32.eq');
  code.if();
  code.i32(0);
  code.set(axis);
  carry();
  code.end();
}
