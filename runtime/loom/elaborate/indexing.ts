/** `base[index]` read, for every kind of value that has elements. */
import type { At, Expr as SyntaxExpr } from '../tree.js';
import type { Expr } from '../typed.js';
import { constantCount, constantInteger } from './coercion.js';
import { bankElement } from './command-ranges.js';
import {
  constantOnly,
  privateSlot,
  sharedIndex,
  viewFieldIndex,
  viewIndex,
} from './device-places.js';
import type { Frame } from './frame.js';
import { deviceIndex, wideIndex } from './host-index.js';
import { elementPlace, fieldPlace, load } from './host-layout.js';
import { component } from './members.js';
import { Poisoned } from './problem.js';
import { componentOf, typeName } from './types.js';
import { describeKind } from './value.js';
import type { Value } from './value.js';

export function indexed(frame: Frame, expr: Extract<SyntaxExpr, { kind: 'index' }>): Value {
  const base = frame.eval(expr.base);
  if (base.kind === 'poison') throw new Poisoned();
  const index = frame.eval(expr.index);
  if (index.kind === 'poison') throw new Poisoned();
  return at(frame, base, index, expr.index.at);
}

function at(frame: Frame, base: Value, index: Value, where: At): Value {
  switch (base.kind) {
    case 'view':
      return viewIndex(frame, base, index, where);
    case 'viewField':
      return viewFieldIndex(frame, base, index, where);
    case 'shared':
      return sharedIndex(frame, base, index, where);
    case 'sharedSlice': {
      const position = deviceIndex(frame, index, where, 'index');
      const sum: Expr = {
        op: 'arithmetic',
        type: position.type,
        site: frame.site(where),
        operator: '+',
        left: base.first,
        right: position,
      };
      const moved: Value = { kind: 'expr', rank: frame.rankOf(index), expr: sum };
      return sharedIndex(frame, { ...base, kind: 'shared' }, moved, where);
    }
    case 'private': {
      const slot = privateSlot(frame, base, index, where);
      const expr: Expr = {
        op: 'private.get',
        type: base.elem,
        site: frame.site(where),
        private: base.slot,
        index: slot,
      };
      return { kind: 'expr', rank: 'lane', expr };
    }
    case 'array':
      return arrayElement(frame, base, index, where);
    case 'elements':
      return load(frame, elementPlace(frame, base, index, where), where);
    case 'layoutField': {
      const sub = wideIndex(frame, index, where, 'index');
      return load(frame, fieldPlace(frame, base.ref, base.field, { sub, at: where }), where);
    }
    case 'banks':
      return bankElement(frame, base, index, where);
    case 'expr':
      return exprElement(frame, base, index, where);
    default:
      throw frame.problem(where, `${describeKind(base)} has no elements`);
  }
}

/** A register array needs a constant index; on the host an array of constants goes to memory. */
function arrayElement(
  frame: Frame,
  base: Extract<Value, { kind: 'array' }>,
  index: Value,
  where: At,
): Value {
  if (index.kind === 'expr' && frame.world === 'host' && base.locals === null) {
    const type = { kind: 'array', elem: base.elem, count: base.items.length } as const;
    const items = base.items.map((item) => (item as { expr: Expr }).expr);
    const array: Expr = { op: 'array.new', type, site: frame.site(where), items };
    return exprElement(frame, { kind: 'expr', rank: 'uniform', expr: array }, index, where);
  }
  const max = base.items.length - 1;
  const slot = constantCount(frame, constantOnly(frame, index, where), where, {
    what: 'the index',
    min: 0,
    max,
  });
  return base.items[slot] as Value;
}

function exprElement(
  frame: Frame,
  base: Extract<Value, { kind: 'expr' }>,
  index: Value,
  where: At,
): Value {
  const { expr } = base;
  const { type } = expr;
  const site = frame.site(where);
  const rank = frame.rankOf(base, index);
  if (type.kind === 'list') {
    const position = wideIndex(frame, index, where, 'index');
    return {
      kind: 'expr',
      rank,
      expr: { op: 'list.get', type: type.elem, site, list: expr, index: position },
    };
  }
  if (type.kind === 'array') {
    const position = wideIndex(frame, index, where, 'index');
    return {
      kind: 'expr',
      rank,
      expr: { op: 'array.get', type: type.elem, site, array: expr, index: position },
    };
  }
  if (type.kind !== 'vector') {
    const hint =
      type.kind === 'buffer' ? 'elements are named: b.i64[k], b.u8[k], b.f32[k]' : undefined;
    throw frame.problem(where, `${typeName(type)} has no elements`, hint);
  }
  if (index.kind !== 'expr') {
    const lane = constantInteger(frame, index, where, 'the component');
    if (lane >= 0n && lane < BigInt(type.lanes))
      return component(frame, expr, Number(lane), { rank, at: where });
    throw frame.problem(where, `${typeName(type)} has no component ${lane}`);
  }
  const element = componentOf(type);
  const position = deviceIndex(frame, index, where, 'component');
  return {
    kind: 'expr',
    rank,
    expr: { op: 'component', type: element ?? type, site, value: expr, index: position },
  };
}
