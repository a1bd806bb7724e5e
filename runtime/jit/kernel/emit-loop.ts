/**
 * Counted loops: `for` and the lanes of `parallel`. An innermost loop whose accesses move in
 * constant steps gets pointers; where their ranges are not proved, the extreme indices are checked
 * once before the loop and the loop exists twice, unchecked and checked. Loops that might run long
 * are charged to the worker's budget: at entry when they always run to their end, else every round.
 */
import { emitBudgetCharge } from './emit-charge.js';
import { emitRounds } from './emit-rounds.js';
import { emitStreams } from './emit-streams.js';
import { intervalOf } from './interval.js';
import { countOf, forget, type KernelScope } from './kernel-scope.js';
import { withLateTakes } from './late-takes.js';
import { assignedIn, type Assigned } from './local-uses.js';
import type { CountedLoop, Counter } from './counted-loop.js';
import { roundsOf, LONG_ROUNDS, unitsOf } from './loop-rounds.js';
import type { Place } from './place.js';
import { planStreams } from './stream-plan.js';

/** Bodies beyond this (nodes) are emitted once, checked. */
const VERSION_NODES_MAX = 6000;

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
function chargeOf(
  loop: CountedLoop,
  counter: Counter,
  assigned: Assigned,
): 'never' | 'entry' | 'round' {
  const rounds = counter.last === null ? null : (counter.last - counter.first!) / loop.step + 1;
  if (rounds !== null && rounds * roundsOf(loop.body) <= LONG_ROUNDS) return 'never';
  return assigned.leaves ? 'round' : 'entry';
}

function emitEntryCharge(
  scope: KernelScope,
  loop: CountedLoop,
  counter: Counter,
  assigned: Assigned,
): void {
  if (chargeOf(loop, counter, assigned) !== 'entry') return;
  emitCharge(scope, unitsOf(loop.body), () => {
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
function emitCharge(scope: KernelScope, units: number, pushRounds: () => void): void {
  const { code, module } = scope;
  const rounds = code.temp('i32');
  pushRounds();
  code.set(rounds);
  emitBudgetCharge(code, module, { rounds, units }, () => code.op('return'));
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

/** Plans the accesses of an innermost loop; every other loop is emitted once, checked. */
function emitVersions(
  scope: KernelScope,
  loop: CountedLoop,
  counter: Counter,
  range: { readonly lo: number; readonly hi: number },
): void {
  const assigned = assignedIn(loop.body);
  const small = !assigned.loops && assigned.nodes <= VERSION_NODES_MAX;
  const body = small ? withLateTakes(loop.body) : loop.body;
  const context = { ranges: scope.ranges, countOf: (base: Place['base']) => countOf(scope, base) };
  const plan = small ? planStreams({ local: loop.local, body, range }, context) : [];
  const charge =
    chargeOf(loop, counter, assigned) === 'round'
      ? () => emitCharge(scope, unitsOf(loop.body), () => scope.code.i32(1))
      : undefined;
  const late = { ...loop, body };
  emitStreams(scope, { loop: late, counter, plan, nodes: assigned.nodes }, (pointers) =>
    emitRounds(scope, { loop: late, counter, range, pointers, charge }),
  );
}
