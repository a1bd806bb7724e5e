/**
 * Methods of views, shared arrays and vectors: ranges with one hoisted check (`tile`, `slice`,
 * `take`), neighbours (`vec4`, `put4`), accumulation, reductions in a fixed order.
 */
import type { Expr, Intrinsic, Stmt, Type } from '../typed.js';
import { NOTHING } from './call.js';
import type { Call } from './call.js';
import { coerce } from './coercion.js';
import { reduce, reductions } from './reductions.js';
import type { Shared } from './reductions.js';
import { checkReadable, checkRegion, put4, vec4Load } from './device-places.js';
import { vectorMethods } from './intrinsics.js';
import { elaborationLimits } from './session.js';
import { I32, componentOf, elementSize, isScalar, loadedType } from './types.js';
import type { Value, ViewValue } from './value.js';

export function deviceMethod(base: Value, call: Call): Value | null {
  if (base.kind === 'view') return viewMethod(base, call);
  if (base.kind === 'shared' || base.kind === 'sharedSlice') return sharedMethod(base, call);
  if (base.kind === 'expr' && base.expr.type.kind === 'vector') {
    const name = vectorMethods.get(call.name);
    return name === undefined ? null : across(base, call, name);
  }
  return null;
}

function across(base: Extract<Value, { kind: 'expr' }>, call: Call, name: Intrinsic): Value {
  call.counts(0);
  const type = componentOf(base.expr.type) as Type;
  const expr: Expr = { op: 'intrinsic', type, site: call.site, name, args: [base.expr] };
  return { kind: 'expr', rank: base.rank, expr };
}

function viewMethod(view: ViewValue, call: Call): Value | null {
  switch (call.name) {
    case 'len':
      call.counts(0);
      return {
        kind: 'expr',
        rank: 'uniform',
        expr: { op: 'view.length', type: I32, site: call.site, view: view.view },
      };
    case 'tile':
      return tile(view, call);
    case 'slice':
      return slice(view, call);
    case 'take':
      return take(view, call);
    case 'vec4':
      call.counts(1);
      return vec4Load(call.frame, view, call.value(0), call.at);
    case 'put4':
      call.counts(2);
      call.statement();
      put4(call.frame, view, [call.value(0), call.value(1)], call.at);
      return NOTHING;
    default:
      return accumulate(view, call);
  }
}

function tile(view: ViewValue, call: Call): Value {
  call.counts(1);
  call.typeCounts(1);
  const max = Math.floor(elaborationLimits.tileBytes / elementSize(view.element));
  const count = call.typeCount(0, { what: 'the length of a tile', min: 1, max });
  const base = call.index(0);
  const made = builder(call).view('tile', view, 'tile', count);
  call.frame.emit({
    op: 'view.tile',
    site: call.site,
    view: made.view,
    source: view.view,
    base,
    count,
  });
  return made;
}

function slice(view: ViewValue, call: Call): Value {
  call.counts(2);
  const base = call.index(0);
  const count = call.index(1);
  const made = builder(call).view('slice', view, 'slice', null);
  call.frame.emit({
    op: 'view.slice',
    site: call.site,
    view: made.view,
    source: view.view,
    base,
    count,
  });
  return made;
}

function builder(call: Call) {
  const { kernel } = call.frame;
  if (kernel === null) throw call.frame.problem(call.at, 'views exist in kernels only');
  return kernel;
}

function take(view: ViewValue, call: Call): Value {
  call.counts(1, 2);
  call.typeCounts(1);
  const { frame } = call;
  const { element } = view;
  if (element.kind !== 'storage') throw frame.problem(call.at, 'take reads storage elements');
  checkReadable(frame, view, call.at);
  const count = call.typeCount(0, {
    what: 'the number of elements',
    min: 1,
    max: elaborationLimits.registers,
  });
  if (frame.rankOf(...call.values()) === 'lane') {
    const hint = 'use plain reads v[i] where lanes read different elements';
    throw frame.problem(
      call.at,
      'take needs a base and a stride that are equal for all lanes',
      hint,
    );
  }
  const elem = loadedType(element.storage);
  const base = call.index(0);
  const stride = call.args.length === 2 ? call.index(1) : one(call);
  const locals = Array.from({ length: count }, (_, index) =>
    frame.body.local(`take${index}`, elem),
  );
  const stmt: Stmt = {
    op: 'view.take',
    site: call.site,
    view: view.view,
    base,
    stride,
    locals,
    storage: element.storage,
  };
  frame.emit(stmt);
  const items = locals.map((local) => frame.localValue(local, call.site, 'uniform'));
  return { kind: 'array', elem, items, locals: null };
}

const one = (call: Call): Expr => ({ op: 'const', type: I32, site: call.site, value: 1 });

const accumulations: ReadonlySet<string> = new Set(['add', 'min', 'max', 'and', 'or', 'xor']);

/** `acc.add(i, v)`: statements without a result, on i32 and u32. */
function accumulate(
  target: ViewValue | Extract<Value, { kind: 'shared' }>,
  call: Call,
): Value | null {
  if (!accumulations.has(call.name)) return null;
  const { frame, at } = call;
  call.counts(2);
  call.statement();
  checkRegion(frame, 'atomic updates are', at);
  let elem: Type | null = null;
  if (target.kind === 'shared') elem = target.elem;
  else if (target.element.kind === 'storage') {
    if (target.access !== 'acc') {
      throw frame.problem(
        at,
        `.${call.name} needs an \`acc\` view, this one is \`${target.access}\``,
      );
    }
    elem = loadedType(target.element.storage);
  }
  if (elem === null || !(isScalar(elem, 'i32') || isScalar(elem, 'u32'))) {
    throw frame.problem(
      at,
      `.${call.name} works on i32 and u32`,
      'integers commute, so the outcome is determined',
    );
  }
  const index = call.index(0);
  const value = coerce(frame, call.value(1), elem, {
    at: call.argAt(1),
    what: `argument 2 of '${call.name}'`,
  });
  const kind = call.name as 'add';
  const place = target.kind === 'shared' ? { shared: target.shared } : { view: target.view };
  frame.emit({ op: 'accumulate', site: call.site, target: place, kind, index, value });
  return NOTHING;
}

function sharedMethod(base: Shared, call: Call): Value | null {
  const { frame } = call;
  const kind = reductions.get(call.name);
  if (kind !== undefined) return reduce(base, call, kind);
  switch (call.name) {
    case 'slice': {
      call.counts(1);
      call.typeCounts(1);
      const count = call.typeCount(0, { what: 'the length of the slice', min: 1, max: base.count });
      if (base.kind === 'sharedSlice') break;
      return {
        kind: 'sharedSlice',
        shared: base.shared,
        elem: base.elem,
        first: call.index(0),
        count,
      };
    }
    case 'vec4':
      call.counts(1);
      return base.kind === 'shared' ? vec4Load(frame, base, call.value(0), call.at) : null;
    case 'put4':
      call.counts(2);
      call.statement();
      if (base.kind !== 'shared') return null;
      put4(frame, base, [call.value(0), call.value(1)], call.at);
      return NOTHING;
    default:
      return base.kind === 'shared' ? accumulate(base, call) : null;
  }
  throw frame.problem(call.at, 'a slice of a slice is not made; take it from the array');
}
