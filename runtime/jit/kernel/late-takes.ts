/**
 * The loads of a `take`, each moved to the statement that reads it first. V8 places the loads of
 * straight code first, but none ahead of a branch: where the tests of a loop stand between rows,
 * late loads need fewer registers at a time, and the processor gets loads and arithmetic mixed.
 *
 * Only bodies that assign locals and do nothing else are changed: no load passes a store.
 */
import type { Block, LocalId, Stmt } from '../../loom/typed.js';
import { visitBlock } from '../typed-walk.js';
import { takenAlone } from './place.js';

type Take = Stmt & { readonly op: 'view.take' };

export function withLateTakes(body: Block): Block {
  if (!body.stmts.some((stmt) => stmt.op === 'view.take') || !isStraight(body)) return body;
  const before = body.stmts.map((): Stmt[] => []);
  const moved = new Set<Stmt>();
  body.stmts.forEach((stmt, at) => {
    if (stmt.op !== 'view.take' || !canMove(stmt, body)) return;
    moved.add(stmt);
    for (const [i, local] of stmt.locals.entries()) {
      const reader = body.stmts.findIndex((other, index) => index > at && reads(other, local));
      before[reader < 0 ? at : reader]!.push(takenAlone(stmt, i));
    }
  });
  const stmts = body.stmts.flatMap((stmt, at) =>
    moved.has(stmt) ? before[at]! : [...before[at]!, stmt],
  );
  return { ...body, stmts };
}

/** Every statement, nested ones included, assigns locals only. */
function isStraight(body: Block): boolean {
  let straight = true;
  const statement = (stmt: Stmt) => (straight &&= stmt.op === 'set' || stmt.op === 'view.take');
  visitBlock(body, { statement: (stmt) => void statement(stmt) });
  return straight;
}

/** The body assigns none of its operands, and its locals nowhere else. */
function canMove(take: Take, body: Block): boolean {
  const own = new Set(take.locals);
  const used = localsIn({ cost: 0, stmts: [take] });
  let free = own.size === take.locals.length;
  visitBlock(body, {
    statement: (stmt) => {
      if (stmt === take) return;
      const locals = stmt.op === 'set' ? [stmt.local] : stmt.op === 'view.take' ? stmt.locals : [];
      if (locals.some((local) => own.has(local) || used.has(local))) free = false;
    },
  });
  return free && !take.locals.some((local) => used.has(local));
}

const reads = (stmt: Stmt, local: LocalId): boolean =>
  localsIn({ cost: 0, stmts: [stmt] }).has(local);

/** Locals that a block reads. */
function localsIn(block: Block): ReadonlySet<LocalId> {
  const found = new Set<LocalId>();
  visitBlock(block, { expression: (expr) => void (expr.op === 'local' && found.add(expr.local)) });
  return found;
}
