/**
 * Facts about a kernel's locals that hold everywhere in it: which are only ever read through
 * `splat` (they live as vectors, so a broadcast load feeds every use), which only by dot products
 * of bytes (they live as two vectors of words), and which a block assigns.
 * Kernels are immutable, so the answers are remembered by block.
 */
import type { Block, Kernel, LocalId, ViewId } from '../../loom/typed.js';
import { assignedBy, visitBlock } from '../typed-walk.js';

/** Scalar 32-bit locals whose every read is the operand of a `splat`. */
export function splatLocals(kernel: Kernel): ReadonlySet<LocalId> {
  const reads = new Map<LocalId, number>();
  const splats = new Map<LocalId, number>();
  const count = (map: Map<LocalId, number>, local: LocalId) =>
    map.set(local, (map.get(local) ?? 0) + 1);
  const assigned = new Set<LocalId>();
  visitBlock(kernel.body, {
    statement: (stmt) => {
      if (stmt.op === 'set' || stmt.op === 'view.take') {
        for (const local of assignedBy(stmt)) assigned.add(local);
      } else {
        // Loop variables and results of argmax are plain scalars: never splatted.
        for (const local of assignedBy(stmt)) count(reads, local);
      }
    },
    expression: (expr) => {
      if (expr.op === 'local') count(reads, expr.local);
      if (expr.op === 'splat' && expr.value.op === 'local') count(splats, expr.value.local);
    },
  });
  const result = new Set<LocalId>();
  for (const [local, uses] of splats) {
    const { type } = kernel.locals[local]!;
    const word =
      type.kind === 'scalar' && (type.name === 'f32' || type.name === 'i32' || type.name === 'u32');
    if (word && assigned.has(local) && reads.get(local) === uses) result.add(local);
  }
  for (const param of kernel.params) if ('local' in param) result.delete(param.local);
  return result;
}

/** Vectors of signed bytes that are loaded, and only ever read as factors of dot products. */
export function wideLocals(kernel: Kernel): ReadonlySet<LocalId> {
  const loaded = new Set<LocalId>();
  const others = new Set<LocalId>();
  const reads = new Map<LocalId, number>();
  const add = (local: LocalId, count: number) => reads.set(local, (reads.get(local) ?? 0) + count);
  visitBlock(kernel.body, {
    statement: (stmt) => {
      if (stmt.op === 'set' && stmt.value.op === 'view.get') loaded.add(stmt.local);
      else for (const local of assignedBy(stmt)) others.add(local);
    },
    expression: (expr) => {
      if (expr.op === 'local') add(expr.local, 1);
      if (expr.op !== 'intrinsic' || expr.name !== 'dot8') return;
      for (const factor of expr.args.slice(0, 2)) if (factor.op === 'local') add(factor.local, -1);
    },
  });
  const isBytes = (local: LocalId) => kernel.locals[local]!.type.kind === 'bytes';
  return new Set(
    [...loaded].filter((local) => isBytes(local) && !others.has(local) && !reads.get(local)),
  );
}

export interface Assigned {
  readonly locals: ReadonlySet<LocalId>;
  readonly views: ReadonlySet<ViewId>;
  /** Holds `for`, `while` or `parallel`. */
  readonly loops: boolean;
  /** Control may leave the block early: break, leave or return somewhere inside. */
  readonly leaves: boolean;
  /** Statements and expressions inside. */
  readonly nodes: number;
}

const remembered = new WeakMap<Block, Assigned>();

/** What a block assigns, nested statements and expressions included. */
export function assignedIn(block: Block): Assigned {
  const known = remembered.get(block);
  if (known) return known;
  const locals = new Set<LocalId>();
  const views = new Set<ViewId>();
  let loops = false;
  let leaves = false;
  let nodes = 0;
  visitBlock(block, {
    statement: (stmt) => {
      nodes++;
      for (const local of assignedBy(stmt)) locals.add(local);
      if (stmt.op === 'view.tile' || stmt.op === 'view.slice') views.add(stmt.view);
      if (stmt.op === 'for' || stmt.op === 'while' || stmt.op === 'parallel') loops = true;
      if (stmt.op === 'break' || stmt.op === 'leave' || stmt.op === 'return') leaves = true;
    },
    expression: () => void nodes++,
  });
  const result = { locals, views, loops, leaves, nodes };
  remembered.set(block, result);
  return result;
}

/** Whether a block never reaches its end by falling off (used to skip dead joins). */
export function endsAbruptly(block: Block): boolean {
  const last = block.stmts.at(-1);
  return (
    last !== undefined &&
    (last.op === 'return' || last.op === 'leave' || last.op === 'break' || last.op === 'continue')
  );
}
