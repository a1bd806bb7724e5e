/**
 * Which `take`s a subgroup may share: those in exact regions, where every invocation of the
 * workgroup comes by at the same time. So nothing that differs between lanes may decide whether
 * they are reached: conditions and bounds around them are made of constants, parameters,
 * kernel-level values and counters of such loops, and nothing jumps.
 */
import type { Block, Expr, Kernel, LocalId, Stmt } from '../../loom/typed.js';
import { assignedBy, blocksOf, operandsOf, visitBlock } from '../typed-walk.js';

export function sharedTakes(kernel: Kernel): ReadonlySet<Stmt> {
  const takes = new Set<Stmt>();
  if (kernel.lanes === 1) return takes;
  visitBlock(kernel.body, {
    statement: (stmt) => {
      if (stmt.op === 'parallel' && stmt.exact) new Region(stmt, takes).block(stmt.body);
    },
  });
  return takes;
}

class Region {
  /** Assigned by lanes; what is not in here belongs to the workgroup. */
  readonly #lane = new Set<LocalId>();
  readonly #takes: Set<Stmt>;

  constructor(region: Stmt & { readonly op: 'parallel' }, takes: Set<Stmt>) {
    this.#takes = takes;
    this.#lane.add(region.local);
    visitBlock(region.body, {
      statement: (stmt) => {
        for (const local of assignedBy(stmt)) this.#lane.add(local);
      },
    });
  }

  block(block: Block): void {
    for (const stmt of block.stmts) this.#statement(stmt);
  }

  #statement(stmt: Stmt): void {
    if (stmt.op === 'view.take') this.#takes.add(stmt);
    if (stmt.op === 'if' && this.#isShared(stmt.cond)) blocksOf(stmt).forEach((b) => this.block(b));
    if (stmt.op !== 'for' || !this.#isShared(stmt.from) || !this.#isShared(stmt.to)) return;
    if (jumps(stmt.body)) return;
    // A counter that the body does not assign is the same for all.
    if (!assigns(stmt.body, stmt.local)) this.#lane.delete(stmt.local);
    this.block(stmt.body);
    this.#lane.add(stmt.local);
  }

  /** Made of values that all lanes have in common, without reading memory. */
  #isShared(expr: Expr): boolean {
    switch (expr.op) {
      case 'const':
      case 'workgroup':
        return true;
      case 'local':
        return !this.#lane.has(expr.local);
      case 'arithmetic':
      case 'compare':
      case 'and':
      case 'or':
      case 'not':
      case 'negate':
      case 'convert':
      case 'intrinsic':
        return operandsOf(expr).every((operand) => this.#isShared(operand));
      default:
        return false;
    }
  }
}

function jumps(block: Block): boolean {
  let found = false;
  visitBlock(block, {
    statement: ({ op }) => {
      if (op === 'break' || op === 'continue' || op === 'leave') found = true;
    },
  });
  return found;
}

function assigns(block: Block, local: LocalId): boolean {
  let found = false;
  visitBlock(block, {
    statement: (stmt) => {
      if (assignedBy(stmt).includes(local)) found = true;
    },
  });
  return found;
}
