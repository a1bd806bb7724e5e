/**
 * The rounds of one version of a loop: the body, several times one after the other where its
 * accesses have pointers, each copy ending with the test of the loop. So any number of rounds is
 * right, pointers move once for all copies, and a copy's accesses differ from the first one's by
 * the offset of their instructions alone.
 *
 * V8's optimising compiler places arithmetic late and loads early within straight code: without a
 * branch, the loads of a whole body are alive at once beside its accumulators, and what exceeds the
 * registers is spilled. The tests between copies prevent that; inside a long body, fences do: exits
 * that are never taken, which the compiler cannot know.
 */
import type { Block, Expr, LocalId, Stmt } from '../../loom/typed.js';
import { blocksOf, operandsOf, operandsOfStatement } from '../typed-walk.js';
import type { CountedLoop, Counter } from './counted-loop.js';
import type { Pointer } from './emit-streams.js';
import type { Interval } from './interval.js';
import { forget, type KernelScope, type StreamAddress } from './kernel-scope.js';
import { assignedIn } from './local-uses.js';
import { fencesOf } from './fences.js';
import { placesOf, type Place } from './place.js';
import { emitReadAhead } from './read-ahead.js';

/** Copies of a body, and the nodes of all of them. */
const COPIES_MAX = 8;
const COPIED_NODES_MAX = 1000;
/** Fences of one loop, and the longest step for them: their tests must not meet a live value. */
const FENCES_MAX = 64;
const FENCED_STEP_MAX = 2 ** 16;

export interface RoundsOptions {
  readonly loop: CountedLoop;
  readonly counter: Counter;
  /** Values of the loop variable. */
  readonly range: Interval;
  readonly pointers: readonly Pointer[];
  /** Takes a round from the budget; absent where the loop was charged at its entry. */
  readonly charge?: (() => void) | undefined;
}

/** What the copies of one loop share. */
interface Copies {
  readonly options: RoundsOptions;
  readonly count: number;
  /** The loop variable is a value in the body, not only a step of its pointers. */
  readonly counts: boolean;
  /** Statements of the body before which a fence comes. */
  readonly fenced: ReadonlySet<number>;
  fences: number;
}

export function emitRounds(scope: KernelScope, options: RoundsOptions): void {
  const { code } = scope;
  const { loop, counter, pointers, charge } = options;
  const outer = scope.streams;
  const count = copiesOf(options);
  scope.streams = streamsOf(pointers, 0);
  const copies: Copies = {
    options,
    count,
    counts: loop.start !== undefined || readsLocal(loop.body, loop.local, scope.streams),
    fenced: takesFences(options) ? fencesOf(loop.body, scope.wide) : new Set(),
    fences: 0,
  };
  // Ahead of the first round, pointers move first: a sum is known to fill its register's low half.
  const ahead = count > 1;
  if (ahead) for (const pointer of pointers) emitMove(scope, pointer, -count);
  const exit = code.block();
  const again = code.loop();
  if (ahead) for (const pointer of pointers) emitMove(scope, pointer, count);
  if (ahead) for (const pointer of pointers) emitReadAhead(scope, pointer, count);
  for (let copy = 0; copy < count; copy++) {
    scope.streams = streamsOf(pointers, copy);
    emitCopy(scope, copies, exit);
    charge?.();
    if (copy < count - 1) emitTest(scope, copies, { copy, exit });
  }
  if (!ahead) for (const pointer of pointers) emitMove(scope, pointer, 1);
  emitAdd(scope, counter.value, copies.counts ? loop.step : loop.step * count);
  code.get(counter.value);
  code.get(counter.end);
  code.op('i32.ne');
  code.brIf(again);
  code.end();
  code.end();
  scope.streams = outer;
}

function copiesOf({ loop, counter, pointers, charge }: RoundsOptions): number {
  if (pointers.length === 0 || charge !== undefined) return 1;
  const forward = pointers.every(
    ({ distance }) => 'constant' in distance && distance.constant >= 0,
  );
  if (!forward) return 1;
  const fitting = Math.floor(COPIED_NODES_MAX / Math.max(assignedIn(loop.body).nodes, 1));
  const rounds =
    counter.last === null ? COPIES_MAX : (counter.last - counter.first!) / loop.step + 1;
  return Math.max(1, Math.min(COPIES_MAX, fitting, rounds));
}

function streamsOf(pointers: readonly Pointer[], copy: number): Map<Place, StreamAddress> {
  const streams = new Map<Place, StreamAddress>();
  for (const { pointer, distance, members } of pointers) {
    const moved = 'constant' in distance ? copy * distance.constant : 0;
    for (const { place, offset } of members)
      streams.set(place, { pointer, offset: offset + moved });
  }
  return streams;
}

function emitCopy(scope: KernelScope, copies: Copies, exit: number): void {
  const { code } = scope;
  const { loop, counter } = copies.options;
  const { body, local } = loop;
  forget(scope, assignedIn(body).locals);
  const next = code.block();
  scope.loops.push({ exit, next });
  if (counter.value !== scope.locals[local]) {
    code.get(counter.value);
    code.set(scope.locals[local]!);
  }
  loop.start?.();
  if (copies.fenced.size === 0) scope.emit.block(body);
  else emitFenced(scope, copies, exit);
  scope.loops.pop();
  code.end();
}

/** The test after a copy that is not the last one. */
function emitTest(
  scope: KernelScope,
  { options, counts }: Copies,
  { copy, exit }: { readonly copy: number; readonly exit: number },
): void {
  const { code } = scope;
  const { loop, counter } = options;
  if (counts) emitAdd(scope, counter.value, loop.step);
  code.get(counter.value);
  code.get(counter.end);
  if (!counts) {
    code.i32((copy + 1) * loop.step);
    code.op('i32.sub');
  }
  code.op('i32.eq');
  code.brIf(exit);
}

/** The statements of the body, with its fences between them. */
function emitFenced(scope: KernelScope, copies: Copies, exit: number): void {
  const { code } = scope;
  const { loop, counter } = copies.options;
  loop.body.stmts.forEach((stmt, index) => {
    if (copies.fenced.has(index) && copies.fences < FENCES_MAX) {
      code.get(counter.value);
      code.get(counter.end);
      // A test that was made before would be left out.
      code.i32(++copies.fences);
      code.ops('i32.add', 'i32.eq');
      code.brIf(exit);
    }
    scope.emit.block({ cost: 0, stmts: [stmt] });
  });
}

/**
 * The tests of fences compare with values just behind the end, so the loop variable must be far
 * from wrapping around.
 */
function takesFences({ loop, range, pointers }: RoundsOptions): boolean {
  return pointers.length > 0 && range.lo >= 0 && loop.step <= FENCED_STEP_MAX;
}

/** Whether a block reads a local elsewhere than in indices that have become pointers. */
function readsLocal(
  block: Block,
  local: LocalId,
  streams: ReadonlyMap<Place, StreamAddress>,
): boolean {
  const inStreams = (node: Expr | Stmt): boolean => {
    const places = placesOf(node);
    return places.length > 0 && places.every((place) => streams.has(place));
  };
  const live = (node: Expr | Stmt, operands: readonly Expr[]): readonly Expr[] => {
    if (!inStreams(node)) return operands;
    if (node.op === 'view.take') return [];
    return 'index' in node ? operands.filter((operand) => operand !== node.index) : operands;
  };
  const inExpression = (expr: Expr): boolean => {
    if (expr.op === 'local' && expr.local === local) return true;
    if (expr.op === 'block' && readsLocal(expr.body, local, streams)) return true;
    return live(expr, operandsOf(expr)).some(inExpression);
  };
  return block.stmts.some(
    (stmt) =>
      live(stmt, operandsOfStatement(stmt)).some(inExpression) ||
      blocksOf(stmt).some((nested) => readsLocal(nested, local, streams)),
  );
}

/** Moves a pointer by whole rounds. */
function emitMove(scope: KernelScope, { pointer, distance }: Pointer, rounds: number): void {
  const { code } = scope;
  if ('constant' in distance) return emitAdd(scope, pointer, distance.constant * rounds);
  code.get(pointer);
  code.get(distance.local);
  code.op('i32.add');
  code.set(pointer);
}

function emitAdd(scope: KernelScope, local: number, value: number): void {
  if (value === 0) return;
  const { code } = scope;
  code.get(local);
  code.i32(value | 0);
  code.op('i32.add');
  code.set(local);
}
