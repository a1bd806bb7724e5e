/**
 * Runs of stores of locals into a shared array at indices that grow by one constant, as unrolled
 * loops leave them. A driver that compiles for the CPU writes out every lane of every store, so
 * there a long run becomes a loop over a copy of the values; on hardware a copy that is indexed
 * would cost more than it saves.
 */
import type { Block, LocalId, Stmt } from '../../loom/typed.js';
import { intervalOf } from '../kernel/interval.js';
import { element, writeShared } from './shared-functions.js';
import { textOf, type WgslScope } from './wgsl-scope.js';
import { nameOf } from './wgsl-types.js';

type StoreStmt = Stmt & { readonly op: 'shared.set' };

/** Below this many a loop is not shorter. */
const STORES_MIN = 8;

interface Store {
  readonly stmt: StoreStmt;
  /** The index is `constant + local`. */
  readonly constant: number;
  readonly local: LocalId;
}

function storeOf(stmt: Stmt | undefined): Store | null {
  if (stmt?.op !== 'shared.set' || stmt.value.op !== 'local') return null;
  const { index } = stmt;
  if (index.op !== 'arithmetic' || index.operator !== '+') return null;
  const { left, right } = index;
  if (left.op !== 'const' || right.op !== 'local') return null;
  return { stmt, constant: Number(left.value), local: right.local };
}

/** The stores that begin at statement `from` of a block and may become one loop; none, or many. */
export function storeRun(
  { target, shared, barriers }: WgslScope,
  { stmts }: Block,
  from: number,
): readonly StoreStmt[] {
  const first = storeOf(stmts[from]);
  if (!target.software || !first || shared[first.stmt.shared]!.atomic) return [];
  const run = [first];
  for (;;) {
    const next = storeOf(stmts[from + run.length]);
    if (!next || barriers.has(next.stmt)) break;
    if (next.stmt.shared !== first.stmt.shared || next.local !== first.local) break;
    const [before, step] = [run.at(-1)!, (run[1] ?? next).constant - first.constant];
    if (step < 1 || next.constant !== before.constant + step) break;
    run.push(next);
  }
  return run.length < STORES_MIN ? [] : run.map(({ stmt }) => stmt);
}

export function emitStoreRun(scope: WgslScope, run: readonly StoreStmt[]): void {
  const { code, ranges } = scope;
  const [first, second] = [storeOf(run[0])!, storeOf(run[1])!];
  const array = scope.shared[first.stmt.shared]!;
  const [copy, counter] = [code.fresh(), code.fresh()];
  code.line(`var ${copy}: array<${nameOf(array.shape)}, ${run.length}>;`);
  run.forEach(({ value }, i) => code.line(`${copy}[${i}] = ${textOf(scope, value)};`));
  const step = second.constant - first.constant;
  const at = `${textOf(scope, first.stmt.index)} + ${counter} * ${step}i`;
  const isInside =
    intervalOf(first.stmt.index, ranges).lo >= 0 &&
    intervalOf(run.at(-1)!.index, ranges).hi < array.count;
  code.open(`for (var ${counter} = 0i; ${counter} < ${run.length}i; ${counter} += 1i)`);
  code.line(
    isInside
      ? `${element(array, at)} = ${copy}[${counter}];`
      : `${writeShared(scope.prelude, array)}(${at}, ${copy}[${counter}]);`,
  );
  code.close();
}
