/**
 * One kernel as one WebAssembly function that runs one workgroup: (wx, wy, wz, then address and
 * length of each view parameter, or the scalar). Regions are loops in lane order, so the end of a
 * region needs no barrier. The function never traps and touches nothing outside its views, the
 * worker's scratch, the zero page and the sink.
 */
import type { Block, Expr, Kernel, SharedId, Stmt } from '../../loom/typed.js';
import { sizeOf, valueTypeOf } from '../numeric/shape.js';
import { visitBlock } from '../typed-walk.js';
import { FunctionBody, type FunctionType, type ValueType } from '../wasm/function-body.js';
import { emitBlock } from './emit-statement.js';
import { emitValue } from './emit-value.js';
import { kernelScope, type KernelModule, type KernelScope } from './kernel-scope.js';
import { assignedIn } from './local-uses.js';

export function kernelType(kernel: Kernel): FunctionType {
  const params: ValueType[] = ['i32', 'i32', 'i32'];
  for (const param of kernel.params) {
    if ('view' in param) params.push('i32', 'i32');
    else params.push(valueTypeOf(kernel.locals[param.local]!.type));
  }
  return { params, results: [] };
}

export function kernelBody(kernel: Kernel, module: KernelModule): FunctionBody {
  const code = new FunctionBody(kernelType(kernel));
  const scope = kernelScope(kernel, code, module, (self) => ({
    value: (expr) => emitValue(self, expr),
    block: (block) => emitBlock(self, block),
  }));
  for (const name of ['zeroPage', 'sink', 'scratch'] as const) {
    code.getGlobal(module.globals[name]);
    code.set(scope.fixed[name]);
  }
  emitClears(scope);
  emitBlock(scope, kernel.body);
  return code;
}

/** Shared and private arrays start as zero in every workgroup. */
function emitClears(scope: KernelScope): void {
  const { kernel, layout } = scope;
  kernel.shared.forEach((array, id) => {
    if (writtenFirst(kernel, id)) return;
    emitFill(scope, layout.shared[id]!, sizeOf(array.type) * array.count);
  });
  emitFill(scope, layout.privateBase, layout.privateStride * kernel.lanes);
}

function emitFill(scope: KernelScope, offset: number, bytes: number): void {
  if (bytes === 0) return;
  const { code } = scope;
  code.get(scope.fixed.scratch);
  code.i32(offset);
  code.op('i32.add');
  code.i32(0);
  code.i32(bytes);
  code.op('memory.fill');
}

/** Whether the first statement that mentions the array is a region that writes all of it. */
function writtenFirst(kernel: Kernel, shared: SharedId): boolean {
  const first = kernel.body.stmts.find((stmt) => mentions(stmt, shared));
  if (!first || first.op !== 'parallel') return false;
  const { count } = kernel.shared[shared]!;
  const whole =
    first.from.op === 'const' &&
    first.from.value === 0 &&
    first.to.op === 'const' &&
    first.to.value === count;
  if (!whole || assignedIn(first.body).locals.has(first.local)) return false;
  return writesEach(first.body, shared, first.local) && !reads(first.body, shared);
}

function writesEach(body: Block, shared: SharedId, lane: number): boolean {
  return body.stmts.some(
    (stmt) =>
      stmt.op === 'shared.set' &&
      stmt.shared === shared &&
      stmt.index.op === 'local' &&
      stmt.index.local === lane,
  );
}

function reads(body: Block, shared: SharedId): boolean {
  let found = false;
  visitBlock(body, {
    statement: (stmt) => {
      if (stmt.op === 'accumulate' && 'shared' in stmt.target && stmt.target.shared === shared)
        found = true;
      // A region that may end early has not written everything.
      if (stmt.op === 'leave' || stmt.op === 'return') found = true;
    },
    expression: (expr) => {
      if (readsShared(expr, shared)) found = true;
    },
  });
  return found;
}

const readsShared = (expr: Expr, shared: SharedId): boolean =>
  (expr.op === 'shared.get' || expr.op === 'shared.vec4' || expr.op === 'reduce') &&
  expr.shared === shared;

function mentions(stmt: Stmt, shared: SharedId): boolean {
  let found = false;
  visitBlock(
    { cost: 0, stmts: [stmt] },
    {
      statement: (inner) => {
        if ((inner.op === 'shared.set' || inner.op === 'shared.put4') && inner.shared === shared)
          found = true;
        if (inner.op === 'accumulate' && 'shared' in inner.target && inner.target.shared === shared)
          found = true;
        if (inner.op === 'argmax' && (inner.values === shared || inner.ids === shared))
          found = true;
      },
      expression: (expr) => {
        if (readsShared(expr, shared)) found = true;
      },
    },
  );
  return found;
}
