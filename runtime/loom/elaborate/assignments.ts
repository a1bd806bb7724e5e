/** Assignment to every kind of place: locals, components, elements of host and device memory. */
import type { At, Expr as SyntaxExpr, Stmt } from '../tree.js';
import type { Expr, Type } from '../typed.js';
import { coerce, constantCount, constantInteger } from './coercion.js';
import {
  checkWritable,
  constantOnly,
  fieldPlace as viewFieldPlace,
  viewFieldNamed,
} from './device-places.js';
import { placeTarget, privateTarget, sharedTarget, viewTarget } from './device-targets.js';
import type { Target } from './device-targets.js';
import type { Binding, Frame } from './frame.js';
import { deviceIndex, wideIndex } from './host-index.js';
import { elementPlace, fieldPlace, once, store } from './host-layout.js';
import { operate } from './operators.js';
import { Poisoned } from './problem.js';
import { componentOf, typeName } from './types.js';
import { describeKind } from './value.js';
import type { Value } from './value.js';

type Assign = Extract<Stmt, { kind: 'assign' }>;

export function assign(frame: Frame, stmt: Assign): void {
  const target = targetOf(frame, stmt.target, stmt);
  const value = frame.eval(stmt.value);
  if (value.kind === 'poison') throw new Poisoned();
  if (stmt.op === '=') return target.write(value);
  const op = stmt.op[0] as '+';
  target.write(operate(frame, { op, left: target.read(), right: value, at: stmt.at }));
}

function targetOf(frame: Frame, target: SyntaxExpr, stmt: Assign): Target {
  switch (target.kind) {
    case 'name':
      return nameTarget(frame, target.name, target.at, stmt);
    case 'index': {
      const base = frame.eval(target.base);
      const index = frame.eval(target.index);
      if (base.kind === 'poison' || index.kind === 'poison') throw new Poisoned();
      return indexTarget(frame, { base, index, at: target.index.at, of: target.base }, stmt);
    }
    case 'member':
      return memberTarget(
        frame,
        { base: frame.eval(target.base), name: target.name, at: target.at, of: target.base },
        stmt,
      );
    default:
      throw frame.problem(target.at, 'this cannot be assigned to');
  }
}

function nameTarget(frame: Frame, path: string, at: At, stmt: Assign): Target {
  const dot = path.lastIndexOf('.');
  if (dot >= 0) {
    const of: SyntaxExpr = { kind: 'name', at, name: path.slice(0, dot) };
    return memberTarget(frame, { base: frame.eval(of), name: path.slice(dot + 1), at, of }, stmt);
  }
  const binding = variable(frame, path, at);
  const { value } = binding;
  if (value.kind === 'array' && value.locals !== null) return arrayTarget(frame, value, at);
  if (value.kind !== 'expr' || value.expr.op !== 'local') throw new Poisoned();
  const { local, type } = value.expr;
  const site = frame.site(stmt.at);
  return {
    read: () => value,
    write: (given) =>
      frame.emit({
        op: 'set',
        site,
        local,
        value: coerce(frame, given, type, { at: stmt.value.at, what: `'${path}'` }),
      }),
  };
}

/** A `var` that may be assigned here. */
function variable(frame: Frame, name: string, at: At): Binding {
  const binding = frame.scope.find(name);
  if (binding === null) throw frame.problem(at, `'${name}' is not a variable here`);
  if (binding.value.kind === 'poison') throw new Poisoned();
  if (!binding.variable) {
    const related = [{ file: frame.file.file, at: binding.at, message: 'it is bound here' }];
    throw frame.problem(at, `'${name}' cannot be assigned`, 'declare it with `var`', { related });
  }
  if (binding.region !== frame.region) {
    const related = [
      { file: frame.file.file, at: binding.at, message: 'it is a variable of kernel level' },
    ];
    const hint = 'a region writes its own variables, `shared`, `private` and views';
    throw frame.problem(at, `'${name}' cannot be assigned inside a region`, hint, { related });
  }
  return binding;
}

function arrayTarget(frame: Frame, array: Extract<Value, { kind: 'array' }>, at: At): Target {
  return {
    read: () => array,
    write: (given) => {
      if (given.kind !== 'array' || given.items.length !== array.items.length) {
        throw frame.problem(
          at,
          `expected ${typeName(array.elem)}[${array.items.length}], got ${describeKind(given)}`,
        );
      }
      // Held first: the source may be an arrangement of the target's own elements.
      const values = given.items
        .map((item) => coerce(frame, item, array.elem, at))
        .map((expr) => once(frame, expr.op === 'local' ? { ...expr } : expr));
      const site = frame.site(at);
      values.forEach((value, index) =>
        frame.emit({ op: 'set', site, local: array.locals?.[index] as number, value }),
      );
    },
  };
}

interface Indexed {
  readonly base: Value;
  readonly index: Value;
  readonly at: At;
  readonly of: SyntaxExpr;
}

function indexTarget(frame: Frame, indexed: Indexed, stmt: Assign): Target {
  const { base, index, at } = indexed;
  switch (base.kind) {
    case 'elements':
      return bufferTarget(frame, elementPlace(frame, base, index, at), stmt);
    case 'layoutField': {
      const sub = wideIndex(frame, index, at, 'index');
      return bufferTarget(frame, fieldPlace(frame, base.ref, base.field, { sub, at }), stmt);
    }
    case 'view':
      return viewTarget(frame, base, indexed, stmt);
    case 'viewField': {
      checkWritable(frame, base.element.view, at);
      const sub = deviceIndex(frame, index, at, 'index');
      return placeTarget(frame, viewFieldPlace(base.element, base.field, sub), base.element, stmt);
    }
    case 'shared':
      return sharedTarget(frame, base, deviceIndex(frame, index, at, 'index'), stmt);
    case 'sharedSlice':
      throw frame.problem(at, 'a slice is for reductions; write to the array itself');
    case 'private':
      return privateTarget(frame, base, indexed, stmt);
    case 'array':
      return registerTarget(frame, base, indexed, stmt);
    case 'expr':
      return exprTarget(frame, base.expr, indexed, stmt);
    default:
      throw frame.problem(at, `an element of ${describeKind(base)} cannot be assigned`);
  }
}

function bufferTarget(frame: Frame, place: Parameters<typeof store>[1], stmt: Assign): Target {
  const kept =
    stmt.op === '='
      ? place
      : { ...place, buffer: once(frame, place.buffer), index: once(frame, place.index) };
  return {
    read: () => readBuffer(frame, kept, stmt.at),
    write: (value) => store(frame, kept, value, stmt.value.at),
  };
}

function readBuffer(frame: Frame, place: Parameters<typeof store>[1], at: At): Value {
  const types = { u8: 'i64', i32: 'i32', u32: 'u32', i64: 'i64', f32: 'f32', f64: 'f64' } as const;
  if (place.lanes > 1) throw frame.problem(at, 'a vector field is assigned with `=`');
  const type: Type = { kind: 'scalar', name: types[place.elem] };
  const { buffer, elem, offset, index } = place;
  return {
    kind: 'expr',
    rank: 'uniform',
    expr: { op: 'buffer.get', type, site: frame.site(at), buffer, elem, offset, index },
  };
}

/** Element of a register array, by constant index. */
function registerTarget(
  frame: Frame,
  base: Extract<Value, { kind: 'array' }>,
  indexed: Indexed,
  stmt: Assign,
): Target {
  const { index, at, of } = indexed;
  if (of.kind === 'name') variable(frame, of.name, of.at);
  const { locals } = base;
  if (locals === null)
    throw frame.problem(at, 'the array cannot be assigned', 'declare it with `var`');
  const bounds = { what: 'the index', min: 0, max: base.items.length - 1 };
  const slot = constantCount(frame, constantOnly(frame, index, at), at, bounds);
  const local = locals[slot] as number;
  return {
    read: () => base.items[slot] as Value,
    write: (value) =>
      frame.emit({
        op: 'set',
        site: frame.site(stmt.at),
        local,
        value: coerce(frame, value, base.elem, stmt.value.at),
      }),
  };
}

function exprTarget(frame: Frame, expr: Expr, indexed: Indexed, stmt: Assign): Target {
  const { index, at, of } = indexed;
  const { type } = expr;
  const site = frame.site(stmt.at);
  if (type.kind === 'list' || type.kind === 'array') {
    if (type.kind === 'array' && of.kind === 'name') variable(frame, of.name, of.at);
    const held = stmt.op === '=' ? (value: Expr) => value : (value: Expr) => once(frame, value);
    const base = held(expr);
    const position = held(wideIndex(frame, index, at, 'index'));
    const elem = type.elem;
    const isList = type.kind === 'list';
    return {
      read: () => ({
        kind: 'expr',
        rank: 'uniform',
        expr: isList
          ? { op: 'list.get', type: elem, site, list: base, index: position }
          : { op: 'array.get', type: elem, site, array: base, index: position },
      }),
      write: (given) => {
        const value = coerce(frame, given, elem, { at: stmt.value.at, what: 'an element' });
        if (isList) frame.emit({ op: 'list.set', site, list: base, index: position, value });
        else frame.emit({ op: 'array.set', site, array: base, index: position, value });
      },
    };
  }
  if (type.kind === 'vector') {
    const lane = constantInteger(frame, index, at, 'the component of an assignment');
    return componentTarget(frame, expr, Number(lane), stmt);
  }
  throw frame.problem(at, `an element of ${typeName(type)} cannot be assigned`);
}

/** `v.x = e`: the vector with one component replaced. */
function componentTarget(frame: Frame, expr: Expr, lane: number, stmt: Assign): Target {
  const { type } = expr;
  if (type.kind !== 'vector' || lane < 0 || lane >= type.lanes) {
    throw frame.problem(stmt.at, `${typeName(type)} has no component ${lane}`);
  }
  const { target } = stmt;
  const path =
    target.kind === 'name'
      ? target.name
      : target.kind === 'index' && target.base.kind === 'name'
        ? target.base.name
        : '';
  if (expr.op !== 'local')
    throw frame.problem(
      stmt.at,
      'assign the whole vector',
      'only components of a local `var` are assigned',
    );
  variable(frame, path.split('.')[0] as string, stmt.at);
  const component = componentOf(type) as Type;
  const site = frame.site(stmt.at);
  const part = (index: number): Expr => ({
    op: 'extract',
    type: component,
    site,
    value: expr,
    index,
  });
  return {
    read: () => ({ kind: 'expr', rank: 'lane', expr: part(lane) }),
    write: (given) => {
      const value = coerce(frame, given, component, stmt.value.at);
      const items = Array.from({ length: type.lanes }, (_, index) =>
        index === lane ? value : part(index),
      );
      frame.emit({
        op: 'set',
        site,
        local: expr.local,
        value: { op: 'vector', type, site, items },
      });
    },
  };
}

interface Member {
  readonly base: Value;
  readonly name: string;
  readonly at: At;
  readonly of: SyntaxExpr;
}

function memberTarget(frame: Frame, { base, name, at }: Member, stmt: Assign): Target {
  switch (base.kind) {
    case 'poison':
      throw new Poisoned();
    case 'layoutRef': {
      const field = base.layout.fields.find((entry) => entry.name === name);
      if (field === undefined)
        throw frame.problem(at, `layout ${base.layout.name} has no field '${name}'`);
      if (field.count > 1) throw frame.problem(at, `assign the elements of '${name}' one by one`);
      return bufferTarget(frame, fieldPlace(frame, base, field, { sub: null, at }), stmt);
    }
    case 'viewElement': {
      checkWritable(frame, base.view, at);
      const field = viewFieldNamed(frame, base, name, at);
      if (field.count > 1) throw frame.problem(at, `assign the elements of '${name}' one by one`);
      return placeTarget(frame, viewFieldPlace(base, field, null), base, stmt);
    }
    case 'expr':
      if (base.expr.type.kind === 'vector') {
        return componentTarget(frame, base.expr, ['x', 'y', 'z', 'w'].indexOf(name), stmt);
      }
      if (base.expr.type.kind === 'record') {
        throw frame.problem(
          at,
          'records are values; make a new one',
          'or keep changing state in a cell',
        );
      }
      break;
    default:
      break;
  }
  throw frame.problem(at, `'${name}' of ${describeKind(base)} cannot be assigned`);
}
