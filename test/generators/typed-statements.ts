/**
 * Statements of the typed tree, made by hand, and blocks with the cost that the elaborator would
 * count (statements and expressions of the block itself).
 */
import type { Block, BufferElem, Expr, Stmt } from '../../runtime/loom/typed.js';
import { operandsOf, operandsOfStatement } from '../../runtime/jit/typed-walk.js';
import { site, type Variable } from './typed-expressions.js';

// statements
export const set = (local: Variable, value: Expr): Stmt => ({
  op: 'set',
  local: local.id,
  value,
  site: site(),
});
export const callStmt = (results: readonly Variable[], call: Expr): Stmt => ({
  op: 'call',
  results: results.map((local) => local.id),
  call,
  site: site(),
});
export const when = (cond: Expr, then: Block, otherwise: Block | null = null): Stmt => ({
  op: 'if',
  cond,
  then,
  otherwise,
  site: site(),
});
export const loop = (
  local: Variable,
  range: { from: Expr; to: Expr; step?: number },
  body: Block,
): Stmt => ({
  op: 'for',
  local: local.id,
  from: range.from,
  to: range.to,
  step: range.step ?? 1,
  body,
  site: site(),
});
export const whileLoop = (cond: Expr, body: Block): Stmt => ({
  op: 'while',
  cond,
  body,
  site: site(),
});
export const breakLoop = (): Stmt => ({ op: 'break', site: site() });
export const continueLoop = (): Stmt => ({ op: 'continue', site: site() });
export const label = (label: number, body: Block): Stmt => ({
  op: 'label',
  label,
  body,
  site: site(),
});
export const leave = (label: number): Stmt => ({ op: 'leave', label, site: site() });
export const ret = (...values: readonly Expr[]): Stmt => ({ op: 'return', values, site: site() });
export const raise = (kind: 'reject' | 'fail', message: Expr): Stmt => ({
  op: 'raise',
  kind,
  message,
  site: site(),
});
export const bufferSet = (buffer: Expr, elem: BufferElem, index: Expr, value: Expr): Stmt => ({
  op: 'buffer.set',
  buffer,
  elem,
  offset: 0,
  index,
  value,
  site: site(),
});
export const bufferNarrow = (
  buffer: Expr,
  elem: 'i32' | 'u32' | 'u8',
  index: Expr,
  value: Expr,
): Stmt => ({ op: 'buffer.narrow', buffer, elem, offset: 0, index, value, site: site() });
export const listPush = (list: Expr, value: Expr): Stmt => ({
  op: 'list.push',
  list,
  value,
  site: site(),
});
export const listSet = (list: Expr, index: Expr, value: Expr): Stmt => ({
  op: 'list.set',
  list,
  index,
  value,
  site: site(),
});
export const arraySet = (array: Expr, index: Expr, value: Expr): Stmt => ({
  op: 'array.set',
  array,
  index,
  value,
  site: site(),
});

/** Cost: every statement and expression of the block itself; nested blocks pay on entry. */
export function block(...stmts: readonly Stmt[]): Block {
  let cost = 0;
  const count = (expr: Expr): void => {
    cost += 1;
    operandsOf(expr).forEach(count);
  };
  for (const stmt of stmts) {
    cost += 1;
    operandsOfStatement(stmt).forEach(count);
  }
  return { cost, stmts };
}
