/**
 * Statements of every world. Each is elaborated on its own: a problem is recorded, names that it
 * would have bound are poisoned, and the next statement goes on.
 */
import type { Block, Stmt } from '../tree.js';
import { assign } from './assignments.js';
import { evaluateCall } from './calls.js';
import { coerce, valueType } from './coercion.js';
import { dispatchStatement, partStatement, workspaceStatement } from './command-statements.js';
import { checkHostArray, zeroOf } from './constants.js';
import type { Frame } from './frame.js';
import { inLoop, loop, whileLoop } from './loops.js';
import { Poisoned } from './problem.js';
import { parallel, privateState, regionBody, sharedState } from './regions.js';
import { resolveType } from './type-resolution.js';
import { once as evaluateOnce } from './host-layout.js';
import { returnStatement } from './returns.js';
import { BOOL, I32, isHostType, typeName } from './types.js';
import type { Type } from '../typed.js';
import { POISON, describeKind } from './value.js';
import type { Value } from './value.js';

export function elaborateStatements(frame: Frame, block: Block): void {
  for (const stmt of block.stmts) {
    try {
      statement(frame, stmt);
    } catch (error) {
      frame.session.record(error, frame);
      poisonNames(frame, stmt);
      if (frame.generic && error instanceof Poisoned) unknownHead(frame, stmt);
    }
  }
}

/** The head depends on what is not known; the blocks are checked all the same. */
function unknownHead(frame: Frame, stmt: Stmt): void {
  const block = (body: Block): void => frame.scoped(() => frame.statements(body));
  switch (stmt.kind) {
    case 'if':
      frame.nested(() => block(stmt.then));
      if (stmt.otherwise !== null) block(stmt.otherwise);
      return;
    case 'for':
    case 'while':
      frame.nested(() => {
        if (stmt.kind === 'for') defineUnknown(frame, stmt.name, stmt.at);
        inLoop(frame, { exit: null, next: null }, () => block(stmt.body));
      });
      return;
    case 'parallel':
      if (frame.kernel === null || frame.region !== null) return;
      regionBody(frame, { exact: true }, () => {
        const local = frame.body.local(stmt.name, I32);
        frame.define(stmt.name, stmt.at, frame.localValue(local, frame.site(stmt.at), 'lane'));
        block(stmt.body);
      });
      return;
    default:
      return;
  }
}

function defineUnknown(frame: Frame, name: string, at: number): void {
  frame.scope.set(name, { value: POISON, at, variable: false, region: frame.region });
}

function poisonNames(frame: Frame, stmt: Stmt): void {
  const names =
    stmt.kind === 'let'
      ? stmt.names
      : 'name' in stmt && stmt.kind !== 'for' && stmt.kind !== 'parallel'
        ? [stmt.name]
        : [];
  for (const name of names) {
    if (frame.scope.here(name) !== null) continue;
    frame.scope.set(name, { value: POISON, at: stmt.at, variable: true, region: frame.region });
  }
}

function statement(frame: Frame, stmt: Stmt): void {
  frame.body.nodes += 1;
  switch (stmt.kind) {
    case 'let':
      return letStatement(frame, stmt);
    case 'var':
      return varStatement(frame, stmt);
    case 'assign':
      return assign(frame, stmt);
    case 'if':
      return ifStatement(frame, stmt);
    case 'for':
      return loop(frame, stmt);
    case 'while':
      return whileLoop(frame, stmt);
    case 'break':
    case 'continue':
      return jump(frame, stmt);
    case 'return':
      return returnStatement(frame, stmt);
    case 'do':
      return doStatement(frame, stmt);
    case 'parallel':
    case 'once':
      return parallel(frame, stmt);
    case 'shared':
      return sharedState(frame, stmt);
    case 'private':
      return privateState(frame, stmt);
    case 'workspace':
      return workspaceStatement(frame, stmt);
    case 'dispatch':
      return dispatchStatement(frame, stmt);
    case 'part':
      return partStatement(frame, stmt);
  }
}

function doStatement(frame: Frame, stmt: Extract<Stmt, { kind: 'do' }>): void {
  if (stmt.value.kind !== 'call') throw frame.problem(stmt.at, 'only a call stands alone');
  const value = evaluateCall(frame, stmt.value, true);
  if (value.kind === 'tuple') return;
  if (value.kind === 'expr' && frame.world === 'host' && value.expr.op !== 'local') {
    const local = frame.body.local('unused', value.expr.type);
    frame.emit({ op: 'set', site: frame.site(stmt.at), local, value: value.expr });
    return;
  }
  if (frame.world === 'device' || frame.world === 'command') {
    throw frame.problem(
      stmt.at,
      'the result of this call is not used',
      'device functions have no effects',
    );
  }
}

function letStatement(frame: Frame, stmt: Extract<Stmt, { kind: 'let' }>): void {
  const value = frame.eval(stmt.value);
  const [name] = stmt.names;
  if (stmt.names.length === 1 && name !== undefined) {
    frame.define(name, stmt.at, bound(frame, value, stmt, name));
    return;
  }
  if (value.kind !== 'tuple' || value.items.length !== stmt.names.length) {
    const got = value.kind === 'tuple' ? `${value.items.length} results` : 'one value';
    throw frame.problem(stmt.at, `${stmt.names.length} names for ${got}`);
  }
  stmt.names.forEach((each, index) => {
    const item = value.items[index] as Value;
    frame.define(each, stmt.at, bound(frame, item, stmt, each));
  });
}

/** The value that a `let` keeps: evaluated once, and independent of later assignments. */
function bound(
  frame: Frame,
  value: Value,
  stmt: Extract<Stmt, { kind: 'let' }>,
  name: string,
): Value {
  const { at } = stmt;
  if (stmt.type !== null) {
    const type = resolveType(frame, stmt.type);
    if (value.kind === 'array' && frame.world === 'device') return letArray(frame, value, type, at);
    const expr = coerce(frame, value, type, { at: stmt.value.at, what: `'${name}'` });
    const { op } = expr;
    if (value.kind === 'const' && op === 'const') return { ...value, type };
    return frame.hold(name, expr, frame.rankOf(value));
  }
  switch (value.kind) {
    case 'expr':
      return value.expr.op === 'const' ? value : frame.hold(name, value.expr, value.rank);
    case 'array':
      return frame.world === 'device' ? copyArray(frame, value) : value;
    case 'layoutRef':
      return {
        ...value,
        buffer: evaluateOnce(frame, value.buffer),
        index: evaluateOnce(frame, value.index),
      };
    case 'elements':
      return { ...value, buffer: evaluateOnce(frame, value.buffer) };
    case 'viewElement': {
      const index = evaluateOnce(frame, value.index);
      const loads = value.view.access === 'in' ? frame.reserve() : null;
      return { ...value, index, loads, loaded: new Map() };
    }
    case 'tuple':
      if (value.items.length === 1) return value.items[0] as Value;
      throw frame.problem(at, `'${name}' is bound to ${describeKind(value)}`);
    case 'declaration':
      throw frame.problem(stmt.value.at, `expected a value, got ${describeKind(value)}`);
    default:
      return value;
  }
}

function letArray(
  frame: Frame,
  value: Extract<Value, { kind: 'array' }>,
  type: Type,
  at: number,
): Value {
  const got: Type = { kind: 'array', elem: value.elem, count: value.items.length };
  if (typeName(got) === typeName(type)) return copyArray(frame, value);
  throw frame.problem(at, `expected ${typeName(type)}, got ${typeName(got)}`);
}

/** Elements of a `var` may change later, so they are copied. */
function copyArray(frame: Frame, value: Extract<Value, { kind: 'array' }>): Value {
  const items = value.items.map((item) =>
    item.kind === 'expr' && item.expr.op !== 'const' && value.locals !== null
      ? frame.hold('item', item.expr, item.rank)
      : item,
  );
  return { ...value, items, locals: null };
}

function varStatement(frame: Frame, stmt: Extract<Stmt, { kind: 'var' }>): void {
  const { name, at } = stmt;
  if (frame.world === 'const' || frame.world === 'command') {
    throw frame.problem(at, 'a command program has no variables', 'use `let`');
  }
  const given = stmt.value === null ? null : frame.eval(stmt.value);
  const declared = stmt.type === null ? null : resolveType(frame, stmt.type);
  const type = declared ?? (given === null ? null : valueType(frame, given));
  if (type === null) {
    throw frame.problem(
      at,
      `expected a value for '${name}', got ${given === null ? 'none' : describeKind(given)}`,
    );
  }
  const rank = frame.region === null ? 'uniform' : 'lane';
  if (frame.world === 'device') {
    if (type.kind === 'array') return varArray(frame, stmt, type, given);
    if (!isDeviceValue(type)) {
      const hint = 'use i32, u32 or f32';
      throw frame.problem(at, `${typeName(type)} does not exist on devices`, hint);
    }
  } else if (!isHostType(type)) {
    throw frame.problem(at, `${typeName(type)} exists on devices only`);
  }
  const start =
    given === null
      ? initial(frame, type, at)
      : coerce(frame, given, type, { at, what: `'${name}'` });
  const local = frame.body.local(name, type);
  frame.emit({ op: 'set', site: frame.site(at), local, value: start });
  frame.define(name, at, frame.localValue(local, frame.site(at), rank), true);
}

const isDeviceValue = (type: Type): boolean =>
  (type.kind === 'scalar' && type.name !== 'i64' && type.name !== 'f64') ||
  type.kind === 'vector' ||
  type.kind === 'bytes';

function initial(frame: Frame, type: Type, at: number) {
  if (type.kind === 'array') {
    checkHostArray(frame, type.count, at);
    const items = Array.from({ length: type.count }, () => zeroOf(frame, type.elem, at));
    return { op: 'array.new', type, site: frame.site(at), items } as const;
  }
  return zeroOf(frame, type, at);
}

/** A register array: one local an element. */
function varArray(
  frame: Frame,
  stmt: Extract<Stmt, { kind: 'var' }>,
  type: Extract<Type, { kind: 'array' }>,
  given: Value | null,
): void {
  const { name, at } = stmt;
  const limit = 64;
  if (type.count > limit) {
    const hint = 'use `shared`, or a smaller tile';
    throw frame.problem(
      at,
      `a register array of ${type.count} elements; the limit is ${limit}`,
      hint,
    );
  }
  if (!isDeviceValue(type.elem)) {
    throw frame.problem(at, `a register array cannot hold ${typeName(type.elem)}`);
  }
  if (given !== null && (given.kind !== 'array' || given.items.length !== type.count)) {
    throw frame.problem(at, `expected ${typeName(type)}, got ${describeKind(given)}`);
  }
  const rank = frame.region === null ? 'uniform' : 'lane';
  const site = frame.site(at);
  const locals = Array.from({ length: type.count }, (_, index) => {
    const start =
      given === null
        ? zeroOf(frame, type.elem, at)
        : coerce(
            frame,
            (given as Extract<Value, { kind: 'array' }>).items[index] as Value,
            type.elem,
            at,
          );
    const local = frame.body.local(`${name}${index}`, type.elem);
    frame.emit({ op: 'set', site, local, value: start });
    return local;
  });
  const items = locals.map((local) => frame.localValue(local, site, rank));
  frame.define(name, at, { kind: 'array', elem: type.elem, items, locals }, true);
}

function ifStatement(frame: Frame, stmt: Extract<Stmt, { kind: 'if' }>): void {
  const value = frame.eval(stmt.cond);
  if (value.kind === 'const' && typeof value.value === 'boolean') {
    const chosen = value.value ? stmt.then : stmt.otherwise;
    if (chosen !== null) frame.scoped(() => frame.statements(chosen), frame.scope.level);
    return;
  }
  if (frame.world === 'command') {
    const hint = 'a grid of zero skips a dispatch';
    throw frame.problem(stmt.cond.at, 'a condition of a command program must be constant', hint);
  }
  const cond = coerce(frame, value, BOOL, { at: stmt.cond.at, what: 'the condition' });
  const then = frame.nested(() => frame.statements(stmt.then));
  const { otherwise } = stmt;
  const rest = otherwise === null ? null : frame.nested(() => frame.statements(otherwise));
  frame.emit({ op: 'if', site: frame.site(stmt.at), cond, then, otherwise: rest });
}

function jump(frame: Frame, stmt: Extract<Stmt, { kind: 'break' | 'continue' }>): void {
  const target = frame.loops.at(-1);
  if (target === undefined)
    throw frame.problem(stmt.at, `\`${stmt.kind}\` stands outside of a loop`);
  const label = stmt.kind === 'break' ? target.exit : target.next;
  const site = frame.site(stmt.at);
  frame.emit(label === null ? { op: stmt.kind, site } : { op: 'leave', site, label });
}
