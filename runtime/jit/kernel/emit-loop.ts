/**
 * Counted loops: `for` and the lanes of `parallel`. An innermost loop whose accesses move in
 * constant steps gets pointers; where their ranges are not proved, the extreme indices are checked
 * once before the loop and the loop exists twice, unchecked and checked. Loops that might run long
 * are charged to the worker's budget: at entry when they always run to their end, else every round.
 */
import type { Block, Expr, LocalId } from '../../loom/typed.js';
import { affineExpression } from './affine.js';
import { emitScale } from './emit-address.js';
import { I32_MAX, intervalOf } from './interval.js';
import {
  countOf, elementSizeOf, forget, pushBase, pushLength, withRanges,
  type KernelScope, type StreamAddress,
} from './kernel-scope.js';
import { assignedIn, type Assigned } from './local-uses.js';
import { roundsOf, LONG_ROUNDS } from './loop-rounds.js';
import type { Place } from './place.js';
import { planStreams, type StreamGroup } from './stream-plan.js';

export interface CountedLoop {
  readonly local: LocalId;
  readonly from: Expr;
  readonly to: Expr;
  readonly step: number;
  readonly body: Block;
  /** Emitted at the start of every round (the lane's address of private arrays). */
  readonly start?: (() => void) | undefined;
}

/** Bodies beyond this (nodes) are emitted once, checked. */
const VERSION_NODES_MAX = 6000;

/** Locals of a loop being emitted. */
interface Counter {
  /** Runs from `from` to `end` in steps; the loop variable itself unless the body assigns that. */
  readonly value: number;
  /** First value not run: `from` plus a multiple of the step (may wrap). */
  readonly end: number;
  readonly first: number | null;
  readonly last: number | null;
}

interface Pointer {
  readonly group: StreamGroup;
  readonly pointer: number;
}

export function emitCountedLoop(scope: KernelScope, loop: CountedLoop): void {
  const { code } = scope;
  const assigned = assignedIn(loop.body);
  const from = intervalOf(loop.from, scope.ranges);
  const to = intervalOf(loop.to, scope.ranges);
  const constant = from.lo === from.hi && to.lo === to.hi;
  if (constant && from.lo >= to.lo) return;
  const rounds = constant ? Math.ceil((to.lo - from.lo) / loop.step) : null;
  const value = assigned.locals.has(loop.local) ? code.temp('i32') : scope.locals[loop.local]!;
  const end = code.temp('i32');
  scope.emit.value(loop.from);
  scope.emit.value(loop.to);
  code.set(end);
  code.set(value);
  forget(scope, assigned.locals);
  forget(scope, [loop.local]);
  const range = { lo: from.lo, hi: Math.max(from.lo, to.hi - 1) };
  const counter: Counter = {
    value,
    end,
    first: constant ? from.lo : null,
    last: rounds === null ? null : from.lo + (rounds - 1) * loop.step,
  };
  if (!constant) {
    code.get(value);
    code.get(end);
    code.op('i32.lt_s');
    code.if();
  }
  emitEnd(scope, loop, counter);
  emitEntryCharge(scope, loop, counter, assigned);
  if (!assigned.locals.has(loop.local)) scope.ranges.set(loop.local, range);
  if (rounds === 1) emitOnce(scope, loop);
  else emitVersions(scope, loop, counter, range);
  if (!constant) code.end();
  code.release('i32', end);
  if (value !== scope.locals[loop.local]) code.release('i32', value);
  forget(scope, assigned.locals);
  forget(scope, [loop.local]);
}

/** end = from + ceil((to - from) / step) * step */
function emitEnd(scope: KernelScope, loop: CountedLoop, { value, end, last }: Counter): void {
  if (loop.step === 1) return;
  const { code } = scope;
  if (last !== null) {
    code.i32((last + loop.step) | 0);
  } else {
    code.get(end);
    code.i32(1);
    code.op('i32.sub');
    code.get(value);
    code.op('i32.sub');
    code.i32(loop.step);
    code.op('i32.div_u');
    code.i32(1);
    code.op('i32.add');
    code.i32(loop.step);
    code.op('i32.mul');
    code.get(value);
    code.op('i32.add');
  }
  code.set(end);
}

/** Whether the rounds of this loop are charged, and when. */
function chargeOf(loop: CountedLoop, counter: Counter, assigned: Assigned): 'never' | 'entry' | 'round' {
  const rounds = counter.last === null ? null : (counter.last - counter.first!) / loop.step + 1;
  if (rounds !== null && rounds * roundsOf(loop.body) <= LONG_ROUNDS) return 'never';
  return assigned.leaves ? 'round' : 'entry';
}

function emitEntryCharge(scope: KernelScope, loop: CountedLoop, counter: Counter, assigned: Assigned): void {
  if (chargeOf(loop, counter, assigned) !== 'entry') return;
  emitCharge(scope, () => {
    scope.code.get(counter.end);
    scope.code.get(counter.value);
    scope.code.op('i32.sub');
    if (loop.step > 1) {
      scope.code.i32(loop.step);
      scope.code.op('i32.div_u');
    }
  });
}

/** Takes rounds from the budget; ends the workgroup and poisons the submission when it is spent. */
function emitCharge(scope: KernelScope, pushRounds: () => void): void {
  const { code, module } = scope;
  const rounds = code.temp('i32');
  code.getGlobal(module.globals.budget);
  pushRounds();
  code.tee(rounds);
  code.op('i32.lt_u');
  code.if();
  code.call(module.ranTooLong);
  code.op('return');
  code.end();
  code.getGlobal(module.globals.budget);
  code.get(rounds);
  code.op('i32.sub');
  code.setGlobal(module.globals.budget);
  code.release('i32', rounds);
}

/** A loop of one round: no back-edge, but `break` and `continue` still have their targets. */
function emitOnce(scope: KernelScope, loop: CountedLoop): void {
  const { code } = scope;
  const exit = code.block();
  scope.loops.push({ exit, next: exit });
  emitBody(scope, loop, scope.locals[loop.local]!);
  scope.loops.pop();
  code.end();
}

function emitBody(scope: KernelScope, loop: CountedLoop, value: number): void {
  if (value !== scope.locals[loop.local]) {
    scope.code.get(value);
    scope.code.set(scope.locals[loop.local]!);
  }
  loop.start?.();
  scope.emit.block(loop.body);
}

function emitVersions(
  scope: KernelScope,
  loop: CountedLoop,
  counter: Counter,
  range: { readonly lo: number; readonly hi: number },
): void {
  const { code } = scope;
  const assigned = assignedIn(loop.body);
  const small = !assigned.loops && assigned.nodes <= VERSION_NODES_MAX;
  const context = { ranges: scope.ranges, countOf: (base: Place['base']) => countOf(scope, base) };
  const plan = small ? planStreams({ local: loop.local, body: loop.body, range }, context) : [];
  const usable = plan.filter((group) => spanFits(group, loop, counter));
  if (usable.length === 0) return emitRounds(scope, loop, counter, []);
  const checked = usable.filter((group) => !group.proved);
  const pointers = usable.map((group) => ({ group, pointer: code.temp('i32') }));
  // Pointers hold the first index until the checks are done.
  for (const { group, pointer } of pointers) {
    scope.emit.value(affineExpression(group.affine, 0));
    code.get(counter.value);
    emitScaleSigned(scope, group.affine.step);
    code.op('i32.add');
    code.set(pointer);
  }
  if (checked.length > 0) {
    emitChecks(scope, loop, counter, pointers.filter(({ group }) => !group.proved));
    code.if();
  }
  for (const { group, pointer } of pointers) emitPointer(scope, group, pointer);
  withRanges(scope, () => emitRounds(scope, loop, counter, pointers));
  if (checked.length > 0) {
    code.else();
    withRanges(scope, () => emitRounds(scope, loop, counter, []));
    code.end();
  }
  for (const { pointer } of pointers) code.release('i32', pointer);
}

/** Multiplies by a coefficient that may be zero or negative. */
function emitScaleSigned(scope: KernelScope, factor: number): void {
  if (factor > 0) return emitScale(scope, factor);
  scope.code.i32(factor);
  scope.code.op('i32.mul');
}

/** Indices of one loop must span less than 2^31, or the checks at its ends would prove nothing. */
function spanFits({ affine, constants }: StreamGroup, loop: CountedLoop, counter: Counter): boolean {
  if (Math.abs(affine.step) * loop.step > 2 ** 26) return false;
  if (counter.first === null || counter.last === null) return true;
  return Math.abs(affine.step) * (counter.last - counter.first) + constants.hi - constants.lo <= I32_MAX;
}

/** Leaves whether every unproved group stays inside its base. */
function emitChecks(
  scope: KernelScope,
  loop: CountedLoop,
  counter: Counter,
  pointers: readonly Pointer[],
): void {
  const { code } = scope;
  pointers.forEach(({ group, pointer: first }, index) => {
    const { affine, constants } = group;
    const moved = () => {
      code.get(first);
      code.get(counter.end);
      code.i32(loop.step);
      code.op('i32.sub');
      code.get(counter.value);
      code.op('i32.sub');
      emitScaleSigned(scope, affine.step);
      code.op('i32.add');
    };
    const bound = (push: () => void, constant: number) => {
      push();
      code.i32(constant);
      code.op('i32.add');
      pushLength(scope, group.base);
      code.op('i32.lt_u');
    };
    const still = () => code.get(first);
    bound(affine.step < 0 ? moved : still, constants.lo);
    bound(affine.step < 0 ? still : moved, constants.hi);
    code.op('i32.and');
    if (counter.last === null && affine.step !== 0) {
      code.get(counter.end);
      code.get(counter.value);
      code.op('i32.sub');
      code.i32(Math.floor((I32_MAX - (constants.hi - constants.lo)) / Math.abs(affine.step)));
      code.ops('i32.le_u', 'i32.and');
    }
    if (index > 0) code.op('i32.and');
  });
}

/** pointer = base + (first index + lowest constant) * size */
function emitPointer(scope: KernelScope, group: StreamGroup, pointer: number): void {
  const { code } = scope;
  pushBase(scope, group.members[0]!.place);
  code.get(pointer);
  if (group.constants.lo !== 0) {
    code.i32(group.constants.lo);
    code.op('i32.add');
  }
  emitScale(scope, elementSizeOf(scope, group.base));
  code.op('i32.add');
  code.set(pointer);
}

/** The loop itself, with the given pointers moving along. */
function emitRounds(
  scope: KernelScope,
  loop: CountedLoop,
  counter: Counter,
  pointers: readonly Pointer[],
): void {
  const { code } = scope;
  const outer = scope.streams;
  const streams = new Map<Place, StreamAddress>();
  for (const { group, pointer } of pointers) {
    const size = elementSizeOf(scope, group.base);
    const shared = 'shared' in group.base ? scope.layout.shared[group.base.shared]! : 0;
    for (const { place, constant } of group.members) {
      streams.set(place, { pointer, offset: (constant - group.constants.lo) * size + shared });
    }
  }
  scope.streams = streams;
  const exit = code.block();
  const again = code.loop();
  const next = code.block();
  scope.loops.push({ exit, next });
  emitBody(scope, loop, counter.value);
  scope.loops.pop();
  code.end();
  if (chargeOf(loop, counter, assignedIn(loop.body)) === 'round') emitCharge(scope, () => code.i32(1));
  for (const { group, pointer } of pointers) {
    const distance = group.affine.step * loop.step * elementSizeOf(scope, group.base);
    if (distance !== 0) emitAdvance(scope, pointer, distance);
  }
  emitAdvance(scope, counter.value, loop.step);
  code.get(counter.value);
  code.get(counter.end);
  code.op('i32.ne');
  code.brIf(again);
  code.end();
  code.end();
  scope.streams = outer;
}

function emitAdvance(scope: KernelScope, local: number, distance: number): void {
  scope.code.get(local);
  scope.code.i32(distance);
  scope.code.op('i32.add');
  scope.code.set(local);
}
