/**
 * Static bounds on the rounds of loops: which loops are too long to go uncounted, what a round or a
 * workgroup costs, and the bound that a kernel's reflection shows. Only constant trip counts are
 * known here.
 */
import type { Block, Expr } from '../../loom/typed.js';
import { BACK_EDGES_MAX } from '../local-abi.js';
import { operandsOf, operandsOfStatement, blocksOf } from '../typed-walk.js';

/** Constant loop nests up to this many rounds in all are not charged to the budget. */
export const LONG_ROUNDS = 65_536;

/** Nodes that come with one unit of the budget. */
const WORK_PER_UNIT = 2048;

const remembered = new WeakMap<Block, number>();
const worked = new WeakMap<Block, number>();

function tripCount(from: Expr, to: Expr, step: number): number | null {
  if (from.op !== 'const' || to.op !== 'const') return null;
  return Math.max(0, Math.ceil((Number(to.value) - Number(from.value)) / step));
}

/** Rounds of the constant loops inside a block, run once; dynamic loops count as one round. */
export function roundsOf(block: Block): number {
  const known = remembered.get(block);
  if (known !== undefined) return known;
  let rounds = 1;
  const visit = (expr: Expr): void => {
    if (expr.op === 'block') rounds += roundsOf(expr.body) - 1;
    operandsOf(expr).forEach(visit);
  };
  for (const stmt of block.stmts) {
    operandsOfStatement(stmt).forEach(visit);
    const counted = stmt.op === 'for' || stmt.op === 'parallel';
    const trips = counted
      ? (tripCount(stmt.from, stmt.to, stmt.op === 'for' ? stmt.step : 1) ?? 1)
      : 1;
    for (const nested of blocksOf(stmt))
      rounds += counted ? trips * roundsOf(nested) : roundsOf(nested) - 1;
  }
  remembered.set(block, rounds);
  return rounds;
}

/**
 * Nodes that a block evaluates, run once, with everything that is not charged for itself: branches
 * as if both were taken, constant loops to their ends, dynamic loops as one round.
 */
export function workOf(block: Block): number {
  const known = worked.get(block);
  if (known !== undefined) return known;
  let work = 1;
  const visit = (expr: Expr): void => {
    work += expr.op === 'reduce' ? expr.count : 1;
    if (expr.op === 'block') work += workOf(expr.body);
    operandsOf(expr).forEach(visit);
  };
  for (const stmt of block.stmts) {
    work += 1;
    operandsOfStatement(stmt).forEach(visit);
    const counted = stmt.op === 'for' || stmt.op === 'parallel';
    const trips = counted ? tripCount(stmt.from, stmt.to, stmt.op === 'for' ? stmt.step : 1) : 1;
    for (const nested of blocksOf(stmt)) work += (trips ?? 1) * workOf(nested);
  }
  worked.set(block, work);
  return work;
}

/**
 * What one run of a block takes from the budget: a body of any size, or a nest of short loops, must
 * not make the time of a submission a thousand times what the budget means.
 */
export function unitsOf(block: Block): number {
  return Math.min(1 + Math.floor(workOf(block) / WORK_PER_UNIT), BACK_EDGES_MAX);
}

/** Back-edges that one workgroup may take, or null when a trip count is dynamic. */
export function backEdgeBound(block: Block): number | null {
  for (const stmt of block.stmts) {
    if (stmt.op === 'for' || stmt.op === 'parallel') {
      if (tripCount(stmt.from, stmt.to, 1) === null) return null;
    }
    for (const nested of blocksOf(stmt)) if (backEdgeBound(nested) === null) return null;
  }
  return roundsOf(block) - 1;
}
