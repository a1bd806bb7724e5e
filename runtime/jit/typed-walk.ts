/**
 * Generic traversal of the typed tree: the direct sub-expressions and blocks of a node, in order of
 * evaluation. Analyses of the emitters build on these two lists and on nothing else, so a new form
 * of the tree has one place to be added to.
 */
import type { Block, Expr, LocalId, Stmt } from '../loom/typed.js';

/** Direct operands; the statements of a `block` expression are listed by `blockOf`. */
export function operandsOf(expr: Expr): readonly Expr[] {
  switch (expr.op) {
    case 'negate':
    case 'not':
    case 'invert':
    case 'convert':
    case 'splat':
    case 'extract':
    case 'record.field':
    case 'block':
      return [expr.value];
    case 'arithmetic':
    case 'compare':
    case 'and':
    case 'or':
      return [expr.left, expr.right];
    case 'vector':
    case 'array.new':
      return expr.items;
    case 'component':
      return [expr.value, expr.index];
    case 'intrinsic':
    case 'call':
    case 'capability':
    case 'heap':
    case 'format':
      return expr.args;
    case 'record.new':
      return expr.fields;
    case 'list.get':
      return [expr.list, expr.index];
    case 'array.get':
      return [expr.array, expr.index];
    case 'buffer.get':
      return [expr.buffer, expr.index];
    case 'view.get':
      return expr.sub ? [expr.index, expr.sub.index] : [expr.index];
    case 'view.vec4':
    case 'shared.get':
    case 'shared.vec4':
      return [expr.index];
    case 'reduce':
      return [expr.first];
    case 'const':
    case 'local':
    case 'workgroup':
    case 'view.length':
    case 'private.get':
      return [];
  }
}

/** Direct operands of a statement, in order of evaluation. */
export function operandsOfStatement(stmt: Stmt): readonly Expr[] {
  switch (stmt.op) {
    case 'set':
    case 'private.set':
      return [stmt.value];
    case 'call':
      return [stmt.call];
    case 'if':
    case 'while':
      return [stmt.cond];
    case 'for':
    case 'parallel':
      return [stmt.from, stmt.to];
    case 'return':
      return stmt.values;
    case 'raise':
      return [stmt.message];
    case 'buffer.set':
    case 'buffer.narrow':
      return [stmt.buffer, stmt.index, stmt.value];
    case 'list.push':
      return [stmt.list, stmt.value];
    case 'list.set':
      return [stmt.list, stmt.index, stmt.value];
    case 'array.set':
      return [stmt.array, stmt.index, stmt.value];
    case 'view.set':
      return stmt.sub ? [stmt.index, stmt.sub.index, stmt.value] : [stmt.index, stmt.value];
    case 'view.put4':
    case 'shared.set':
    case 'shared.put4':
    case 'accumulate':
      return [stmt.index, stmt.value];
    case 'view.tile':
      return [stmt.base];
    case 'view.slice':
      return [stmt.base, stmt.count];
    case 'view.take':
      return [stmt.base, stmt.stride];
    case 'label':
    case 'leave':
    case 'break':
    case 'continue':
    case 'argmax':
      return [];
  }
}

/** Blocks nested in a statement. */
export function blocksOf(stmt: Stmt): readonly Block[] {
  if (stmt.op === 'if') return stmt.otherwise ? [stmt.then, stmt.otherwise] : [stmt.then];
  if (stmt.op === 'for' || stmt.op === 'while' || stmt.op === 'label' || stmt.op === 'parallel') {
    return [stmt.body];
  }
  return [];
}

/** Locals that the statement itself assigns (nested statements excluded). */
export function assignedBy(stmt: Stmt): readonly LocalId[] {
  switch (stmt.op) {
    case 'set':
    case 'for':
    case 'parallel':
      return [stmt.local];
    case 'call':
      return stmt.results;
    case 'view.take':
      return stmt.locals;
    case 'argmax':
      return [stmt.value, stmt.index];
    default:
      return [];
  }
}

export interface Visitor {
  statement?(stmt: Stmt): void;
  expression?(expr: Expr): void;
}

/** Visits every statement and expression below a block, parents first. */
export function visitBlock(block: Block, visitor: Visitor): void {
  for (const stmt of block.stmts) {
    visitor.statement?.(stmt);
    for (const operand of operandsOfStatement(stmt)) visitExpression(operand, visitor);
    for (const nested of blocksOf(stmt)) visitBlock(nested, visitor);
  }
}

export function visitExpression(expr: Expr, visitor: Visitor): void {
  visitor.expression?.(expr);
  if (expr.op === 'block') visitBlock(expr.body, visitor);
  for (const operand of operandsOf(expr)) visitExpression(operand, visitor);
}
