/**
 * Locals that are assigned once, before and around every use: they become `let` where they are
 * assigned. All others are variables of the whole function.
 */
import type { Block, Expr, Kernel, LocalId, Stmt } from '../../loom/typed.js';
import { assignedBy, blocksOf, operandsOf, operandsOfStatement } from '../typed-walk.js';

export interface LocalKinds {
  readonly lets: ReadonlySet<LocalId>;
  readonly variables: ReadonlySet<LocalId>;
}

export function localKinds(kernel: Kernel): LocalKinds {
  const walk = new Walk();
  for (const param of kernel.params) if ('local' in param) walk.declare(param.local);
  walk.block(kernel.body);
  return walk.result();
}

class Walk {
  /** Blocks around the present place, innermost last, by number. */
  readonly #open: number[] = [];
  #blocks = 0;
  readonly #home = new Map<LocalId, number>();
  readonly #params = new Set<LocalId>();
  readonly #several = new Set<LocalId>();
  /** Loop and region variables are declared by their statement. */
  readonly #counters = new Set<LocalId>();

  declare(local: LocalId): void {
    this.#params.add(local);
    this.#home.set(local, -1);
  }

  block({ stmts }: Block): void {
    this.#open.push(this.#blocks++);
    for (const stmt of stmts) this.#statement(stmt);
    this.#open.pop();
  }

  #statement(stmt: Stmt): void {
    for (const operand of operandsOfStatement(stmt)) this.#expression(operand);
    if (stmt.op === 'for' || stmt.op === 'parallel') {
      this.#counters.add(stmt.local);
    } else {
      for (const local of assignedBy(stmt)) {
        if (this.#home.has(local) || stmt.op === 'argmax') this.#several.add(local);
        this.#home.set(local, this.#open.at(-1)!);
      }
    }
    for (const inner of blocksOf(stmt)) this.block(inner);
  }

  #expression(expr: Expr): void {
    if (expr.op === 'block') {
      this.#open.push(this.#blocks++);
      for (const stmt of expr.body.stmts) this.#statement(stmt);
      this.#expression(expr.value);
      this.#open.pop();
      return;
    }
    if (expr.op === 'local') this.#use(expr.local);
    for (const operand of operandsOf(expr)) this.#expression(operand);
  }

  #use(local: LocalId): void {
    if (this.#counters.has(local)) return;
    const home = this.#home.get(local);
    if (home === undefined || (home >= 0 && !this.#open.includes(home))) this.#several.add(local);
  }

  result(): LocalKinds {
    const lets = new Set<LocalId>();
    const variables = new Set<LocalId>();
    for (const local of this.#home.keys()) {
      const isFixed = !this.#several.has(local) && !this.#params.has(local);
      if (isFixed && !this.#counters.has(local)) lets.add(local);
      else if (this.#several.has(local) && !this.#counters.has(local)) variables.add(local);
    }
    for (const local of this.#counters) if (this.#home.has(local)) variables.add(local);
    for (const local of this.#several) if (!this.#home.has(local)) variables.add(local);
    return { lets, variables };
  }
}
