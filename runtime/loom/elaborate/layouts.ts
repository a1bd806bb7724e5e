/**
 * `layout.def`: packed records shared by host and device. A field is aligned to its size (4, 8 or
 * 16 bytes), the size of a layout is rounded up to its largest alignment: WGSL's storage layout.
 */
import type { Field, TypeExpr } from '../tree.js';
import type { LayoutField, LayoutType, Storage } from '../typed.js';
import type { Declaration } from './catalog.js';
import { constantCount } from './coercion.js';
import { constantFrame } from './declaration-frame.js';
import type { Frame } from './frame.js';
import { elaborationLimits } from './session.js';
import type { Session } from './session.js';
import { isScalar } from './types.js';

export function layoutOf(session: Session, declaration: Declaration): LayoutType {
  const known = session.layouts.get(declaration.id);
  if (known !== undefined) return known;
  const layout = session.resolving(declaration, () => resolveLayout(session, declaration));
  session.layouts.set(declaration.id, layout);
  return layout;
}

function resolveLayout(session: Session, declaration: Declaration): LayoutType {
  const { decl } = declaration;
  const frame = constantFrame(session, declaration.file);
  const fields: LayoutField[] = [];
  const names = new Map<string, Field>();
  let size = 0;
  let alignment = 4;
  for (const field of decl.kind === 'layout' ? decl.fields : []) {
    unique(frame, names, field);
    const { storage, count } = fieldStorage(frame, field.type);
    const stride = storage === 'i64' ? 8 : storage.size;
    const offset = Math.ceil(size / stride) * stride;
    fields.push({ name: field.name, offset, stride, count, storage });
    size = offset + stride * count;
    alignment = Math.max(alignment, stride);
  }
  if (fields.length === 0) throw frame.problem(decl.at, 'a layout has at least one field');
  return { name: declaration.name, size: Math.ceil(size / alignment) * alignment, fields };
}

/** Two fields of one name are an error with both places; used by records and banks too. */
export function unique(frame: Frame, names: Map<string, Field>, field: Field): void {
  const earlier = names.get(field.name);
  names.set(field.name, field);
  if (earlier === undefined) return;
  const message = 'it is first declared here';
  const related = [{ file: frame.file.file, at: earlier.at, message }];
  throw frame.problem(field.at, `the field '${field.name}' exists twice`, undefined, { related });
}

function fieldStorage(frame: Frame, type: TypeExpr): { storage: Storage | 'i64'; count: number } {
  if (type.kind === 'arrayType') {
    const inner = fieldStorage(frame, type.elem);
    if (type.elem.kind === 'arrayType') throw frame.problem(type.at, 'layout arrays do not nest');
    const bounds = {
      what: 'the length of the field',
      min: 1,
      max: elaborationLimits.arrayElements,
    };
    const count = constantCount(frame, frame.eval(type.count), type.count.at, bounds);
    return { storage: inner.storage, count };
  }
  const term = frame.term(type);
  if (term.type !== null && isScalar(term.type, 'i64')) return { storage: 'i64', count: 1 };
  const element = term.element?.kind === 'storage' ? term.element.storage : null;
  if (element !== null && ['f32', 'i32', 'u32'].includes(element.elem)) {
    return { storage: element, count: 1 };
  }
  const hint = 'use f32, i32, u32, their x2 and x4, i64, or fixed arrays of these';
  throw frame.problem(type.at, `a layout field cannot be ${term.name}`, hint);
}
