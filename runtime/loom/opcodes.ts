/**
 * The one table of the syntax tree: every kind of node, its opcode, its fields in order and what
 * each field may hold. The bytecode writer and the verifying reader are driven by it and know no
 * kind by name; the types below make it an error to forget a kind or a field of `tree.ts`.
 * Opcodes are for ever: a new kind takes a new number, an old number is never used again.
 */

import { paramModes } from './syntax/words.js';
import type * as tree from './tree.js';

/** What a place in the tree may hold. */
export type Role =
  | 'module'
  | 'use'
  | 'decl'
  | 'templateParam'
  | 'field'
  | 'param'
  | 'type'
  | 'namedType'
  | 'arrayType'
  | 'arg'
  | 'block'
  | 'stmt'
  | 'expr'
  | 'symbol'
  | 'call'
  | 'callee'
  | 'target'
  | 'fieldValue';

/** What a field of a node holds. Texts are indices into the string table. */
export type FieldKind =
  /** One name; a dotted name; a dotted name or ''. */
  | { readonly is: 'name' | 'path' | 'optionalPath' }
  /** Any text; lines of documentation; digits of an int or a float literal. */
  | { readonly is: 'text' | 'doc' | 'int' | 'float' }
  | { readonly is: 'names'; readonly min: number }
  /** Names or null. */
  | { readonly is: 'optionalNames' }
  | { readonly is: 'flag' }
  | { readonly is: 'word'; readonly of: readonly string[] }
  | { readonly is: 'node' | 'optional'; readonly role: Role }
  | { readonly is: 'list'; readonly role: Role; readonly min: number; readonly max: number };

export interface NodeShape {
  readonly op: number;
  readonly kind: string;
  readonly fields: readonly (readonly [name: string, holds: FieldKind])[];
}

const name = { is: 'name' } as const;
const path = { is: 'path' } as const;
const flag = { is: 'flag' } as const;
const node = (role: Role) => ({ is: 'node', role }) as const;
const optional = (role: Role) => ({ is: 'optional', role }) as const;
const word = (of: readonly string[]) => ({ is: 'word', of }) as const;
/** More than any file has bytes. */
const unbounded = 2 ** 31;
const list = (role: Role, min = 0, max = unbounded) => ({ is: 'list', role, min, max }) as const;

/** Every field of every kind of `Node`, and nothing else. */
type Table<Node extends { readonly kind: string }> = {
  readonly [K in Node['kind']]: {
    readonly op: number;
    readonly fields: {
      readonly [
        F in Exclude<keyof Extract<Node, { readonly kind: K }>, 'kind' | 'at'>
      ]-?: FieldKind;
    };
  };
};

/** Fields of every declaration. */
const common = {
  doc: { is: 'doc' },
  exported: flag,
  name,
  template: list('templateParam'),
} as const;
const params = list('param');
const body = node('block');
const results = list('type');

const modules = {
  module: {
    op: 1,
    fields: { library: { is: 'optionalPath' }, uses: list('use'), decls: list('decl') },
  },
} as const satisfies Table<tree.Module>;

const uses = {
  use: { op: 2, fields: { path, names: { is: 'optionalNames' } } },
} as const satisfies Table<tree.Use>;

const decls = {
  config: { op: 16, fields: { ...common, type: node('type'), value: node('expr') } },
  const: { op: 17, fields: { ...common, type: optional('type'), value: node('expr') } },
  record: { op: 18, fields: { ...common, fields: list('field') } },
  layout: { op: 19, fields: { ...common, fields: list('field') } },
  bank: { op: 20, fields: { ...common, fields: list('field') } },
  import: { op: 21, fields: { ...common, module: { is: 'text' }, params, results } },
  func: { op: 22, fields: { ...common, params, results, body } },
  kernel: {
    op: 23,
    fields: { ...common, params, lanes: node('expr'), grid: list('expr', 0, 3), body },
  },
  command: { op: 24, fields: { ...common, params, body } },
  check: { op: 25, fields: { ...common, body } },
} as const satisfies Table<tree.Decl>;

const templateParams = {
  templateParam: { op: 32, fields: { name, constraint: list('type', 1) } },
} as const satisfies Table<tree.TemplateParam>;

const fields = {
  field: { op: 33, fields: { name, type: node('type') } },
} as const satisfies Table<tree.Field>;

const parameters = {
  param: {
    op: 34,
    fields: { name, mode: word(['', ...paramModes, 'root', 'param']), type: optional('type') },
  },
} as const satisfies Table<tree.Param>;

const blocks = {
  block: { op: 35, fields: { stmts: list('stmt') } },
} as const satisfies Table<tree.Block>;

const fieldValues = {
  fieldValue: { op: 36, fields: { name, value: node('expr') } },
} as const satisfies Table<tree.FieldValue>;

const types = {
  namedType: { op: 48, fields: { name: path, args: list('arg') } },
  arrayType: { op: 49, fields: { elem: node('type'), count: node('expr') } },
  funcType: { op: 50, fields: { params: list('type'), results } },
} as const satisfies Table<tree.TypeExpr>;

const range = { name, from: node('expr'), to: node('expr') } as const;

const stmts = {
  let: {
    op: 64,
    fields: { names: { is: 'names', min: 1 }, type: optional('type'), value: node('expr') },
  },
  var: { op: 65, fields: { name, type: optional('type'), value: optional('expr') } },
  assign: {
    op: 66,
    fields: { target: node('target'), op: word(['=', '+=', '-=', '*=']), value: node('expr') },
  },
  if: { op: 67, fields: { cond: node('expr'), then: body, otherwise: optional('block') } },
  for: { op: 68, fields: { ...range, step: optional('expr'), unroll: flag, body } },
  while: { op: 69, fields: { cond: node('expr'), body } },
  break: { op: 70, fields: {} },
  continue: { op: 71, fields: {} },
  return: { op: 72, fields: { values: list('expr') } },
  do: { op: 73, fields: { value: node('call') } },
  parallel: { op: 74, fields: { ...range, body } },
  once: { op: 75, fields: { body } },
  shared: { op: 76, fields: { name, type: node('type') } },
  private: { op: 77, fields: { name, type: node('type') } },
  workspace: { op: 78, fields: { name, type: node('type'), zero: flag, invocation: flag } },
  dispatch: {
    op: 79,
    fields: {
      kernel: node('symbol'),
      args: list('expr'),
      grid: list('expr', 0, 3),
      indirect: flag,
    },
  },
  part: { op: 80, fields: {} },
} as const satisfies Table<tree.Stmt>;

/** The order is part of the format: an operator is stored as its index. */
const binaryOps = [
  ...['+', '-', '*', '/', '%', '<<', '>>', '&', '|', '^'],
  ...['==', '!=', '<', '<=', '>', '>=', '&&', '||'],
];

const exprs = {
  int: { op: 96, fields: { value: { is: 'int' }, unsigned: flag, hex: flag } },
  float: { op: 97, fields: { value: { is: 'float' } } },
  string: { op: 98, fields: { value: { is: 'text' } } },
  bool: { op: 99, fields: { value: flag } },
  name: { op: 100, fields: { name: path } },
  symbol: { op: 101, fields: { name: path, args: list('arg') } },
  unary: { op: 102, fields: { op: word(['-', '!', '~']), value: node('expr') } },
  binary: { op: 103, fields: { op: word(binaryOps), left: node('expr'), right: node('expr') } },
  call: { op: 104, fields: { callee: node('callee'), typeArgs: list('arg'), args: list('expr') } },
  array: { op: 105, fields: { type: node('arrayType'), args: list('expr') } },
  index: { op: 106, fields: { base: node('expr'), index: node('expr') } },
  member: { op: 107, fields: { base: node('expr'), name } },
  record: { op: 108, fields: { type: node('namedType'), fields: list('fieldValue') } },
} as const satisfies Table<tree.Expr>;

/** Tables as lists: the order of keys is the order of fields in the file. */
const shapesOf = (table: Record<string, { op: number; fields: object }>): NodeShape[] =>
  Object.entries(table).map(([kind, { op, fields: held }]) => ({
    op,
    kind,
    fields: Object.entries(held as Record<string, FieldKind>),
  }));

const typeShapes = shapesOf(types);
const exprShapes = shapesOf(exprs);
const only = (shapes: readonly NodeShape[], ...kinds: string[]): NodeShape[] =>
  shapes.filter(({ kind }) => kinds.includes(kind));

/** The kinds that may stand in each role. */
export const shapesByRole: Readonly<Record<Role, readonly NodeShape[]>> = {
  module: shapesOf(modules),
  use: shapesOf(uses),
  decl: shapesOf(decls),
  templateParam: shapesOf(templateParams),
  field: shapesOf(fields),
  param: shapesOf(parameters),
  type: typeShapes,
  namedType: only(typeShapes, 'namedType'),
  arrayType: only(typeShapes, 'arrayType'),
  arg: [...typeShapes, ...exprShapes],
  block: shapesOf(blocks),
  stmt: shapesOf(stmts),
  expr: exprShapes,
  symbol: only(exprShapes, 'symbol'),
  call: only(exprShapes, 'call'),
  callee: only(exprShapes, 'name', 'member'),
  target: only(exprShapes, 'name', 'index', 'member'),
  fieldValue: shapesOf(fieldValues),
};

/** Roles whose nodes are levels of an expression or a type. */
export const leveledRoles: ReadonlySet<Role> = new Set<Role>([
  ...(['type', 'namedType', 'arrayType', 'arg'] as const),
  ...(['expr', 'symbol', 'call', 'callee', 'target'] as const),
]);

/** Stands for an absent optional node. */
export const absentOp = 0;
