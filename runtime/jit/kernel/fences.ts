/**
 * Where fences stand in the body of a loop with pointers. V8 places the loads of straight code
 * first and its arithmetic last; behind a fence, a branch that is never taken, it starts anew.
 * Fences cost a test each, so only bodies with vector accumulators have them.
 */
import type { Block, Expr, LocalId, Stmt } from '../../loom/typed.js';
import { assignedBy, operandsOf, operandsOfStatement, visitBlock } from '../typed-walk.js';
import { placesOf } from './place.js';

/** Vectors alive at once: of the 16 registers one is the compiler's and one a product's. */
const VECTORS_MAX = 14;
/** Accumulators from which a body has fences. */
const SUMS_MIN = 4;

/**
 * Indices of the statements of a body before which a fence comes: where the accumulators, the
 * values that were loaded before and are still read, and the loads since the last fence would
 * exceed the registers with the loads of the statement. Bytes that are loaded as words (`wide`, and
 * factors of dot products) take two.
 */
export function fencesOf(body: Block, wide: ReadonlyMap<LocalId, unknown>): ReadonlySet<number> {
  const sums = body.stmts.filter(accumulates).length;
  const fences = new Set<number>();
  if (sums < SUMS_MIN) return fences;
  let alive: readonly number[] = [];
  body.stmts.forEach((stmt, index) => {
    const loads = Array<number>(readsOf(stmt, wide)).fill(lastRead(body, index));
    const fits = sums + alive.length + loads.length <= VECTORS_MAX;
    if (!fits && alive.length > 0 && loads.length > 0) {
      fences.add(index);
      alive = alive.filter((until) => until >= index);
    }
    alive = [...alive, ...loads];
  });
  return fences;
}

/** The last statement that reads what statement `at` assigns, or `at` itself. */
function lastRead(body: Block, at: number): number {
  const own = assignedBy(body.stmts[at]!);
  const isOwn = (expr: Expr) => expr.op === 'local' && own.includes(expr.local);
  return body.stmts.reduce(
    (last, stmt, index) =>
      index > at && operandsOfStatement(stmt).some((operand) => readsIn(operand, isOwn))
        ? index
        : last,
    at,
  );
}

/** `sum = f(sum, …)` of a vector. */
function accumulates(stmt: Stmt): boolean {
  if (stmt.op !== 'set' || stmt.value.type.kind !== 'vector') return false;
  return readsIn(stmt.value, (expr) => expr.op === 'local' && expr.local === stmt.local);
}

function readsIn(expr: Expr, found: (expr: Expr) => boolean): boolean {
  return found(expr) || operandsOf(expr).some((operand) => readsIn(operand, found));
}

/** Vectors that a statement loads. */
function readsOf(stmt: Stmt, wide: ReadonlyMap<LocalId, unknown>): number {
  let reads = 0;
  const note = (node: Expr | Stmt) => {
    reads += placesOf(node).filter((place) => place.access === 'read').length;
    if (node.op === 'set' && wide.has(node.local)) reads += 1;
    if (node.op !== 'intrinsic' || node.name !== 'dot8') return;
    reads += node.args.slice(0, 2).filter((factor) => factor.op === 'view.get').length;
  };
  visitBlock({ cost: 0, stmts: [stmt] }, { statement: note, expression: note });
  return reads;
}
