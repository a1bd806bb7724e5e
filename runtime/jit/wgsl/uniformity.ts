/**
 * Which values WGSL must be shown to be uniform. Kernel-level code is uniform by the language, but
 * a shader compiler does not believe a plain read of mutable memory; where such a value decides
 * over control flow around a barrier, it goes through `workgroupUniformLoad`. Values that lanes
 * only compute with stay plain reads.
 */
import type { Block, Expr, Kernel, LocalId, Stmt, ViewId } from '../../loom/typed.js';
import {
  assignedBy,
  blocksOf,
  operandsOf,
  operandsOfStatement,
  visitBlock,
} from '../typed-walk.js';

export interface Uniformity {
  /** Reads (and `take`, `argmax`) whose value must be made uniform. */
  readonly nodes: ReadonlySet<Expr | Stmt>;
}

/** `isConstant`: views whose bytes no shader can write. */
export function uniformityOf(
  kernel: Kernel,
  isConstant: (view: ViewId) => boolean,
  hasBarriers: boolean,
): Uniformity {
  const nodes = new Set<Expr | Stmt>();
  if (kernel.lanes === 1 || !hasBarriers) return { nodes };
  const marking = new Marking(kernel, isConstant, nodes);
  marking.control(kernel.body);
  marking.settle();
  return { nodes };
}

class Marking {
  readonly #kernel: Kernel;
  readonly #isConstant: (view: ViewId) => boolean;
  readonly #nodes: Set<Expr | Stmt>;
  readonly #locals = new Set<LocalId>();
  readonly #views = new Set<ViewId>();
  #changed = false;

  constructor(kernel: Kernel, isConstant: (view: ViewId) => boolean, nodes: Set<Expr | Stmt>) {
    this.#kernel = kernel;
    this.#isConstant = isConstant;
    this.#nodes = nodes;
  }

  /** Conditions and bounds of kernel level: there may be a barrier inside, or a jump over one. */
  control(block: Block): void {
    for (const stmt of block.stmts) {
      if (stmt.op === 'parallel') continue;
      if (stmt.op === 'if' || stmt.op === 'for') {
        for (const operand of operandsOfStatement(stmt)) this.#mark(operand);
      }
      for (const inner of blocksOf(stmt)) this.control(inner);
    }
  }

  /** Follows values to where they come from, until nothing new is found. */
  settle(): void {
    do {
      this.#changed = false;
      visitBlock(this.#kernel.body, { statement: (stmt) => this.#follow(stmt) });
    } while (this.#changed);
  }

  #follow(stmt: Stmt): void {
    if (stmt.op === 'view.tile' || stmt.op === 'view.slice') {
      if (!this.#views.has(stmt.view)) return;
      this.#addView(stmt.source);
      for (const operand of operandsOfStatement(stmt)) this.#mark(operand);
      return;
    }
    if (!assignedBy(stmt).some((local) => this.#locals.has(local))) return;
    if (stmt.op === 'view.take' || stmt.op === 'argmax') this.#add(stmt);
    else for (const operand of operandsOfStatement(stmt)) this.#mark(operand);
  }

  #mark(expr: Expr): void {
    if (this.#isMutableRead(expr)) return this.#add(expr);
    if (expr.op === 'local' && !this.#locals.has(expr.local)) {
      this.#locals.add(expr.local);
      this.#changed = true;
    }
    if (expr.op === 'view.length' || expr.op === 'view.get' || expr.op === 'view.vec4')
      this.#addView(expr.view);
    if (expr.op === 'block') this.#markBlock(expr.body);
    for (const operand of operandsOf(expr)) this.#mark(operand);
  }

  /** Inlined functions: whatever decides inside decides over the value. */
  #markBlock(block: Block): void {
    visitBlock(block, {
      statement: (stmt) => {
        if (stmt.op !== 'if' && stmt.op !== 'for') return;
        for (const operand of operandsOfStatement(stmt)) this.#mark(operand);
      },
    });
  }

  #isMutableRead(expr: Expr): boolean {
    if (expr.op === 'view.get' || expr.op === 'view.vec4') return !this.#isConstant(expr.view);
    return expr.op === 'shared.get' || expr.op === 'shared.vec4' || expr.op === 'reduce';
  }

  #add(node: Expr | Stmt): void {
    if (this.#nodes.has(node)) return;
    this.#nodes.add(node);
    this.#changed = true;
  }

  #addView(view: ViewId): void {
    if (this.#views.has(view)) return;
    this.#views.add(view);
    this.#changed = true;
  }
}
