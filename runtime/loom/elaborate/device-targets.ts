/**
 * Assignment to device memory: elements and fields of views, shared arrays, private state. A store
 * to a view rounds to its storage; `+=` reads first, so it needs `inout`, `shared` or `private`.
 */
import type { At, Stmt } from '../tree.js';
import type { Expr, ViewPlace } from '../typed.js';
import { coerce } from './coercion.js';
import { checkRegion, checkWritable, privateSlot } from './device-places.js';
import type { Frame } from './frame.js';
import { deviceIndex } from './host-index.js';
import { once } from './host-layout.js';
import { loadedType } from './types.js';
import type { Value, ViewElementValue, ViewValue } from './value.js';

type Assign = Extract<Stmt, { kind: 'assign' }>;

/** Where a value goes. `read` gives what is there, for `+=`. */
export interface Target {
  readonly read: () => Value;
  readonly write: (value: Value) => void;
}

/** An index as written, and its place. */
export interface IndexAt {
  readonly index: Value;
  readonly at: At;
}

export function viewTarget(
  frame: Frame,
  base: ViewValue,
  { index, at }: IndexAt,
  stmt: Assign,
): Target {
  checkWritable(frame, base, at);
  if (base.element.kind === 'layout') {
    throw frame.problem(at, `assign the fields of ${base.element.layout.name} one by one`);
  }
  const position = deviceIndex(frame, index, at, 'index');
  const place: ViewPlace = {
    view: base.view,
    index: position,
    offset: 0,
    sub: null,
    storage: base.element.storage,
  };
  return placeTarget(frame, place, { view: base }, stmt);
}

/** A place in a view; the element tells the access. */
export function placeTarget(
  frame: Frame,
  place: ViewPlace,
  element: Pick<ViewElementValue, 'view'>,
  stmt: Assign,
): Target {
  const site = frame.site(stmt.at);
  const type = loadedType(place.storage);
  const held = (expr: Expr): Expr => (stmt.op === '=' ? expr : once(frame, expr));
  const sub = place.sub === null ? null : { ...place.sub, index: held(place.sub.index) };
  const kept: ViewPlace = { ...place, index: held(place.index), sub };
  return {
    read: () => {
      if (element.view.access !== 'inout')
        throw frame.problem(stmt.at, `\`${stmt.op}\` reads the view; declare it \`inout\``);
      return { kind: 'expr', rank: 'lane', expr: { op: 'view.get', type, site, ...kept } };
    },
    write: (value) =>
      frame.emit({
        op: 'view.set',
        site,
        ...kept,
        value: coerce(frame, value, type, { at: stmt.value.at, what: 'a store' }),
      }),
  };
}

export function sharedTarget(
  frame: Frame,
  base: Extract<Value, { kind: 'shared' }>,
  position: Expr,
  stmt: Assign,
): Target {
  checkRegion(frame, 'shared arrays are', stmt.at);
  const site = frame.site(stmt.at);
  const index = stmt.op === '=' ? position : once(frame, position);
  return {
    read: () => ({
      kind: 'expr',
      rank: 'lane',
      expr: { op: 'shared.get', type: base.elem, site, shared: base.shared, index },
    }),
    write: (value) =>
      frame.emit({
        op: 'shared.set',
        site,
        shared: base.shared,
        index,
        value: coerce(frame, value, base.elem, { at: stmt.value.at, what: 'a store' }),
      }),
  };
}

export function privateTarget(
  frame: Frame,
  base: Extract<Value, { kind: 'private' }>,
  { index, at }: IndexAt,
  stmt: Assign,
): Target {
  const slot = privateSlot(frame, base, index, at);
  const site = frame.site(stmt.at);
  const { elem, slot: state } = base;
  return {
    read: () => ({
      kind: 'expr',
      rank: 'lane',
      expr: { op: 'private.get', type: elem, site, private: state, index: slot },
    }),
    write: (given) => {
      const value = coerce(frame, given, elem, stmt.value.at);
      frame.emit({ op: 'private.set', site, private: state, index: slot, value });
    },
  };
}
