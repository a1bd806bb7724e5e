/**
 * Statements of kernels. Keeps `ranges` true along the way: an assignment replaces what is known of
 * a local, two ways that meet keep what holds on both, and whatever a loop or a labelled block
 * assigns is forgotten around it.
 */
import { assert, StatusError } from '../../base/errors.js';
import type { Block, Stmt } from '../../loom/typed.js';
import { deviceFaults, emitArithmetic } from '../numeric/arithmetic.js';
import { emitPick } from '../numeric/intrinsic.js';
import { emitSplatOp } from '../numeric/lanes.js';
import { shapeOf } from '../numeric/shape.js';
import { emitAccumulateView } from './emit-accumulate.js';
import {
  isProved,
  pushAddress,
  pushChecked,
  pushIndexed,
  pushInside,
  pushNeighbour,
} from './emit-address.js';
import { emitWords } from './emit-dot.js';
import { emitCountedLoop } from './emit-loop.js';
import { emitArgmax } from './emit-reduce.js';
import { emitLoad, emitLoadSplat, emitStore, isWord, storageOf } from './emit-storage.js';
import { emitSplat } from './emit-value.js';
import { emitSlice, emitTile } from './emit-view.js';
import { anyI32, intervalOf, joinIntervals, type Ranges } from './interval.js';
import { forget, type KernelScope } from './kernel-scope.js';
import { assignedIn } from './local-uses.js';
import { placesOf, type Place } from './place.js';

export function emitBlock(scope: KernelScope, block: Block): void {
  for (const stmt of block.stmts) emitStatement(scope, stmt);
}

function emitStatement(scope: KernelScope, stmt: Stmt): void {
  const { code } = scope;
  switch (stmt.op) {
    case 'set':
      return emitSet(scope, stmt);
    case 'if':
      return emitIf(scope, stmt);
    case 'for':
      return emitCountedLoop(scope, stmt);
    case 'parallel':
      return emitParallel(scope, stmt);
    case 'label': {
      scope.labels.set(stmt.label, code.block());
      emitBlock(scope, stmt.body);
      code.end();
      return forget(scope, assignedIn(stmt.body).locals);
    }
    case 'leave': {
      const label = scope.labels.get(stmt.label);
      assert(label !== undefined, 'a label around its leave');
      return code.br(label);
    }
    case 'break':
      return code.br(scope.loops.at(-1)!.exit);
    case 'continue':
      return code.br(scope.loops.at(-1)!.next);
    case 'return':
      return code.op('return');
    case 'call':
      throw new StatusError('internal', 'a call in a kernel');
    default:
      return emitMemory(scope, stmt);
  }
}

function emitMemory(scope: KernelScope, stmt: Stmt): void {
  const { code, module } = scope;
  switch (stmt.op) {
    case 'view.set': {
      const offset = pushAddress(scope, placesOf(stmt)[0]!);
      scope.emit.value(stmt.value);
      return emitStore(code, module, stmt.storage, offset);
    }
    case 'shared.set': {
      const offset = pushAddress(scope, placesOf(stmt)[0]!);
      scope.emit.value(stmt.value);
      return emitStore(code, module, storageOf(scope.kernel.shared[stmt.shared]!.type), offset);
    }
    case 'view.put4':
    case 'shared.put4':
      return emitPutFour(scope, stmt);
    case 'private.set':
      return emitPrivateSet(scope, stmt);
    case 'view.tile':
      return emitTile(scope, stmt);
    case 'view.slice':
      return emitSlice(scope, stmt);
    case 'view.take':
      return emitTake(scope, stmt);
    case 'accumulate':
      return emitAccumulate(scope, stmt);
    case 'argmax':
      forget(scope, [stmt.value, stmt.index]);
      return emitArgmax(scope, stmt);
    default:
      throw new StatusError('internal', `statement ${stmt.op} in a kernel`);
  }
}

function emitSet(scope: KernelScope, stmt: Stmt & { readonly op: 'set' }): void {
  const { code } = scope;
  const words = scope.wide.get(stmt.local);
  if (words !== undefined) return emitWords(scope, stmt.value, words);
  const range = intervalOf(stmt.value, scope.ranges);
  if (scope.splatted.has(stmt.local)) emitSplat(scope, stmt.value, stmt.value.type);
  else scope.emit.value(stmt.value);
  code.set(scope.locals[stmt.local]!);
  if (range === anyI32) scope.ranges.delete(stmt.local);
  else scope.ranges.set(stmt.local, range);
}

function emitIf(scope: KernelScope, stmt: Stmt & { readonly op: 'if' }): void {
  const { code } = scope;
  scope.emit.value(stmt.cond);
  const before = new Map(scope.ranges);
  code.if();
  emitBlock(scope, stmt.then);
  const afterThen = new Map(scope.ranges);
  replaceRanges(scope.ranges, before);
  if (stmt.otherwise) {
    code.else();
    emitBlock(scope, stmt.otherwise);
  }
  code.end();
  for (const [local, range] of [...scope.ranges]) {
    const other = afterThen.get(local);
    if (other) scope.ranges.set(local, joinIntervals(range, other));
    else scope.ranges.delete(local);
  }
}

function replaceRanges(target: Ranges, source: Ranges): void {
  target.clear();
  for (const [local, range] of source) target.set(local, range);
}

/** Lanes in order. In an exact region each lane finds its own private arrays. */
function emitParallel(scope: KernelScope, stmt: Stmt & { readonly op: 'parallel' }): void {
  const { code, layout, kernel } = scope;
  const inMemory = stmt.exact && kernel.privates.length > 0 && kernel.lanes > 1;
  const start = () => {
    code.get(scope.locals[stmt.local]!);
    code.i32(layout.privateStride);
    code.op('i32.mul');
    code.get(scope.fixed.scratch);
    code.i32(layout.privateBase);
    code.ops('i32.add', 'i32.add');
    code.set(scope.laneBase);
  };
  emitCountedLoop(scope, { ...stmt, step: 1, start: inMemory ? start : undefined });
}

function emitPrivateSet(scope: KernelScope, stmt: Stmt & { readonly op: 'private.set' }): void {
  const { code, kernel, layout } = scope;
  if (kernel.lanes === 1) {
    scope.emit.value(stmt.value);
    return code.set(scope.privates[stmt.private]![stmt.index]!);
  }
  const storage = storageOf(kernel.privates[stmt.private]!.type);
  code.get(scope.laneBase);
  scope.emit.value(stmt.value);
  emitStore(
    code,
    scope.module,
    storage,
    layout.privates[stmt.private]! + stmt.index * storage.size,
  );
}

/** Elements base + i * stride into locals; one address where the loop's plan has pointers. */
function emitTake(scope: KernelScope, stmt: Stmt & { readonly op: 'view.take' }): void {
  const { code } = scope;
  const places = placesOf(stmt);
  const finish = (i: number, offset: number) => {
    const local = stmt.locals[i]!;
    if (!scope.splatted.has(local)) emitLoad(code, stmt.storage, offset);
    else if (isWord(stmt.storage)) emitLoadSplat(code, offset);
    else {
      emitLoad(code, stmt.storage, offset);
      emitSplatOp(code, scope.kernel.locals[local]!.type);
    }
    code.set(scope.locals[local]!);
    scope.ranges.delete(local);
  };
  if (places.every((place) => scope.streams.has(place) || isProved(scope, place))) {
    return places.forEach((place, i) => finish(i, pushAddress(scope, place)));
  }
  const index = code.temp('i32');
  const stride = code.temp('i32');
  scope.emit.value(stmt.base);
  code.set(index);
  scope.emit.value(stmt.stride);
  code.set(stride);
  places.forEach((place, i) => {
    code.get(index);
    if (i > 0) {
      code.get(stride);
      code.op('i32.add');
      code.tee(index);
    }
    finish(i, pushChecked(scope, place));
  });
  code.release('i32', index);
  code.release('i32', stride);
}

/** Four neighbours: one store where all four are inside, else four checked ones. */
function emitPutFour(
  scope: KernelScope,
  stmt: Stmt & { readonly op: 'view.put4' | 'shared.put4' },
): void {
  const { code, module } = scope;
  const place = placesOf(stmt)[0]!;
  const storage =
    stmt.op === 'view.put4' ? stmt.storage : storageOf(scope.kernel.shared[stmt.shared]!.type);
  const four = { ...storage, lanes: 4 as const };
  if (scope.streams.has(place) || isProved(scope, place)) {
    const offset = pushAddress(scope, place);
    scope.emit.value(stmt.value);
    return emitStore(code, module, four, offset);
  }
  const index = code.temp('i32');
  const value = code.temp('v128');
  scope.emit.value(stmt.index);
  code.set(index);
  scope.emit.value(stmt.value);
  code.set(value);
  pushInside(scope, place, index);
  code.if();
  const offset = pushIndexed(scope, place, index);
  code.get(value);
  emitStore(code, module, four, offset);
  code.else();
  emitPutEach(scope, { ...place, width: 1 }, index, value);
  code.end();
  code.release('i32', index);
  code.release('v128', value);
}

function emitPutEach(scope: KernelScope, place: Place, index: number, value: number): void {
  const { code } = scope;
  for (let lane = 0; lane < 4; lane++) {
    pushNeighbour(scope, place, index, lane);
    code.if();
    const offset = pushIndexed(scope, place, index);
    code.get(value);
    code.access('v128.store32_lane', offset + lane * 4, lane);
    code.end();
  }
}

/** Shared arrays belong to one worker: a plain read, combine, write. Views need atomics. */
function emitAccumulate(scope: KernelScope, stmt: Stmt & { readonly op: 'accumulate' }): void {
  const { code, module } = scope;
  const place = placesOf(stmt)[0]!;
  if ('view' in stmt.target) return emitAccumulateView(scope, stmt, place);
  const { type } = scope.kernel.shared[stmt.target.shared]!;
  const storage = storageOf(type);
  const address = code.temp('i32');
  const offset = pushAddress(scope, place);
  code.tee(address);
  code.get(address);
  emitLoad(code, storage, offset);
  code.release('i32', address);
  scope.emit.value(stmt.value);
  if (stmt.kind === 'min' || stmt.kind === 'max') emitPick(code, stmt.kind, shapeOf(type));
  else {
    const operators = { add: '+', and: '&', or: '|', xor: '^' } as const;
    emitArithmetic(code, operators[stmt.kind], shapeOf(type), deviceFaults);
  }
  emitStore(code, module, storage, offset);
}
