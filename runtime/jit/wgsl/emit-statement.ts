/**
 * Statements of kernels as WGSL. Kernel-level statements run in every invocation of the workgroup
 * with the same values; regions give each lane its part of their range. Barriers stand where
 * `barriers.ts` found that something depends on them.
 */
import { StatusError } from '../../base/errors.js';
import type { Block, Expr, LocalId, Stmt } from '../../loom/typed.js';
import { intervalOf, interval } from '../kernel/interval.js';
import { assignedIn } from '../kernel/local-uses.js';
import {
  emitAccumulate,
  emitSharedPut4,
  emitSharedSet,
  emitViewPut4,
  emitViewSet,
} from './emit-place.js';
import { emitStoreRun, storeRun } from './emit-store-run.js';
import { emitTake } from './emit-take.js';
import { emitArgmax } from './emit-reduce.js';
import { baseOf, lengthOf, madeUniform, textOf, type WgslScope } from './wgsl-scope.js';
import { shapeOf } from './wgsl-types.js';

type StmtOf<Op extends Stmt['op']> = Stmt & { readonly op: Op };

const I32_MAX = 2 ** 31 - 1;

export function emitBlock(scope: WgslScope, block: Block): void {
  for (let at = 0; at < block.stmts.length;) {
    const stmt = block.stmts[at]!;
    scope.code.at(stmt.site);
    emitBarrier(scope, stmt);
    const run = storeRun(scope, block, at);
    if (run.length > 0) emitStoreRun(scope, run);
    else emitStatement(scope, stmt);
    at += Math.max(1, run.length);
  }
}

function emitBarrier({ barriers, code }: WgslScope, stmt: Stmt): void {
  const barrier = barriers.get(stmt);
  if (barrier?.shared) code.line('workgroupBarrier();');
  if (barrier?.views) code.line('storageBarrier();');
}

function emitStatement(scope: WgslScope, stmt: Stmt): void {
  const { code, jumps } = scope;
  switch (stmt.op) {
    case 'set':
      if (scope.lets.has(stmt.local))
        scope.ranges.set(stmt.local, intervalOf(stmt.value, scope.ranges));
      return assign(scope, stmt.local, textOf(scope, stmt.value));
    case 'if':
      return emitIf(scope, stmt);
    case 'for':
      return emitFor(scope, stmt);
    case 'parallel':
      return emitParallel(scope, stmt);
    case 'label':
      return jumps.around(stmt.label, 'switch (0)', () => emitBlock(scope, stmt.body));
    case 'leave':
      return jumps.leave(stmt.label);
    case 'break':
      return jumps.leave('loop');
    case 'continue':
      return code.line('continue;');
    case 'return':
      return code.line('return;');
    default:
      return emitMemory(scope, stmt);
  }
}

function emitMemory(scope: WgslScope, stmt: Stmt): void {
  switch (stmt.op) {
    case 'view.set':
      return emitViewSet(scope, stmt);
    case 'view.put4':
      return emitViewPut4(scope, stmt);
    case 'shared.set':
      return emitSharedSet(scope, stmt);
    case 'shared.put4':
      return emitSharedPut4(scope, stmt);
    case 'private.set': {
      const name = scope.privates[stmt.private]![stmt.index]!;
      return scope.code.line(`${name} = ${textOf(scope, stmt.value)};`);
    }
    case 'view.tile':
    case 'view.slice':
      return emitCut(scope, stmt);
    case 'view.take':
      return emitTake(scope, stmt, (local, text) =>
        assign(scope, local, uniformed(scope, stmt, local, text)),
      );
    case 'accumulate':
      return emitAccumulate(scope, stmt);
    case 'argmax': {
      const best = emitArgmax(scope, stmt);
      assign(scope, stmt.value, uniformed(scope, stmt, stmt.value, best.value));
      return assign(scope, stmt.index, uniformed(scope, stmt, stmt.index, best.index));
    }
    default:
      throw new StatusError('internal', `statement ${stmt.op} in a kernel`);
  }
}

function uniformed(scope: WgslScope, stmt: Stmt, local: LocalId, text: string): string {
  if (!scope.uniform.has(stmt)) return text;
  return madeUniform(scope, text, shapeOf(scope.kernel.locals[local]!.type));
}

function assign({ code, lets, locals }: WgslScope, local: LocalId, text: string): void {
  code.line(`${lets.has(local) ? 'let ' : ''}${locals[local]} = ${text};`);
}

function emitIf(scope: WgslScope, stmt: StmtOf<'if'>): void {
  const { code } = scope;
  code.open(`if (${textOf(scope, stmt.cond)})`);
  emitBlock(scope, stmt.then);
  if (stmt.otherwise) {
    code.else();
    emitBlock(scope, stmt.otherwise);
  }
  code.close();
}

/**
 * Bounds are taken once; where the counter might wrap behind the last round, a test ends the loop.
 */
function emitFor(scope: WgslScope, stmt: StmtOf<'for'>): void {
  const { code, jumps, locals } = scope;
  const { local, step, body } = stmt;
  const from = textOf(scope, stmt.from);
  const to = bound(scope, stmt.to);
  const name = locals[local]!;
  const isAssigned = assignedIn(body).locals.has(local);
  const counter = isAssigned ? code.fresh() : name;
  const fits = step === 1 || intervalOf(stmt.to, scope.ranges).hi <= I32_MAX - step;
  // A counter that has wrapped lies below where it began.
  const test = fits ? '' : ` && ${counter} >= ${counter}_from`;
  if (!fits) code.line(`let ${counter}_from = ${from};`);
  const begin = fits ? from : `${counter}_from`;
  const head = `for (var ${counter} = ${begin}; ${counter} < ${to}${test}; ${counter} += ${step}i)`;
  jumps.around('loop', head, () => {
    if (isAssigned) code.line(`var ${name} = ${counter};`);
    knowCounter(scope, stmt, () => emitBlock(scope, body));
  });
}

function bound(scope: WgslScope, expr: Expr): string {
  const text = textOf(scope, expr);
  return expr.op === 'const' ? text : scope.code.let(text);
}

/**
 * Exact regions have a lane for each invocation; others share their range out, and one that is
 * known to be no longer than the workgroup needs no loop for that.
 */
function emitParallel(scope: WgslScope, stmt: StmtOf<'parallel'>): void {
  const { code, kernel, locals } = scope;
  const name = locals[stmt.local]!;
  const declare = assignedIn(stmt.body).locals.has(stmt.local) ? 'var' : 'let';
  if (stmt.exact) {
    code.open('');
    code.line(`${declare} ${name} = i32(lane);`);
  } else {
    const from = textOf(scope, stmt.from);
    const count = constantCount(stmt);
    const each = count !== null && count <= kernel.lanes;
    const counter = each ? 'lane' : code.fresh();
    const end = count !== null ? `${count}u` : countText(scope, from, stmt.to);
    code.open(
      each
        ? `if (lane < ${end})`
        : `for (var ${counter} = lane; ${counter} < ${end}; ${counter} += ${kernel.lanes}u)`,
    );
    code.line(`${declare} ${name} = ${from} + i32(${counter});`);
  }
  knowCounter(scope, stmt, () => emitBlock(scope, stmt.body));
  code.close();
}

/** While the body is written, its counter is known to lie between the bounds. */
function knowCounter(
  { ranges }: WgslScope,
  { local, from, to, body }: StmtOf<'for' | 'parallel'>,
  emit: () => void,
): void {
  if (!assignedIn(body).locals.has(local)) {
    ranges.set(local, interval(intervalOf(from, ranges).lo, intervalOf(to, ranges).hi - 1));
  }
  emit();
  ranges.delete(local);
}

function constantCount({ from, to }: StmtOf<'parallel'>): number | null {
  if (from.op !== 'const' || to.op !== 'const') return null;
  return Math.max(0, Number(to.value) - Number(from.value));
}

/** How many lanes a range has; the difference of two i32 fits u32. */
function countText(scope: WgslScope, from: string, to: Expr): string {
  const { code } = scope;
  const [first, end] = [code.let(from), code.let(textOf(scope, to))];
  return code.let(`select(0u, u32(${end}) - u32(${first}), ${end} > ${first})`);
}

/** All or nothing: a tile or slice that does not fit into its source has no elements. */
function emitCut(scope: WgslScope, stmt: StmtOf<'view.tile' | 'view.slice'>): void {
  const { code } = scope;
  const first = code.let(`u32(${textOf(scope, stmt.base)})`);
  const count =
    stmt.op === 'view.tile' ? `${stmt.count}u` : code.let(`u32(${textOf(scope, stmt.count)})`);
  const source = lengthOf(scope, stmt.source);
  const fits = `${first} <= ${source} && ${count} <= ${source} - ${first}`;
  const start = `${baseOf(scope, stmt.source)} + ${stepText(scope, stmt.source, first)}`;
  code.line(`${baseOf(scope, stmt.view)} = ${start};`);
  code.line(`${lengthOf(scope, stmt.view)} = select(0u, ${count}, ${fits});`);
}

/** Elements in what the base of a view counts in. */
function stepText({ kernel, views, paramOf }: WgslScope, view: number, elements: string): string {
  const { elementSize } = kernel.views[view]!;
  if (!views[paramOf(view)]!.carrier.words || elementSize <= 4) return elements;
  return `${elements} * ${elementSize / 4}u`;
}
