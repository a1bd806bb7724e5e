/**
 * Where a workgroup must wait. The language ends every region with a barrier; a shader needs one
 * only between two regions (or a region and kernel-level code) that touch the same array or view
 * with a write among them. Accumulations commute with each other. Loops are followed until nothing
 * changes; jumps carry what is pending to where they lead.
 *
 * Reductions bring barriers of their own and are read here as plain reads of their arrays.
 */
import type { Block, Expr, Kernel, Stmt, ViewId } from '../../loom/typed.js';
import { operandsOfStatement, visitBlock, visitExpression } from '../typed-walk.js';

export interface Barrier {
  readonly shared: boolean;
  readonly views: boolean;
}

const READ = 1;
const WRITE = 2;
const SUM = 4;
/** Kinds that must not be pending when a kind comes. */
const against: Readonly<Record<number, number>> = {
  [READ]: WRITE | SUM,
  [WRITE]: READ | WRITE | SUM,
  [SUM]: READ | WRITE,
};

/** Kinds by array (`s0`) or view parameter (`v0`). */
type Touches = ReadonlyMap<string, number>;

function merged(...many: readonly Touches[]): Touches {
  const result = new Map<string, number>();
  for (const touches of many)
    for (const [key, kinds] of touches) result.set(key, (result.get(key) ?? 0) | kinds);
  return result;
}

const isEqual = (a: Touches, b: Touches): boolean =>
  a.size === b.size && [...a].every(([key, kinds]) => b.get(key) === kinds);

/** The parameter that a view was cut from. */
export function parameterOf(kernel: Kernel): (view: ViewId) => ViewId {
  const sources = new Map<ViewId, ViewId>();
  visitBlock(kernel.body, {
    statement: (stmt) => {
      if (stmt.op === 'view.tile' || stmt.op === 'view.slice') sources.set(stmt.view, stmt.source);
    },
  });
  return (view) => {
    let at = view;
    while (sources.has(at)) at = sources.get(at)!;
    return at;
  };
}

/** Statements of kernel level before which the workgroup waits. */
export function barriersOf(kernel: Kernel): ReadonlyMap<Stmt, Barrier> {
  if (kernel.lanes === 1) return new Map();
  const analysis = new Analysis(kernel);
  analysis.block(kernel.body, new Map());
  return analysis.barriers;
}

class Analysis {
  readonly barriers = new Map<Stmt, Barrier>();
  readonly #kernel: Kernel;
  readonly #parameter: (view: ViewId) => ViewId;
  /** What is pending at jumps, by where they lead: a label, or the innermost loop. */
  readonly #jumps = new Map<number | 'break' | 'continue', Touches>();

  constructor(kernel: Kernel) {
    this.#kernel = kernel;
    this.#parameter = parameterOf(kernel);
  }

  block(block: Block, pending: Touches): Touches {
    return block.stmts.reduce((before, stmt) => this.#statement(stmt, before), pending);
  }

  #statement(stmt: Stmt, before: Touches): Touches {
    const touches = this.#touchesOf(stmt);
    const after = merged(this.#wait(stmt, touches, before), touches);
    switch (stmt.op) {
      case 'if':
        return merged(
          this.block(stmt.then, after),
          stmt.otherwise ? this.block(stmt.otherwise, after) : after,
        );
      case 'for':
        return this.#loop(stmt, after);
      case 'label': {
        const end = this.block(stmt.body, after);
        return merged(end, this.#takeJump(stmt.label));
      }
      case 'leave':
        return this.#jump(stmt.label, after);
      case 'break':
      case 'continue':
        return this.#jump(stmt.op, after);
      default:
        return after;
    }
  }

  /** Notes a barrier if one is needed; what is still pending behind it. */
  #wait(stmt: Stmt, touches: Touches, pending: Touches): Touches {
    const conflicts = [...touches].flatMap(([key, kinds]) => {
      const known = pending.get(key) ?? 0;
      return [READ, WRITE, SUM].some(
        (kind) => (kinds & kind) !== 0 && (against[kind]! & known) !== 0,
      )
        ? [key[0]]
        : [];
    });
    const earlier = this.barriers.get(stmt);
    const shared = conflicts.includes('s') || (earlier?.shared ?? false);
    const views = conflicts.includes('v') || (earlier?.views ?? false);
    if (!shared && !views) return pending;
    this.barriers.set(stmt, { shared, views });
    return new Map([...pending].filter(([key]) => (key[0] === 's' ? !shared : !views)));
  }

  #loop(stmt: Stmt & { readonly op: 'for' }, before: Touches): Touches {
    const [outerBreak, outerContinue] = [this.#takeJump('break'), this.#takeJump('continue')];
    let begin = before;
    let exits: Touches = new Map();
    for (;;) {
      const end = merged(this.block(stmt.body, begin), this.#takeJump('continue'));
      exits = merged(exits, this.#takeJump('break'));
      const again = merged(begin, end);
      if (isEqual(again, begin)) break;
      begin = again;
    }
    this.#jumps.set('break', outerBreak);
    this.#jumps.set('continue', outerContinue);
    return merged(begin, exits);
  }

  #jump(to: number | 'break' | 'continue', pending: Touches): Touches {
    this.#jumps.set(to, merged(this.#jumps.get(to) ?? new Map(), pending));
    return pending;
  }

  #takeJump(to: number | 'break' | 'continue'): Touches {
    const touches = this.#jumps.get(to) ?? new Map<string, number>();
    this.#jumps.delete(to);
    return touches;
  }

  /** What a statement touches by itself: its expressions, and all of a region. */
  #touchesOf(stmt: Stmt): Touches {
    const touches = new Map<string, number>();
    const add = (key: string, kind: number) => touches.set(key, (touches.get(key) ?? 0) | kind);
    const expression = (expr: Expr) => this.#reads(expr, add);
    for (const operand of operandsOfStatement(stmt)) visitExpression(operand, { expression });
    const statement = (inner: Stmt) => this.#writes(inner, add);
    statement(stmt);
    if (stmt.op === 'parallel') visitBlock(stmt.body, { statement, expression });
    return touches;
  }

  #reads(expr: Expr, add: (key: string, kind: number) => void): void {
    if (expr.op === 'view.get' || expr.op === 'view.vec4') this.#view(expr.view, READ, add);
    if (expr.op === 'shared.get' || expr.op === 'shared.vec4' || expr.op === 'reduce')
      add(`s${expr.shared}`, READ);
  }

  #writes(stmt: Stmt, add: (key: string, kind: number) => void): void {
    if (stmt.op === 'view.set' || stmt.op === 'view.put4') this.#view(stmt.view, WRITE, add);
    if (stmt.op === 'view.take') this.#view(stmt.view, READ, add);
    if (stmt.op === 'shared.set' || stmt.op === 'shared.put4') add(`s${stmt.shared}`, WRITE);
    if (stmt.op === 'argmax') {
      add(`s${stmt.values}`, READ);
      add(`s${stmt.ids}`, READ);
    }
    if (stmt.op !== 'accumulate') return;
    if ('shared' in stmt.target) add(`s${stmt.target.shared}`, SUM);
    else this.#view(stmt.target.view, SUM, add);
  }

  #view(view: ViewId, kind: number, add: (key: string, kind: number) => void): void {
    const param = this.#parameter(view);
    // What nobody writes needs no order.
    if (this.#kernel.views[param]!.access !== 'in') add(`v${param}`, kind);
  }
}
