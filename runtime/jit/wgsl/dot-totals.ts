/**
 * Byte dots whose lanes never matter: the accumulator is only ever carried on by such dots and in
 * the end summed. There the hardware may share the products out as it likes; integer sums are
 * exact.
 */
import type { Expr, Kernel, LocalId, Stmt } from '../../loom/typed.js';
import { operandsOf, operandsOfStatement, visitBlock } from '../typed-walk.js';

export function dotTotals(kernel: Kernel): ReadonlySet<Expr> {
  const totals = new Set<LocalId>();
  kernel.locals.forEach(({ type }, local) => {
    const isWide = type.kind === 'vector' && type.elem === 'i32' && type.lanes === 4;
    if (isWide) totals.add(local);
  });
  for (let before = -1; before !== totals.size;) {
    before = totals.size;
    visitBlock(kernel.body, {
      statement: (stmt) => strike(stmt, totals),
      expression: (expr) => strikeExpression(expr, totals),
    });
  }
  const dots = new Set<Expr>();
  visitBlock(kernel.body, {
    statement: (stmt) => {
      if (stmt.op === 'set' && totals.has(stmt.local)) collect(stmt.value, dots);
    },
    expression: (expr) => {
      if (isSum(expr)) collect(expr.args[0]!, dots);
    },
  });
  return dots;
}

type IntrinsicExpr = Expr & { readonly op: 'intrinsic' };

const isSum = (expr: Expr): expr is IntrinsicExpr => expr.op === 'intrinsic' && expr.name === 'sum';

/** The operands through which a total flows on: they may be totals themselves. */
function carried(expr: Expr): readonly Expr[] {
  if (expr.op === 'block') return [expr.value];
  return expr.op === 'intrinsic' && expr.name === 'dot8' ? [expr.args[2]!] : [];
}

/** Locals that are read other than to be carried on or summed are no totals. */
function strike(stmt: Stmt, totals: Set<LocalId>): void {
  const isCarried = stmt.op === 'set' && totals.has(stmt.local);
  for (const operand of operandsOfStatement(stmt)) {
    if (!isCarried) strikeLocal(operand, totals);
  }
}

function strikeExpression(expr: Expr, totals: Set<LocalId>): void {
  if (isSum(expr)) return;
  const through = carried(expr);
  for (const operand of operandsOf(expr)) {
    if (!through.includes(operand)) strikeLocal(operand, totals);
  }
}

/** What flows into `expr` is looked at lane by lane. */
function strikeLocal(expr: Expr, totals: Set<LocalId>): void {
  if (expr.op === 'local') totals.delete(expr.local);
  for (const operand of carried(expr)) strikeLocal(operand, totals);
}

function collect(expr: Expr, dots: Set<Expr>): void {
  if (expr.op === 'intrinsic' && expr.name === 'dot8') dots.add(expr);
  for (const operand of carried(expr)) collect(operand, dots);
}
