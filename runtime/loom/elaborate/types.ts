/**
 * Types during elaboration: constructors, equality, printing and the table of built-in names. A
 * `Term` is what a type expression denotes: a value type, a storage element, a view, or several of
 * these at once (`f32` is a value and an element; `f16` an element only; `i64` a value only).
 */
import { typeText as typeName } from '../type-text.js';
import type { LayoutType, RecordType, ScalarName, Storage, Type } from '../typed.js';

export type Element =
  | { readonly kind: 'storage'; readonly storage: Storage }
  | { readonly kind: 'layout'; readonly layout: LayoutType };

export interface BankField {
  readonly name: string;
  readonly at: number;
  /** A storage field of `count` elements, or `count` nested banks (null: one, not indexed). */
  readonly storage: Storage | null;
  readonly bank: BankType | null;
  readonly count: number | null;
}

export interface BankType {
  readonly name: string;
  readonly fields: readonly BankField[];
}

export interface FunctionShape {
  readonly params: readonly Type[];
  readonly results: readonly Type[];
}

export interface Term {
  /** Canonical spelling: the identity of a type as a template argument. */
  readonly name: string;
  readonly type: Type | null;
  readonly element: Element | null;
  readonly view: Element | null;
  readonly func: FunctionShape | null;
  readonly bank: BankType | null;
}

export const scalar = (name: ScalarName): Type => ({ kind: 'scalar', name });
export const BOOL = scalar('bool');
export const I32 = scalar('i32');
export const U32 = scalar('u32');
export const I64 = scalar('i64');
export const F32 = scalar('f32');
export const F64 = scalar('f64');
export const STRING: Type = { kind: 'string' };
export const BUFFER: Type = { kind: 'buffer' };
export const REF: Type = { kind: 'ref' };
export const SYMBOL: Type = { kind: 'symbol' };
export const VOID: Type = { kind: 'void' };
export const HAL_BUFFER: Type = { kind: 'handle', name: 'hal.buffer' };
export const vector = (elem: 'f32' | 'i32' | 'u32', lanes: 2 | 4): Type => ({
  kind: 'vector',
  elem,
  lanes,
});
export const bytes = (elem: 'i8' | 'u8', lanes: 4 | 16): Type => ({ kind: 'bytes', elem, lanes });

export { typeName };

export const sameType = (left: Type, right: Type): boolean =>
  left === right || (left.kind === right.kind && typeName(left) === typeName(right));

export function elementName(element: Element): string {
  if (element.kind === 'layout') return element.layout.name;
  const { elem, lanes } = element.storage;
  return lanes === 1 ? elem : `${elem}x${lanes}`;
}

export const sameElement = (left: Element, right: Element): boolean =>
  left.kind === right.kind && elementName(left) === elementName(right);

export const elementSize = (element: Element): number =>
  element.kind === 'layout' ? element.layout.size : element.storage.size;

/** Alignment of an element in bytes: its size for storage, the largest field for layouts. */
export function elementAlign(element: Element): number {
  if (element.kind === 'storage') return element.storage.size;
  let align = 4;
  for (const field of element.layout.fields) {
    align = Math.max(align, field.storage === 'i64' ? 8 : field.storage.size);
  }
  return align;
}

const widths = { f32: 4, i32: 4, u32: 4, f16: 2, bf16: 2, i8: 1, u8: 1 } as const;

export function storage(elem: Storage['elem'], lanes: Storage['lanes']): Storage {
  return { elem, lanes, size: widths[elem] * lanes };
}

/** The type of the value that a load of `of` gives. */
export function loadedType(of: Storage): Type {
  if (of.elem === 'i8' || of.elem === 'u8') {
    if (of.lanes === 1) return of.elem === 'i8' ? I32 : U32;
    return bytes(of.elem, of.lanes as 4 | 16);
  }
  const elem = of.elem === 'f16' || of.elem === 'bf16' ? 'f32' : of.elem;
  return of.lanes === 1 ? scalar(elem) : vector(elem, of.lanes as 2 | 4);
}

export const isInteger = (type: Type): boolean =>
  type.kind === 'scalar' && (type.name === 'i32' || type.name === 'u32' || type.name === 'i64');
export const isFloat = (type: Type): boolean =>
  type.kind === 'scalar' && (type.name === 'f32' || type.name === 'f64');
export const isBool = (type: Type): boolean => type.kind === 'scalar' && type.name === 'bool';
export const isScalar = (type: Type, name: ScalarName): boolean =>
  type.kind === 'scalar' && type.name === name;

/** Scalar type of the components of a vector, or the scalar itself; null for anything else. */
export function componentOf(type: Type): Type | null {
  if (type.kind === 'scalar') return type;
  return type.kind === 'vector' ? scalar(type.elem) : null;
}

export function isDeviceType(type: Type): boolean {
  if (type.kind === 'scalar') return type.name !== 'i64' && type.name !== 'f64';
  if (type.kind === 'array') return isDeviceType(type.elem);
  return type.kind === 'vector' || type.kind === 'bytes';
}

export function isHostType(type: Type): boolean {
  if (type.kind === 'bytes') return false;
  if (type.kind === 'array' || type.kind === 'list') return isHostType(type.elem);
  return type.kind !== 'void';
}

export const recordType = (record: RecordType): Type => ({ kind: 'record', record });

const none = { type: null, element: null, view: null, func: null, bank: null };
export const typeTerm = (type: Type): Term => ({ ...none, name: typeName(type), type });
export const elementTerm = (element: Element): Term => ({
  ...none,
  name: elementName(element),
  element,
});
export const viewTerm = (element: Element): Term => ({
  ...none,
  name: `view<${elementName(element)}>`,
  view: element,
});
export const bankTerm = (bank: BankType): Term => ({ ...none, name: bank.name, bank });
export function funcTerm(func: FunctionShape): Term {
  const list = (types: readonly Type[]): string => types.map(typeName).join(', ');
  const name = `func(${list(func.params)})${func.results.length > 0 ? ` -> (${list(func.results)})` : ''}`;
  return { ...none, name, func };
}

function builtins(): Map<string, Term> {
  const table = new Map<string, Term>();
  const add = (term: Term): void => void table.set(term.name, term);
  const both = (type: Type, of: Storage): void =>
    add({ ...typeTerm(type), element: { kind: 'storage', storage: of } });
  for (const elem of ['f32', 'i32', 'u32'] as const) {
    both(scalar(elem), storage(elem, 1));
    for (const lanes of [2, 4] as const) both(vector(elem, lanes), storage(elem, lanes));
  }
  both(bytes('i8', 4), storage('i8', 4));
  both(bytes('i8', 16), storage('i8', 16));
  both(bytes('u8', 4), storage('u8', 4));
  for (const elem of ['f16', 'bf16'] as const) {
    for (const lanes of [1, 2, 4] as const) {
      add(elementTerm({ kind: 'storage', storage: storage(elem, lanes) }));
    }
  }
  for (const elem of ['i8', 'u8'] as const) {
    add(elementTerm({ kind: 'storage', storage: storage(elem, 1) }));
  }
  for (const type of [BOOL, I64, F64, STRING, BUFFER, REF, SYMBOL]) add(typeTerm(type));
  for (const name of ['hal.buffer', 'hal.fence', 'work', 'tensor'] as const) {
    add(typeTerm({ kind: 'handle', name }));
  }
  return table;
}

/** Built-in names without arguments. */
export const builtinTerms: ReadonlyMap<string, Term> = builtins();
