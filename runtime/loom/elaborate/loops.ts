/**
 * `for` and `while`. A loop over constants that is marked `unroll`, and every loop of a command
 * program, is written out; `break` and `continue` in it become jumps out of labelled blocks.
 */
import type { Block, Stmt } from '../tree.js';
import type { Expr, Type } from '../typed.js';
import { coerce, constantCount, constantInteger, valueType } from './coercion.js';
import { closeBlock } from './cost.js';
import type { Frame } from './frame.js';
import { nestedBlocks } from './inlining.js';
import { checkGrowth } from './growth.js';
import { elaborationLimits } from './session.js';
import { BOOL, I32, I64, isScalar, typeName } from './types.js';
import { int } from './value.js';
import type { Rank, Value } from './value.js';

type For = Extract<Stmt, { kind: 'for' }>;

export function loop(frame: Frame, stmt: For): void {
  const from = frame.eval(stmt.from);
  const to = frame.eval(stmt.to);
  const bounds = { what: 'the step', min: 1, max: 2 ** 31 - 1 };
  const step =
    stmt.step === null ? 1 : constantCount(frame, frame.eval(stmt.step), stmt.step.at, bounds);
  if (stmt.unroll || frame.world === 'command') return unrolled(frame, stmt, { from, to, step });
  const type = counterType(frame, stmt, from, to);
  const first = coerce(frame, from, type, { at: stmt.from.at, what: 'the first bound' });
  const end = coerce(frame, to, type, { at: stmt.to.at, what: 'the second bound' });
  const local = frame.body.local(stmt.name, type);
  const site = frame.site(stmt.at);
  const rank: Rank = frame.rankOf(from, to);
  const body = frame.nested(() => {
    frame.define(stmt.name, stmt.at, frame.localValue(local, site, rank));
    inLoop(frame, { exit: null, next: null }, () =>
      frame.scoped(() => frame.statements(stmt.body)),
    );
  });
  frame.emit({ op: 'for', site, local, from: first, to: end, step, body });
}

export function inLoop(frame: Frame, target: Frame['loops'][number], action: () => void): void {
  frame.loops.push(target);
  try {
    action();
  } finally {
    frame.loops.pop();
  }
}

/** i32 on devices; on the host i64, or i32 where both bounds are. */
function counterType(frame: Frame, stmt: For, from: Value, to: Value): Type {
  if (frame.world === 'device') return I32;
  const types = [from, to].filter((value) => !(value.kind === 'const' && value.type === null));
  const [first] = types;
  const type = first === undefined ? (frame.narrow ? I32 : I64) : valueType(frame, first);
  if (type !== null && (isScalar(type, 'i64') || isScalar(type, 'i32'))) return type;
  const shown = type === null ? 'this' : typeName(type);
  throw frame.problem(stmt.at, `a loop counts in i64 or i32, not ${shown}`);
}

interface Bounds {
  readonly from: Value;
  readonly to: Value;
  readonly step: number;
}

function unrolled(frame: Frame, stmt: For, { from, to, step }: Bounds): void {
  const what = stmt.unroll ? 'a bound of `unroll`' : 'a bound of a loop in a command program';
  const first = constantInteger(frame, from, stmt.from.at, what);
  const end = constantInteger(frame, to, stmt.to.at, what);
  const count = end <= first ? 0n : (end - first + BigInt(step) - 1n) / BigInt(step);
  const limit = frame.world === 'command' ? elaborationLimits.dispatches : elaborationLimits.unroll;
  if (count > BigInt(limit)) {
    throw frame.problem(stmt.at, `unrolling takes ${count} rounds; the limit is ${limit}`);
  }
  const jumps = frame.world === 'command' ? { exit: false, next: false } : jumpsOf(stmt.body);
  const site = frame.site(stmt.at);
  const exit = jumps.exit ? frame.body.labels++ : null;
  const all = frame.capture(() => {
    for (let round = 0n; round < count; round += 1n) {
      frame.body.nodes += 1;
      const next = jumps.next ? frame.body.labels++ : null;
      const value = int(first + round * BigInt(step));
      const one = frame.capture(() =>
        frame.scoped(() => {
          frame.define(stmt.name, stmt.at, value);
          inLoop(frame, { exit, next }, () => frame.scoped(() => frame.statements(stmt.body)));
        }),
      );
      const body = one.block();
      if (next === null) for (const each of body.stmts) frame.emit(each);
      else frame.emit({ op: 'label', site, label: next, body });
      checkGrowth(frame, stmt.at);
    }
  });
  const body = all.block();
  if (exit === null) for (const each of body.stmts) frame.emit(each);
  else frame.emit({ op: 'label', site, label: exit, body: closeBlock(body.stmts) });
}

/** Whether the loop itself is left by `break` or `continue`; inner loops keep their own. */
function jumpsOf(block: Block): { exit: boolean; next: boolean } {
  const found = { exit: false, next: false };
  for (const stmt of block.stmts) {
    if (stmt.kind === 'break') found.exit = true;
    if (stmt.kind === 'continue') found.next = true;
    if (stmt.kind === 'for' || stmt.kind === 'while') continue;
    for (const nested of nestedBlocks(stmt)) {
      const inner = jumpsOf(nested);
      found.exit ||= inner.exit;
      found.next ||= inner.next;
    }
  }
  return found;
}

export function whileLoop(frame: Frame, stmt: Extract<Stmt, { kind: 'while' }>): void {
  if (frame.world !== 'host') {
    const hint = 'write `for i in 0..limit { if done { break } }`';
    throw frame.problem(stmt.at, '`while` exists on the host only', hint);
  }
  const site = frame.site(stmt.at);
  const condition = frame.capture(() =>
    coerce(frame, frame.eval(stmt.cond), BOOL, { at: stmt.cond.at, what: 'the condition' }),
  );
  const cond: Expr = condition.empty()
    ? condition.value
    : { op: 'block', type: BOOL, site, body: condition.block(), value: condition.value };
  const body = frame.nested(() =>
    inLoop(frame, { exit: null, next: null }, () => frame.statements(stmt.body)),
  );
  frame.emit({ op: 'while', site, cond, body });
}
