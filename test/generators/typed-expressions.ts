/**
 * Types, positions and expressions of the typed tree, made by hand. Sites count up from line 1, so
 * every node of a tree has a position of its own.
 */
import type {
  ArithmeticOp,
  Block,
  BufferElem,
  CompareOp,
  Expr,
  HandleName,
  HeapOp,
  Intrinsic,
  LocalId,
  RecordType,
  ScalarName,
  Storage,
  Type,
} from '../../runtime/loom/typed.js';
import { packAt } from '../../runtime/loom/tree.js';

export const scalar = (name: ScalarName): Type => ({ kind: 'scalar', name });
export const t = {
  bool: scalar('bool'),
  i32: scalar('i32'),
  u32: scalar('u32'),
  i64: scalar('i64'),
  f32: scalar('f32'),
  f64: scalar('f64'),
  string: { kind: 'string' } as Type,
  buffer: { kind: 'buffer' } as Type,
  ref: { kind: 'ref' } as Type,
  symbol: { kind: 'symbol' } as Type,
  void: { kind: 'void' } as Type,
  vector: (elem: 'f32' | 'i32' | 'u32', lanes: 2 | 4): Type => ({ kind: 'vector', elem, lanes }),
  f32x4: { kind: 'vector', elem: 'f32', lanes: 4 } as Type,
  i32x4: { kind: 'vector', elem: 'i32', lanes: 4 } as Type,
  u32x4: { kind: 'vector', elem: 'u32', lanes: 4 } as Type,
  f32x2: { kind: 'vector', elem: 'f32', lanes: 2 } as Type,
  i8x4: { kind: 'bytes', elem: 'i8', lanes: 4 } as Type,
  u8x4: { kind: 'bytes', elem: 'u8', lanes: 4 } as Type,
  i8x16: { kind: 'bytes', elem: 'i8', lanes: 16 } as Type,
  handle: (name: HandleName): Type => ({ kind: 'handle', name }),
  list: (elem: Type): Type => ({ kind: 'list', elem }),
  cell: (elem: Type): Type => ({ kind: 'cell', elem }),
  array: (elem: Type, count: number): Type => ({ kind: 'array', elem, count }),
  record: (name: string, fields: Readonly<Record<string, Type>>): Type => ({
    kind: 'record',
    record: recordType(name, fields),
  }),
};

export function recordType(name: string, fields: Readonly<Record<string, Type>>): RecordType {
  return { name, fields: Object.entries(fields).map(([field, type]) => ({ name: field, type })) };
}

const sizes = { f32: 4, i32: 4, u32: 4, f16: 2, bf16: 2, i8: 1, u8: 1 } as const;
export function storage(elem: Storage['elem'], lanes: Storage['lanes'] = 1): Storage {
  return { elem, lanes, size: sizes[elem] * lanes };
}

let line = 0;
/** A fresh position in file 0. */
export const site = (): number => packAt((line = (line % 100_000) + 1), 1);

export const constant = (
  type: Type,
  value: number | bigint | boolean | string | readonly number[],
): Expr => ({ op: 'const', type, site: site(), value });
export const i64 = (value: number | bigint): Expr => constant(t.i64, BigInt(value));
export const i32 = (value: number): Expr => constant(t.i32, value | 0);
export const u32 = (value: number): Expr => constant(t.u32, value >>> 0);
export const f32 = (value: number): Expr => constant(t.f32, Math.fround(value));
export const f64 = (value: number): Expr => constant(t.f64, value);
export const bool = (value: boolean): Expr => constant(t.bool, value);
export const text = (value: string): Expr => constant(t.string, value);

export const arithmetic = (operator: ArithmeticOp, left: Expr, right: Expr): Expr => ({
  op: 'arithmetic',
  operator,
  left,
  right,
  type: left.type,
  site: site(),
});
export const add = (left: Expr, right: Expr): Expr => arithmetic('+', left, right);
export const sub = (left: Expr, right: Expr): Expr => arithmetic('-', left, right);
export const mul = (left: Expr, right: Expr): Expr => arithmetic('*', left, right);
export const compare = (operator: CompareOp, left: Expr, right: Expr): Expr => ({
  op: 'compare',
  operator,
  left,
  right,
  type: t.bool,
  site: site(),
});
export const unary = (op: 'negate' | 'not' | 'invert', value: Expr): Expr => ({
  op,
  value,
  type: value.type,
  site: site(),
});
export const logical = (op: 'and' | 'or', left: Expr, right: Expr): Expr => ({
  op,
  left,
  right,
  type: t.bool,
  site: site(),
});
export const convert = (type: Type, value: Expr): Expr => ({
  op: 'convert',
  value,
  type,
  site: site(),
});
export const vector = (type: Type, items: readonly Expr[]): Expr => ({
  op: 'vector',
  items,
  type,
  site: site(),
});
export const splat = (type: Type, value: Expr): Expr => ({
  op: 'splat',
  value,
  type,
  site: site(),
});
export const extract = (value: Expr, index: number): Expr => ({
  op: 'extract',
  value,
  index,
  type: laneType(value.type),
  site: site(),
});
export const component = (value: Expr, index: Expr): Expr => ({
  op: 'component',
  value,
  index,
  type: laneType(value.type),
  site: site(),
});
export const intrinsic = (name: Intrinsic, type: Type, args: readonly Expr[]): Expr => ({
  op: 'intrinsic',
  name,
  args,
  type,
  site: site(),
});
export const blockValue = (body: Block, value: Expr): Expr => ({
  op: 'block',
  body,
  value,
  type: value.type,
  site: site(),
});

function laneType(type: Type): Type {
  if (type.kind === 'vector') return scalar(type.elem);
  if (type.kind === 'bytes') return type.elem === 'i8' ? t.i32 : t.u32;
  throw new Error('a vector was expected');
}

// host expressions
export const call = (func: number, type: Type, args: readonly Expr[]): Expr => ({
  op: 'call',
  func,
  args,
  type,
  site: site(),
});
export const capability = (index: number, type: Type, args: readonly Expr[]): Expr => ({
  op: 'capability',
  index,
  args,
  type,
  site: site(),
});
export const heap = (name: HeapOp, type: Type, args: readonly Expr[] = []): Expr => ({
  op: 'heap',
  name,
  args,
  type,
  site: site(),
});
export const format = (pieces: readonly string[], args: readonly Expr[]): Expr => ({
  op: 'format',
  pieces,
  args,
  type: t.string,
  site: site(),
});
export const recordNew = (type: Type, fields: readonly Expr[]): Expr => ({
  op: 'record.new',
  fields,
  type,
  site: site(),
});
export const field = (value: Expr, index: number): Expr => {
  if (value.type.kind !== 'record') throw new Error('a record was expected');
  return {
    op: 'record.field',
    value,
    index,
    type: value.type.record.fields[index]!.type,
    site: site(),
  };
};
export const listGet = (list: Expr, index: Expr): Expr => ({
  op: 'list.get',
  list,
  index,
  type: elementType(list.type),
  site: site(),
});
export const arrayNew = (type: Type, items: readonly Expr[]): Expr => ({
  op: 'array.new',
  items,
  type,
  site: site(),
});
export const arrayGet = (array: Expr, index: Expr): Expr => ({
  op: 'array.get',
  array,
  index,
  type: elementType(array.type),
  site: site(),
});
export const bufferGet = (buffer: Expr, elem: BufferElem, index: Expr, offset = 0): Expr => ({
  op: 'buffer.get',
  buffer,
  elem,
  offset,
  index,
  type: elem === 'u8' ? t.i64 : scalar(elem),
  site: site(),
});

function elementType(type: Type): Type {
  if (type.kind === 'list' || type.kind === 'array') return type.elem;
  throw new Error('a list or an array was expected');
}

export interface Variable {
  readonly id: LocalId;
  readonly type: Type;
  /** An expression that reads it. */
  readonly get: Expr;
}
