/**
 * The syntax tree: what the parser and the bytecode reader produce and what the printer, the
 * bytecode writer and the elaborator read. It is the program *before* specialization (names,
 * templates, configuration unresolved), so text and bytecode are two spellings of it.
 *
 * Nodes are plain, immutable, JSON-like data. Every node carries `at`, its packed source position.
 */

/** `line * 4096 + column`, both from 1; columns past 4095 are kept as 4095. */
export type At = number;

export const packAt = (line: number, column: number): At => line * 4096 + Math.min(column, 4095);
export const lineOf = (at: At): number => Math.floor(at / 4096);
export const columnOf = (at: At): number => at % 4096;

/** One file. `library` is '' for a file without a `library` line. */
export interface Module {
  readonly kind: 'module';
  readonly at: At;
  readonly library: string;
  readonly uses: readonly Use[];
  readonly decls: readonly Decl[];
}

/** `use a.b` (names null: every export) or `use a.b { x, y }`. */
export interface Use {
  readonly kind: 'use';
  readonly at: At;
  readonly path: string;
  readonly names: readonly string[] | null;
}

/**
 * What all declarations share. `doc` is the text of `///` lines, joined by newlines, '' if none.
 */
interface DeclBase {
  readonly at: At;
  readonly doc: string;
  readonly exported: boolean;
  readonly name: string;
  /** Empty when there is no `template.def` before it. */
  readonly template: readonly TemplateParam[];
}

/** `N: i64`, `T: f32 | f32x4`, `F: func(f32) -> f32`. One constraint, or alternatives of types. */
export interface TemplateParam {
  readonly kind: 'templateParam';
  readonly at: At;
  readonly name: string;
  readonly constraint: readonly TypeExpr[];
}

export type Decl =
  | ConfigDecl
  | ConstDef
  | RecordDef
  | LayoutDef
  | BankDef
  | FuncDecl
  | FuncDef
  | KernelDef
  | CommandDef
  | CheckDef;

/** `config.decl key : type = default` (always visible to binding; `export` not written). */
export interface ConfigDecl extends DeclBase {
  readonly kind: 'config';
  readonly type: TypeExpr;
  readonly value: Expr;
}
/** `const.def NAME [: type] = value`. */
export interface ConstDef extends DeclBase {
  readonly kind: 'const';
  readonly type: TypeExpr | null;
  readonly value: Expr;
}
export interface RecordDef extends DeclBase {
  readonly kind: 'record';
  readonly fields: readonly Field[];
}
export interface LayoutDef extends DeclBase {
  readonly kind: 'layout';
  readonly fields: readonly Field[];
}
export interface BankDef extends DeclBase {
  readonly kind: 'bank';
  readonly fields: readonly Field[];
}
export interface Field {
  readonly kind: 'field';
  readonly at: At;
  readonly name: string;
  readonly type: TypeExpr;
}
/** `func.decl import("module") name(params) -> results`. */
export interface FuncDecl extends DeclBase {
  readonly kind: 'import';
  readonly module: string;
  readonly params: readonly Param[];
  readonly results: readonly TypeExpr[];
}
export interface FuncDef extends DeclBase {
  readonly kind: 'func';
  readonly params: readonly Param[];
  readonly results: readonly TypeExpr[];
  readonly body: Block;
}
/**
 * Kernel: view parameters carry an access, scalar ones do not. `lanes` is L of `workgroup(L)`;
 * an optional `grid(x[, y[, z]])` after it is its launch as a direct stage (then constant), as
 * a loader, and in a dispatch that states none.
 */
export interface KernelDef extends DeclBase {
  readonly kind: 'kernel';
  readonly params: readonly Param[];
  readonly lanes: Expr;
  readonly grid: readonly Expr[];
  readonly body: Block;
}
/** Command program: parameters are `name: root` or `name: param Bank`. */
export interface CommandDef extends DeclBase {
  readonly kind: 'command';
  readonly params: readonly Param[];
  readonly body: Block;
}
export interface CheckDef extends DeclBase {
  readonly kind: 'check';
  readonly body: Block;
}

/** '' for plain parameters; `root` and `param` occur in command programs only. */
export type ParamMode = '' | 'in' | 'out' | 'inout' | 'acc' | 'root' | 'param';

export interface Param {
  readonly kind: 'param';
  readonly at: At;
  readonly name: string;
  readonly mode: ParamMode;
  /** null for `name: root`. */
  readonly type: TypeExpr | null;
}

// --- types -----------------------------------------------------------------------------------

export type TypeExpr = NamedType | ArrayType | FuncType;

/** `i32`, `list<i64>`, `view<f32x4>`, `a.b.Tok`, `hal.buffer`. Arguments: types or constants. */
export interface NamedType {
  readonly kind: 'namedType';
  readonly at: At;
  readonly name: string;
  readonly args: readonly TemplateArg[];
}
export interface ArrayType {
  readonly kind: 'arrayType';
  readonly at: At;
  readonly elem: TypeExpr;
  readonly count: Expr;
}
export interface FuncType {
  readonly kind: 'funcType';
  readonly at: At;
  readonly params: readonly TypeExpr[];
  readonly results: readonly TypeExpr[];
}

/**
 * A template argument as written. A bare name may denote a type or a constant: the parser yields a
 * `namedType` without arguments only for built-in type names and `T<...>`/`T[...]` forms, otherwise
 * a `name` expression; the elaborator decides.
 */
export type TemplateArg = TypeExpr | Expr;

// --- statements ------------------------------------------------------------------------------

export interface Block {
  readonly kind: 'block';
  readonly at: At;
  readonly stmts: readonly Stmt[];
}

export type AssignOp = '=' | '+=' | '-=' | '*=';

export type Stmt =
  /** `let a = e`, `let (a, b) = e`, `let a : T = e`. */
  | { kind: 'let'; at: At; names: readonly string[]; type: TypeExpr | null; value: Expr }
  /** `var a = e`, `var a : T`, `var a : T = e`: at least one of type and value. */
  | { kind: 'var'; at: At; name: string; type: TypeExpr | null; value: Expr | null }
  | { kind: 'assign'; at: At; target: Expr; op: AssignOp; value: Expr }
  | { kind: 'if'; at: At; cond: Expr; then: Block; otherwise: Block | null }
  | {
      kind: 'for';
      at: At;
      name: string;
      from: Expr;
      to: Expr;
      step: Expr | null;
      unroll: boolean;
      body: Block;
    }
  | { kind: 'while'; at: At; cond: Expr; body: Block }
  | { kind: 'break'; at: At }
  | { kind: 'continue'; at: At }
  /** `return`, `return e`, `return (a, b)`: the tuple is spread into `values`. */
  | { kind: 'return'; at: At; values: readonly Expr[] }
  /** An expression as a statement: always a `call`. */
  | { kind: 'do'; at: At; value: Expr }
  | { kind: 'parallel'; at: At; name: string; from: Expr; to: Expr; body: Block }
  | { kind: 'once'; at: At; body: Block }
  | { kind: 'shared'; at: At; name: string; type: TypeExpr }
  | { kind: 'private'; at: At; name: string; type: TypeExpr }
  /** `workspace [zero] [invocation] name : T[N]`; `invocation` keeps it over parts. */
  | { kind: 'workspace'; at: At; name: string; type: TypeExpr; zero: boolean; invocation: boolean }
  /**
   * `dispatch k<...>(args) grid(x[, y[, z]])` or `... grid indirect(view, index)`; an empty grid is
   * the kernel's own. The kernel is a `symbol` node (written without `@`); an indirect grid holds
   * exactly the view and the index.
   */
  | {
      kind: 'dispatch';
      at: At;
      kernel: Expr;
      args: readonly Expr[];
      grid: readonly Expr[];
      indirect: boolean;
    }
  | { kind: 'part'; at: At };

// --- expressions -----------------------------------------------------------------------------

export type UnaryOp = '-' | '!' | '~';
export type BinaryOp =
  | '+'
  | '-'
  | '*'
  | '/'
  | '%'
  | '<<'
  | '>>'
  | '&'
  | '|'
  | '^'
  | '=='
  | '!='
  | '<'
  | '<='
  | '>'
  | '>='
  | '&&'
  | '||';

export type Expr =
  /** Decimal or 0x; `value` is the canonical decimal text, `unsigned` marks the `u` suffix. */
  | { kind: 'int'; at: At; value: string; unsigned: boolean; hex: boolean }
  /** `value` is the source text (kept, so that it prints as written). */
  | { kind: 'float'; at: At; value: string }
  | { kind: 'string'; at: At; value: string }
  | { kind: 'bool'; at: At; value: boolean }
  /**
   * A dotted path as far as the parser saw only `name.name`: resolution decides what is a member.
   */
  | { kind: 'name'; at: At; name: string }
  /** `@name` or `@name<args>`. */
  | { kind: 'symbol'; at: At; name: string; args: readonly TemplateArg[] }
  | { kind: 'unary'; at: At; op: UnaryOp; value: Expr }
  | { kind: 'binary'; at: At; op: BinaryOp; left: Expr; right: Expr }
  /**
   * `callee<args>(params)`; callee is a `name`, a `member` (method) or an array type constructor.
   */
  | { kind: 'call'; at: At; callee: Expr; typeArgs: readonly TemplateArg[]; args: readonly Expr[] }
  /** `i32[4](1, 2, 3, 4)`: an array value; no arguments means zeros. */
  | { kind: 'array'; at: At; type: ArrayType; args: readonly Expr[] }
  | { kind: 'index'; at: At; base: Expr; index: Expr }
  /** Member of something that is not a plain dotted name: `f(x).y`, `a[i].tail`. */
  | { kind: 'member'; at: At; base: Expr; name: string }
  /** `Cold { dim: 4 }`. */
  | { kind: 'record'; at: At; type: NamedType; fields: readonly FieldValue[] };

export interface FieldValue {
  readonly kind: 'fieldValue';
  readonly at: At;
  readonly name: string;
  readonly value: Expr;
}
