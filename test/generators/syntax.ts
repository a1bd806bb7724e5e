/**
 * Arbitrary syntax trees: every kind of `tree.ts`, names and numbers at their edges, keywords that
 * are names by place. They are trees that some text gives (not every tree of the types is one:
 * `a.b` is a name and never a member), but they mean nothing: names need not resolve.
 */

import fc from '../properties.js';
import type { Arbitrary } from 'fast-check';
import { builtinTypes, contextualWords, reservedWords } from '../../runtime/loom/syntax/words.js';
import { packAt } from '../../runtime/loom/tree.js';
import type {
  ArrayType,
  BinaryOp,
  Block,
  Decl,
  Expr,
  Module,
  NamedType,
  Param,
  Stmt,
  TemplateArg,
  TemplateParam,
  TypeExpr,
  Use,
} from '../../runtime/loom/tree.js';

const at = fc
  .tuple(fc.integer({ min: 1, max: 100000 }), fc.integer({ min: 1, max: 4095 }))
  .map(([line, column]) => packAt(line, column));

/** A node: its kind, a position and the fields. */
function node<T>(kind: string, fields: { [F in keyof T]?: Arbitrary<unknown> }): Arbitrary<T> {
  const model = { kind: fc.constant(kind), at, ...fields };
  return fc.record(model, { noNullPrototype: true }) as unknown as Arbitrary<T>;
}

const list = <T>(item: Arbitrary<T>, min = 0, max = 3): Arbitrary<T[]> =>
  fc.array(item, { minLength: min, maxLength: max });
const orNull = <T>(item: Arbitrary<T>): Arbitrary<T | null> => fc.option(item, { nil: null });

const isFree = (word: string): boolean => !reservedWords.has(word) && !builtinTypes.has(word);

/** Short names, so that they meet again; keywords by place; long ones at the limit. */
export const identifiers: Arbitrary<string> = fc.oneof(
  { arbitrary: fc.constantFrom('a', 'b', 'c', 'x', 'y', 'n', 'row', 'Tok', 'K', '_'), weight: 6 },
  fc.constantFrom(...contextualWords),
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,6}$/).filter(isFree),
  fc.constant('n'.repeat(128)),
);
const path = fc
  .oneof(
    { arbitrary: identifiers, weight: 4 },
    list(identifiers, 2, 3).map((parts) => parts.join('.').slice(0, 128).replace(/\.$/, '')),
  )
  .filter((name) => name.split('.').every((part) => part !== '' && !reservedWords.has(part)));
/** In a list of template arguments a bare built-in name is a type, so no name there is one. */
const freePath = path.filter(isFree);

const ints = fc.oneof(
  fc.nat().map(BigInt),
  fc.bigInt({ min: 0n, max: 2n ** 63n }),
  fc.constantFrom(0n, 2n ** 31n, 2n ** 53n + 1n, 2n ** 63n),
);
const u32s = fc.oneof(fc.nat(), fc.constantFrom(0, 2 ** 32 - 1)).map(BigInt);
const digits = fc.stringMatching(/^[0-9]{1,20}$/);
const floats = fc.oneof(
  fc.tuple(digits, digits).map(([whole, part]) => `${whole}.${part}`),
  fc.tuple(digits, fc.constantFrom('e', 'E', 'e-', 'E+'), digits).map((parts) => parts.join('')),
  fc.constantFrom('0.0', '1.5e-3', '340282346638528859811704183484516925440.0', '1e999'),
);
export const texts: Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc.constantFrom('', '"', '\\', '{}', '// no comment', 'a\nb\t\r\u0000'),
);

const binaryOps: readonly BinaryOp[] = [
  ...(['+', '-', '*', '/', '%', '<<', '>>', '&', '|', '^'] as const),
  ...(['==', '!=', '<', '<=', '>', '>=', '&&', '||'] as const),
];

type ExprOf<K extends Expr['kind']> = Extract<Expr, { kind: K }>;
type StmtOf<K extends Stmt['kind']> = Extract<Stmt, { kind: K }>;

interface Trees {
  expr: Expr;
  type: TypeExpr;
  namedType: NamedType;
  arg: TemplateArg;
  block: Block;
  stmt: Stmt;
}

const literals: Arbitrary<Expr>[] = [
  node<ExprOf<'int'>>('int', {
    value: ints.map(String),
    unsigned: fc.constant(false),
    hex: fc.boolean(),
  }),
  node<ExprOf<'int'>>('int', {
    value: u32s.map(String),
    unsigned: fc.constant(true),
    hex: fc.boolean(),
  }),
  node<ExprOf<'float'>>('float', { value: floats }),
  node<ExprOf<'string'>>('string', { value: texts }),
  node<ExprOf<'bool'>>('bool', { value: fc.boolean() }),
];
const nameExpr = node<Expr>('name', { name: freePath });

const callOf = (callee: Expr): Expr => ({
  kind: 'call',
  at: callee.at,
  callee,
  typeArgs: [],
  args: [],
});

/** One count of levels for all of them, or their nesting multiplies. */
const bounded = {
  maxDepth: 6,
  depthSize: 'small',
  depthIdentifier: fc.createDepthIdentifier(),
} as const;

const trees = fc.letrec<Trees>((tie) => {
  const expr = tie('expr') as Arbitrary<Expr>;
  const exprs = list(expr);
  const args = list(tie('arg'), 0, 2);
  const anyType = tie('type') as Arbitrary<TypeExpr>;
  const block = tie('block');
  // No filter here: where levels run out every expression is a name.
  const dottable = expr.map((e): Expr => (e.kind === 'name' ? callOf(e) : e));
  const member = node<ExprOf<'member'>>('member', { base: dottable, name: identifiers });
  const index = node<ExprOf<'index'>>('index', { base: expr, index: expr });
  const call = node<ExprOf<'call'>>('call', {
    callee: fc.oneof(nameExpr, member),
    typeArgs: args,
    args: exprs,
  });
  const symbol = node<ExprOf<'symbol'>>('symbol', { name: path, args });
  const bareType = node<NamedType>('namedType', { name: path, args: fc.constant([]) });
  const flatArray = node<ArrayType>('arrayType', { elem: bareType, count: expr });
  // `i32[4][2](…)`: the arrays that are written as values.
  const valueArray = fc.oneof(
    flatArray,
    node<ArrayType>('arrayType', { elem: flatArray, count: expr }),
  );
  const range = { name: identifiers, from: expr, to: expr };
  const named = { name: identifiers, type: anyType };
  const branchy: Arbitrary<Stmt>[] = [
    node<StmtOf<'if'>>('if', { cond: expr, then: block, otherwise: orNull(block) }),
    node<StmtOf<'for'>>('for', { ...range, step: orNull(expr), unroll: fc.boolean(), body: block }),
    node<StmtOf<'while'>>('while', { cond: expr, body: block }),
    node<StmtOf<'parallel'>>('parallel', { ...range, body: block }),
    node<StmtOf<'once'>>('once', { body: block }),
  ];
  const dispatch = node<StmtOf<'dispatch'>>('dispatch', {
    kernel: symbol,
    args: exprs,
    grid: list(expr, 0, 3),
    indirect: fc.constant(false),
  });
  const simple: Arbitrary<Stmt>[] = [
    node<StmtOf<'let'>>('let', {
      names: list(identifiers, 1, 1),
      type: orNull(anyType),
      value: expr,
    }),
    node<StmtOf<'let'>>('let', {
      names: list(identifiers, 2, 3),
      type: fc.constant(null),
      value: expr,
    }),
    node<StmtOf<'var'>>('var', { name: identifiers, type: anyType, value: orNull(expr) }),
    node<StmtOf<'var'>>('var', { name: identifiers, type: fc.constant(null), value: expr }),
    node<StmtOf<'assign'>>('assign', {
      target: fc.oneof(nameExpr, index, member),
      op: fc.constantFrom('=', '+=', '-=', '*='),
      value: expr,
    }),
    node<StmtOf<'return'>>('return', { values: exprs }),
    node<StmtOf<'do'>>('do', { value: call }),
    node<StmtOf<'break'>>('break', {}),
    node<StmtOf<'continue'>>('continue', {}),
    node<StmtOf<'part'>>('part', {}),
    node<StmtOf<'shared'>>('shared', named),
    node<StmtOf<'private'>>('private', named),
    node<StmtOf<'workspace'>>('workspace', {
      ...named,
      zero: fc.boolean(),
      invocation: fc.boolean(),
    }),
    dispatch,
    fc
      .tuple(dispatch, expr, expr)
      .map(([stmt, view, at]) => ({ ...stmt, grid: [view, at], indirect: true }) as Stmt),
  ];
  return {
    expr: fc.oneof(
      bounded,
      nameExpr,
      ...literals,
      node<ExprOf<'unary'>>('unary', { op: fc.constantFrom('-', '!', '~'), value: expr }),
      ...[0, 1].map(() =>
        node<ExprOf<'binary'>>('binary', {
          op: fc.constantFrom(...binaryOps),
          left: expr,
          right: expr,
        }),
      ),
      member,
      index,
      call,
      symbol,
      node<ExprOf<'array'>>('array', { type: valueArray, args: exprs }),
      node<ExprOf<'record'>>('record', {
        type: tie('namedType'),
        fields: list(node('fieldValue', { name: identifiers, value: expr })),
      }),
    ),
    namedType: node<NamedType>('namedType', { name: path, args }),
    type: fc.oneof(
      bounded,
      node<TypeExpr>('namedType', {
        name: fc.constantFrom(...builtinTypes),
        args: fc.constant([]),
      }),
      tie('namedType') as Arbitrary<TypeExpr>,
      node<TypeExpr>('arrayType', { elem: tie('namedType'), count: expr }),
      node<TypeExpr>('funcType', { params: list(anyType, 0, 2), results: list(anyType, 0, 2) }),
    ),
    arg: fc.oneof(
      bounded,
      // `a<b>` without a call, `a[1]` and a bare built-in name are types there.
      anyType.filter(
        (t: TypeExpr) => t.kind !== 'namedType' || t.args.length > 0 || builtinTypes.has(t.name),
      ),
      expr,
    ),
    block: node<Block>('block', { stmts: list(tie('stmt'), 0, 4) }),
    stmt: fc.oneof(bounded, ...simple, ...branchy),
  };
});

const lines = fc.oneof(
  fc.constant(''),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('', '/ not a doc', '  indented', 'plain'),
);
const doc = list(lines, 0, 3).map((all) =>
  all.map((line) => line.replace(/[\n]/g, ' ').trimEnd()).join('\n'),
);
const template = list(
  node<TemplateParam>('templateParam', {
    name: identifiers,
    constraint: list(trees.type, 1, 2),
  }),
  0,
  2,
);
const common = { doc, exported: fc.boolean(), name: identifiers, template };
const hidden = { ...common, exported: fc.constant(false) };
const fields = list(node('field', { name: identifiers, type: trees.type }), 0, 4);
const params = list(
  node<Param>('param', {
    name: identifiers,
    mode: fc.constantFrom('', 'in', 'out', 'inout', 'acc'),
    type: trees.type,
  }),
  0,
  5,
);
const commandParams = list(
  fc.oneof(
    node<Param>('param', {
      name: identifiers,
      mode: fc.constant('root'),
      type: fc.constant(null),
    }),
    node<Param>('param', { name: identifiers, mode: fc.constant('param'), type: trees.type }),
  ),
);
const results = list(trees.type, 0, 3);
const body = trees.block;

const decls: Arbitrary<Decl> = fc.oneof(
  node<Decl>('config', { ...hidden, type: trees.type, value: trees.expr } as never),
  node<Decl>('const', { ...common, type: orNull(trees.type), value: trees.expr } as never),
  node<Decl>('record', { ...common, fields } as never),
  node<Decl>('layout', { ...common, fields } as never),
  node<Decl>('bank', { ...common, fields } as never),
  node<Decl>('import', { ...common, module: texts, params, results } as never),
  node<Decl>('func', { ...common, params, results, body } as never),
  node<Decl>('kernel', {
    ...common,
    params,
    lanes: trees.expr,
    grid: list(trees.expr),
    body,
  } as never),
  node<Decl>('command', { ...common, params: commandParams, body } as never),
  node<Decl>('check', { ...hidden, body } as never),
);

const uses = node<Use>('use', { path, names: orNull(list(identifiers, 1, 3)) });

export const expressions: Arbitrary<Expr> = trees.expr;

export const modules: Arbitrary<Module> = node<Module>('module', {
  library: fc.oneof(fc.constant(''), path),
  uses: list(uses, 0, 2),
  decls: list(decls, 0, 4),
});
