/**
 * Regions of lanes and the state around them. `parallel i in 0..L` (L the workgroup size) is exact,
 * any other range is strided; `once` is `parallel 0..1`. Regions do not nest and are not in
 * functions. `shared` and `private` arrays are declared at kernel level with constant sizes.
 */
import type { Stmt } from '../tree.js';
import type { Block, Type } from '../typed.js';
import { sizeOf } from './device-size.js';
import type { Frame, Region } from './frame.js';
import { deviceIndex } from './host-index.js';
import { elaborationLimits } from './session.js';
import { resolveType } from './type-resolution.js';
import { I32, isDeviceType, typeName } from './types.js';
import { int } from './value.js';
import type { Value } from './value.js';

type Parallel = Extract<Stmt, { kind: 'parallel' | 'once' }>;

export function parallel(frame: Frame, stmt: Parallel): void {
  const { kernel, at } = { kernel: frame.kernel, at: stmt.at };
  if (frame.world !== 'device' || kernel === null || frame.returns.kind !== 'kernel') {
    throw frame.problem(at, 'regions stand in kernels only, not in functions');
  }
  if (frame.region !== null) throw frame.problem(at, 'regions do not nest');
  const isOnce = stmt.kind === 'once';
  const from = isOnce ? int(0) : frame.eval(stmt.from);
  const to = isOnce ? int(1) : frame.eval(stmt.to);
  // The size of a workgroup may be an argument of the template: then any range may be it.
  const exact = frame.generic || (isConstant(from, 0) && isConstant(to, kernel.lanes));
  const first = deviceIndex(frame, from, isOnce ? at : stmt.from.at, 'the first lane');
  const end = deviceIndex(frame, to, isOnce ? at : stmt.to.at, 'the last lane');
  const name = isOnce ? 'lane' : stmt.name;
  const local = frame.body.local(name, I32);
  const site = frame.site(at);
  const body = regionBody(frame, { exact }, () => {
    if (!isOnce) frame.define(name, at, frame.localValue(local, site, 'lane'));
    frame.scoped(() => frame.statements(stmt.body));
  });
  frame.emit({ op: 'parallel', site, local, from: first, to: end, exact, body });
}

/** Runs `action` as code of lanes. */
export function regionBody(frame: Frame, region: Region, action: () => void): Block {
  const { loops } = frame;
  frame.region = region;
  frame.loops = [];
  try {
    return frame.nested(action);
  } finally {
    frame.region = null;
    frame.loops = loops;
  }
}

const isConstant = (value: Value, wanted: number): boolean =>
  value.kind === 'const' && value.value === BigInt(wanted);

type State = Extract<Stmt, { kind: 'shared' | 'private' }>;

function stateType(frame: Frame, stmt: State): Extract<Type, { kind: 'array' }> {
  if (frame.world !== 'device' || frame.kernel === null || frame.returns.kind !== 'kernel') {
    throw frame.problem(stmt.at, `\`${stmt.kind}\` stands in kernels only`);
  }
  if (frame.region !== null) {
    throw frame.problem(stmt.at, `\`${stmt.kind}\` is declared at kernel level`);
  }
  if (frame.loops.length > 0 || frame.scope.level > 1) {
    throw frame.problem(stmt.at, `\`${stmt.kind}\` is declared at the top of the kernel`);
  }
  const type = resolveType(frame, stmt.type);
  if (type.kind !== 'array' || type.elem.kind === 'array' || !isDeviceType(type.elem)) {
    const hint = 'like `shared a : f32[64]`';
    throw frame.problem(
      stmt.type.at,
      `\`${stmt.kind}\` needs an array, got ${typeName(type)}`,
      hint,
    );
  }
  if (type.count < 1) throw frame.problem(stmt.type.at, 'the array is empty');
  return type;
}

export function sharedState(frame: Frame, stmt: Extract<Stmt, { kind: 'shared' }>): void {
  const { elem, count } = stateType(frame, stmt);
  const { kernel } = frame;
  if (kernel === null) return;
  const facts = frame.session.configuration.target;
  const limit = Math.min(elaborationLimits.sharedBytes, facts.shared_bytes);
  const total = kernel.sharedBytes + sizeOf(elem) * count;
  if (total > limit) {
    const message = `shared arrays take ${total} bytes; the limit is ${limit} (target.shared_bytes)`;
    throw frame.problem(stmt.at, message, 'use smaller tiles');
  }
  const shared = kernel.addShared(stmt.name, elem, count);
  frame.define(stmt.name, stmt.at, { kind: 'shared', shared, elem, count });
}

export function privateState(frame: Frame, stmt: Extract<Stmt, { kind: 'private' }>): void {
  const { elem, count } = stateType(frame, stmt);
  const { kernel } = frame;
  if (kernel === null) return;
  kernel.registers += count;
  if (kernel.registers > elaborationLimits.registers) {
    const limit = elaborationLimits.registers;
    throw frame.problem(
      stmt.at,
      `private arrays take ${kernel.registers} vectors a lane; the limit is ${limit}`,
    );
  }
  const slot = kernel.addPrivate(stmt.name, elem, count);
  frame.define(stmt.name, stmt.at, { kind: 'private', slot, elem, count });
}
