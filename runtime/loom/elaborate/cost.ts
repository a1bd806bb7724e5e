/**
 * Closing of statement lists: a `Block` with its cost, the number of statements and expression
 * nodes that run straight-line when control enters it (nested blocks carry their own). Fuel and
 * size limits are counted with it.
 */
import type { Block, Expr, Stmt } from '../typed.js';

export function closeBlock(stmts: readonly Stmt[]): Block {
  let cost = 0;
  for (const stmt of stmts) cost += 1 + statementCost(stmt);
  return { cost, stmts };
}

/** Nodes of the expressions that a statement evaluates itself. */
function statementCost(stmt: Stmt): number {
  let cost = 0;
  // Plain `for in`: this runs for every node of every program, so no lists are made.
  for (const name in stmt) cost += partCost(stmt[name as keyof Stmt]);
  return cost;
}

/** Expressions lie in fields, in arrays of fields and in the `sub` place of a view access. */
function partCost(part: unknown): number {
  if (typeof part !== 'object' || part === null) return 0;
  if (Array.isArray(part)) {
    let cost = 0;
    for (const item of part as unknown[]) cost += partCost(item);
    return cost;
  }
  if ('op' in part) return 'type' in part ? expressionCost(part as Expr) : 0;
  // Blocks and storages count nothing here; what is left is `sub` with its index.
  return 'stride' in part && 'index' in part ? partCost(part.index) : 0;
}

export function expressionCost(expr: Expr): number {
  let cost = 1;
  for (const name in expr) {
    if (name !== 'type' && name !== 'storage') cost += partCost(expr[name as keyof Expr]);
  }
  return cost;
}
