/**
 * Places in views, shared and private state: what may be read and written where. Kernel-level code
 * reads `in` views and `shared` only; `out` and `acc` views are never read; elements below four
 * bytes are never written. These rules make uniformity a matter of typing.
 */
import type { At } from '../tree.js';
import type { Expr, LayoutField, Storage, ViewPlace } from '../typed.js';
import { coerce, constantCount } from './coercion.js';
import type { Frame } from './frame.js';
import { deviceIndex } from './host-index.js';
import { elementName, loadedType, storage } from './types.js';
import type { Rank, Value, ViewElementValue, ViewValue } from './value.js';

export function checkReadable(frame: Frame, view: ViewValue, at: At): void {
  const { access } = view;
  if (access === 'out' || access === 'acc') {
    const hint = access === 'out' ? 'declare it `inout`' : 'read it in a later dispatch, as `in`';
    throw frame.problem(at, `an \`${access}\` view cannot be read`, hint);
  }
  if (access === 'inout' && frame.isKernelLevel) {
    const hint = 'read it in `parallel` or `once`, and pass the value through `shared`';
    throw frame.problem(at, 'an `inout` view cannot be read at kernel level', hint);
  }
}

export function checkWritable(frame: Frame, view: ViewValue, at: At): void {
  if (frame.isKernelLevel) {
    throw frame.problem(
      at,
      'views are written in regions only',
      'write it in `once { }` or `parallel`',
    );
  }
  if (view.access !== 'out' && view.access !== 'inout') {
    const hint =
      view.access === 'acc'
        ? 'use .add(i, v), .min, .max, .and, .or or .xor'
        : 'declare it `out` or `inout`';
    throw frame.problem(at, `an \`${view.access}\` view cannot be written by index`, hint);
  }
  const { element } = view;
  if (element.kind === 'storage' && element.storage.size < 4) {
    const hint = 'store whole words: f16x2, bf16x2, i8x4 or u8x4';
    throw frame.problem(at, `elements of ${elementName(element)} are read-only`, hint);
  }
}

/** `v[i]`. */
export function viewIndex(frame: Frame, view: ViewValue, index: Value, at: At): Value {
  const position = deviceIndex(frame, index, at, 'index');
  const rank = frame.rankOf(index);
  if (view.element.kind === 'layout') {
    const { layout } = view.element;
    return {
      kind: 'viewElement',
      view,
      layout,
      index: position,
      rank,
      loads: null,
      loaded: new Map(),
    };
  }
  checkReadable(frame, view, at);
  const place: ViewPlace = {
    view: view.view,
    index: position,
    offset: 0,
    sub: null,
    storage: view.element.storage,
  };
  return viewLoad(frame, place, rank, at);
}

export function viewLoad(frame: Frame, place: ViewPlace, rank: Rank, at: At): Value {
  const type = loadedType(place.storage);
  return { kind: 'expr', rank, expr: { op: 'view.get', type, site: frame.site(at), ...place } };
}

/** `tok[t].pos`: read where the element was bound, once, if a `let` bound it. */
export function viewMember(frame: Frame, element: ViewElementValue, name: string, at: At): Value {
  const field = viewFieldNamed(frame, element, name, at);
  if (field.count > 1) return { kind: 'viewField', element, field };
  const known = element.loaded.get(name);
  if (known !== undefined) return known;
  checkReadable(frame, element.view, at);
  const value = viewLoad(frame, fieldPlace(element, field, null), element.rank, at);
  if (element.loads === null || value.kind !== 'expr') return value;
  const local = frame.body.local(name, value.expr.type);
  element.loads.push({ op: 'set', site: frame.site(at), local, value: value.expr });
  const kept = frame.localValue(local, frame.site(at), element.rank);
  element.loaded.set(name, kept);
  return kept;
}

export function viewFieldNamed(
  frame: Frame,
  element: ViewElementValue,
  name: string,
  at: At,
): LayoutField {
  const field = element.layout.fields.find((entry) => entry.name === name);
  if (field !== undefined) return field;
  throw frame.problem(at, `layout ${element.layout.name} has no field '${name}'`);
}

/** A device sees an i64 field as i32x2, low word first. */
const fieldStorage = (field: LayoutField): Storage =>
  field.storage === 'i64' ? storage('i32', 2) : field.storage;

export function fieldPlace(
  element: ViewElementValue,
  field: LayoutField,
  sub: Expr | null,
): ViewPlace {
  const { count, stride } = field;
  return {
    view: element.view.view,
    index: element.index,
    offset: field.offset,
    sub: sub === null ? null : { index: sub, count, stride },
    storage: fieldStorage(field),
  };
}

/** `rows[r].tail[i]`. */
export function viewFieldIndex(
  frame: Frame,
  base: Extract<Value, { kind: 'viewField' }>,
  index: Value,
  at: At,
): Value {
  checkReadable(frame, base.element.view, at);
  const sub = deviceIndex(frame, index, at, 'index');
  const rank = frame.rankOf(index, base.element);
  return viewLoad(frame, fieldPlace(base.element, base.field, sub), rank, at);
}

export function sharedIndex(
  frame: Frame,
  base: Extract<Value, { kind: 'shared' }>,
  index: Value,
  at: At,
): Value {
  const position = deviceIndex(frame, index, at, 'index');
  const expr: Expr = {
    op: 'shared.get',
    type: base.elem,
    site: frame.site(at),
    shared: base.shared,
    index: position,
  };
  return { kind: 'expr', rank: frame.rankOf(index), expr };
}

/** A constant index into private state, in an exact region. */
export function privateSlot(
  frame: Frame,
  base: Extract<Value, { kind: 'private' }>,
  index: Value,
  at: At,
): number {
  if (frame.region === null || !frame.region.exact) {
    const lanes = frame.kernel?.lanes ?? 0;
    const hint = `use it in \`parallel lane in 0..${lanes}\``;
    throw frame.problem(at, '`private` state is for exact regions', hint);
  }
  return constantCount(frame, constantOnly(frame, index, at), at, {
    what: 'the index',
    min: 0,
    max: base.count - 1,
  });
}

/** Register arrays and private state have no dynamic indices. */
export function constantOnly(frame: Frame, index: Value, at: At): Value {
  if (index.kind !== 'expr') return index;
  const hint = 'unroll the loop, or use `shared` for dynamic indices';
  throw frame.problem(at, 'the index of a register array must be constant', hint);
}

/** Four neighbours of a scalar view or shared array from `index` on. */
export function vec4Load(frame: Frame, base: Value, index: Value, at: At): Value {
  const position = deviceIndex(frame, index, at, 'index');
  const rank = frame.rankOf(index);
  const site = frame.site(at);
  if (base.kind === 'view' && base.element.kind === 'storage' && base.element.storage.lanes === 1) {
    checkReadable(frame, base, at);
    const { elem } = base.element.storage;
    const of = elem === 'i8' || elem === 'u8' ? null : base.element.storage;
    if (of !== null) {
      const type = loadedType(storage(of.elem, 4));
      return {
        kind: 'expr',
        rank,
        expr: { op: 'view.vec4', type, site, view: base.view, index: position, storage: of },
      };
    }
  }
  if (base.kind === 'shared' && base.elem.kind === 'scalar' && base.elem.name !== 'bool') {
    const type = { kind: 'vector', elem: base.elem.name as 'f32', lanes: 4 } as const;
    return {
      kind: 'expr',
      rank,
      expr: { op: 'shared.vec4', type, site, shared: base.shared, index: position },
    };
  }
  throw frame.problem(at, 'vec4 reads four neighbours of a view or shared array of 32-bit scalars');
}

/** Four values to neighbours from an index on: `values` are the index and the vector. */
export function put4(frame: Frame, base: Value, values: readonly [Value, Value], at: At): void {
  const [index, value] = values;
  const position = deviceIndex(frame, index, at, 'index');
  const site = frame.site(at);
  if (base.kind === 'view' && base.element.kind === 'storage' && base.element.storage.lanes === 1) {
    checkWritable(frame, base, at);
    const of = base.element.storage;
    const whole = coerce(frame, value, loadedType(storage(of.elem, 4)), at);
    frame.emit({
      op: 'view.put4',
      site,
      view: base.view,
      index: position,
      value: whole,
      storage: of,
    });
    return;
  }
  if (base.kind === 'shared' && base.elem.kind === 'scalar' && base.elem.name !== 'bool') {
    checkRegion(frame, 'shared arrays are', at);
    const whole = coerce(
      frame,
      value,
      { kind: 'vector', elem: base.elem.name as 'f32', lanes: 4 },
      at,
    );
    frame.emit({ op: 'shared.put4', site, shared: base.shared, index: position, value: whole });
    return;
  }
  throw frame.problem(
    at,
    'put4 writes four neighbours of a view or shared array of 32-bit scalars',
  );
}

export function checkRegion(frame: Frame, what: string, at: At): void {
  if (frame.region !== null) return;
  throw frame.problem(
    at,
    `${what} written in regions only`,
    'write it in `once { }` or `parallel`',
  );
}
