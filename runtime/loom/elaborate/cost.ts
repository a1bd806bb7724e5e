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
  for (const value of Object.values(stmt) as unknown[]) cost += partCost(value);
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
  if ('stmts' in part || 'elem' in part) return 0;
  if ('op' in part && 'type' in part) return expressionCost(part as Expr);
  return 'index' in part ? partCost(part.index) : 0;
}

export function expressionCost(expr: Expr): number {
  let cost = 1;
  for (const [name, value] of Object.entries(expr) as [string, unknown][]) {
    if (name !== 'type' && name !== 'storage') cost += partCost(value);
  }
  return cost;
}
