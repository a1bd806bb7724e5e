/**
 * Fields of layouts in host buffers. `b.at<L>(k).field` is element `k * (size / width)` of that
 * width at the field's offset, so no slice is made. i64 fields (and bytes) are i64 values; a store
 * of an i64 into a narrower field is range-checked and raises.
 */
import type { At } from '../tree.js';
import type { BufferElem, Expr, LayoutField, Storage } from '../typed.js';
import { coerce } from './coercion.js';
import type { Frame } from './frame.js';
import { plus, scaled, wideIndex } from './host-index.js';
import { F32, F64, I32, I64, U32, isScalar, loadedType, typeName } from './types.js';
import type { Value } from './value.js';

type LayoutRef = Extract<Value, { kind: 'layoutRef' }>;

/** Elements that a load or a store touches: the components of one vector, or one element. */
export interface BufferPlace {
  readonly buffer: Expr;
  readonly elem: BufferElem;
  readonly offset: number;
  readonly index: Expr;
  /** Components for a vector field, else 1. */
  readonly lanes: number;
  readonly storage: Storage | null;
}

const elemTypes = { u8: I64, i32: I32, u32: U32, i64: I64, f32: F32, f64: F64 } as const;
export const bufferElems: ReadonlySet<string> = new Set(Object.keys(elemTypes));

export function fieldOf(frame: Frame, ref: LayoutRef, name: string, at: At): Value {
  const field = ref.layout.fields.find((entry) => entry.name === name);
  if (field === undefined) {
    throw frame.problem(at, `layout ${ref.layout.name} has no field '${name}'`);
  }
  if (field.count > 1) return { kind: 'layoutField', ref, field };
  return load(frame, fieldPlace(frame, ref, field, { sub: null, at }), at);
}

/** The place of a field, or of element `sub` of an array field. */
export function fieldPlace(
  frame: Frame,
  ref: LayoutRef,
  field: LayoutField,
  where: { sub: Expr | null; at: At },
): BufferPlace {
  const { at, sub } = where;
  const isWide = field.storage === 'i64';
  const width = isWide ? 8 : 4;
  const elem = (field.storage === 'i64' ? 'i64' : field.storage.elem) as BufferElem;
  let index = scaled(frame, ref.index, ref.layout.size / width, at);
  if (sub !== null) index = plus(frame, index, scaled(frame, sub, field.stride / width, at), at);
  const storage = field.storage === 'i64' ? null : field.storage;
  return {
    buffer: ref.buffer,
    elem,
    offset: field.offset,
    index,
    lanes: storage?.lanes ?? 1,
    storage,
  };
}

export function elementPlace(
  frame: Frame,
  base: Extract<Value, { kind: 'elements' }>,
  index: Value,
  at: At,
): BufferPlace {
  const place = wideIndex(frame, index, at, 'index');
  return { buffer: base.buffer, elem: base.elem, offset: 0, index: place, lanes: 1, storage: null };
}

export function load(frame: Frame, place: BufferPlace, at: At): Value {
  const site = frame.site(at);
  const type = elemTypes[place.elem];
  const { elem, offset } = place;
  if (place.lanes === 1) {
    const { buffer, index } = place;
    return {
      kind: 'expr',
      rank: 'uniform',
      expr: { op: 'buffer.get', type, site, buffer, elem, offset, index },
    };
  }
  const parts = held(frame, place);
  const items = components(frame, parts, at).map((index): Expr => ({
    op: 'buffer.get',
    type,
    site,
    buffer: parts.buffer,
    elem,
    offset,
    index,
  }));
  const vector = loadedType(place.storage as Storage);
  return { kind: 'expr', rank: 'uniform', expr: { op: 'vector', type: vector, site, items } };
}

export function store(frame: Frame, place: BufferPlace, value: Value, at: At): void {
  const site = frame.site(at);
  const { elem, offset } = place;
  if (place.lanes > 1) {
    const whole = coerce(frame, value, loadedType(place.storage as Storage), at);
    const kept = frame.hold('value', whole, 'uniform');
    const parts = held(frame, place);
    components(frame, parts, at).forEach((index, lane) => {
      const part: Expr = {
        op: 'extract',
        type: elemTypes[elem],
        site,
        value: (kept as { expr: Expr }).expr,
        index: lane,
      };
      frame.emit({
        op: 'buffer.set',
        site,
        buffer: parts.buffer,
        elem,
        offset,
        index,
        value: part,
      });
    });
    return;
  }
  const { buffer, index } = place;
  const narrow = elem === 'u8' || elem === 'i32' || elem === 'u32';
  if (narrow && isWideInteger(value, elem)) {
    const wide = coerce(frame, value, I64, at);
    frame.emit({ op: 'buffer.narrow', site, buffer, elem, offset, index, value: wide });
    return;
  }
  const fitting = coerce(frame, value, elemTypes[elem], {
    at,
    what: `a store of ${typeName(elemTypes[elem])}`,
  });
  frame.emit({ op: 'buffer.set', site, buffer, elem, offset, index, value: fitting });
}

function isWideInteger(value: Value, elem: BufferElem): boolean {
  if (elem === 'u8') return true;
  return value.kind === 'expr' && isScalar(value.expr.type, 'i64');
}

/** Buffer and index evaluated once, for places that are used several times. */
function held(frame: Frame, place: BufferPlace): BufferPlace {
  return { ...place, buffer: once(frame, place.buffer), index: once(frame, place.index) };
}

export function once(frame: Frame, expr: Expr): Expr {
  if (expr.op === 'local' || expr.op === 'const') return expr;
  return (frame.hold('part', expr, 'uniform') as { expr: Expr }).expr;
}

function components(frame: Frame, place: BufferPlace, at: At): Expr[] {
  return Array.from({ length: place.lanes }, (_, lane) =>
    plus(
      frame,
      place.index,
      { op: 'const', type: I64, site: frame.site(at), value: BigInt(lane) },
      at,
    ),
  );
}
