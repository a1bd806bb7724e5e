/**
 * Statements of host functions. Every block charges its cost when control enters it, so fuel runs
 * out at the same place as in the interpreter.
 */
import { assert, StatusError } from '../../base/errors.js';
import type { Block, Expr, Site, Stmt } from '../../loom/typed.js';
import { emitArraySet, emitListPush, emitListSet, emitStored } from './emit-object.js';
import { emitBufferStore } from './emit-buffer.js';
import { callOperation, chargeFuel, type HostScope } from './host-scope.js';

export function emitHostBlock(scope: HostScope, block: Block, site: Site): void {
  chargeFuel(scope, block.cost, site);
  for (const stmt of block.stmts) emitStatement(scope, stmt);
}

function emitStatement(scope: HostScope, stmt: Stmt): void {
  const { code } = scope;
  switch (stmt.op) {
    case 'set':
      emitStored(scope, stmt.value);
      return code.set(scope.locals[stmt.local]!);
    case 'call':
      return emitCall(scope, stmt);
    case 'if':
      scope.emit.value(stmt.cond);
      code.if();
      emitHostBlock(scope, stmt.then, stmt.site);
      if (stmt.otherwise) {
        code.else();
        emitHostBlock(scope, stmt.otherwise, stmt.site);
      }
      return code.end();
    case 'for':
      return emitFor(scope, stmt);
    case 'while':
      return emitWhile(scope, stmt);
    case 'label': {
      scope.labels.set(stmt.label, code.block());
      emitHostBlock(scope, stmt.body, stmt.site);
      return code.end();
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
      return emitReturn(scope, stmt.values);
    default:
      return emitObject(scope, stmt);
  }
}

function emitObject(scope: HostScope, stmt: Stmt): void {
  switch (stmt.op) {
    case 'raise':
      scope.code.i32(stmt.kind === 'reject' ? 0 : 1);
      scope.emit.value(stmt.message);
      callOperation(scope, 'fault.raise', stmt.site);
      return scope.code.op('unreachable');
    case 'buffer.set':
    case 'buffer.narrow':
      return emitBufferStore(scope, stmt);
    case 'list.push':
      return emitListPush(scope, stmt);
    case 'list.set':
      return emitListSet(scope, stmt);
    case 'array.set':
      return emitArraySet(scope, stmt);
    default:
      throw new StatusError('internal', `statement ${stmt.op} in a host function`);
  }
}

/** Results go to their locals, last first as they lie on the stack; unwanted ones are dropped. */
function emitCall(scope: HostScope, stmt: Stmt & { readonly op: 'call' }): void {
  const { code } = scope;
  scope.emit.value(stmt.call);
  if (stmt.results.length > 0) {
    for (const local of stmt.results.toReversed()) code.set(scope.locals[local]!);
    return;
  }
  for (let dropped = resultCount(scope, stmt.call); dropped > 0; dropped--) code.op('drop');
}

function resultCount(scope: HostScope, call: Expr): number {
  const { program } = scope.module;
  if (call.op === 'call') return program.functions[call.func]!.results.length;
  if (call.op === 'capability') return program.imports[call.index]!.results.length;
  return call.type.kind === 'void' ? 0 : 1;
}

/** All values are computed before any result is set. */
function emitReturn(scope: HostScope, values: readonly Expr[]): void {
  const { code } = scope;
  values.forEach(scope.emit.value);
  for (const local of scope.results.toReversed()) code.set(local);
  code.br(scope.exit);
}

/** The body of a loop costs at least one unit, so that no loop runs for nothing. */
function emitRound(scope: HostScope, body: Block, site: Site): void {
  emitHostBlock(scope, { ...body, cost: Math.max(1, body.cost) }, site);
}

function emitWhile(scope: HostScope, stmt: Stmt & { readonly op: 'while' }): void {
  const { code } = scope;
  const exit = code.block();
  const next = code.loop();
  scope.emit.value(stmt.cond);
  code.op('i32.eqz');
  code.brIf(exit);
  scope.loops.push({ exit, next });
  emitRound(scope, stmt.body, stmt.site);
  scope.loops.pop();
  code.br(next);
  code.end();
  code.end();
}

/** Counts in the type of the bounds; the end is exact, so the counter cannot run past it. */
function emitFor(scope: HostScope, stmt: Stmt & { readonly op: 'for' }): void {
  const { code } = scope;
  const type = scope.func.locals[stmt.local]!.type;
  const wide = type.kind === 'scalar' && type.name === 'i64';
  const prefix = wide ? 'i64' : 'i32';
  const sign = type.kind === 'scalar' && type.name === 'u32' ? 'u' : 's';
  const constant = (value: number) => (wide ? code.i64(BigInt(value)) : code.i32(value));
  const counter = code.temp(prefix);
  const last = code.temp(prefix);
  scope.emit.value(stmt.from);
  scope.emit.value(stmt.to);
  code.set(last);
  code.tee(counter);
  code.get(last);
  code.op(`${prefix}.lt_${sign}`);
  code.if();
  // last = from + (to - 1 - from) / step * step
  code.get(last);
  constant(1);
  code.op(`${prefix}.sub`);
  code.get(counter);
  code.op(`${prefix}.sub`);
  constant(stmt.step);
  code.op(`${prefix}.div_u`);
  constant(stmt.step);
  code.op(`${prefix}.mul`);
  code.get(counter);
  code.op(`${prefix}.add`);
  code.set(last);
  const exit = code.block();
  const again = code.loop();
  const next = code.block();
  code.get(counter);
  code.set(scope.locals[stmt.local]!);
  scope.loops.push({ exit, next });
  emitRound(scope, stmt.body, stmt.site);
  scope.loops.pop();
  code.end();
  code.get(counter);
  code.get(last);
  code.op(`${prefix}.eq`);
  code.brIf(exit);
  code.get(counter);
  constant(stmt.step);
  code.op(`${prefix}.add`);
  code.set(counter);
  code.br(again);
  code.end();
  code.end();
  code.end();
  code.release(prefix, counter);
  code.release(prefix, last);
}
