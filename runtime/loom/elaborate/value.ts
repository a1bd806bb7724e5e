/**
 * What an expression denotes while a body is elaborated. Only `expr` values exist at run time; all
 * others (constants, views, references into buffers, ranges of a command program, functions) are
 * compile-time things that members, indices and calls turn into expressions of the typed tree.
 */
import type {
  BufferElem,
  Expr,
  LayoutField,
  LayoutType,
  LocalId,
  PrivateId,
  Range,
  SharedId,
  Stmt,
  Type,
  ViewId,
  WordExpr,
} from '../typed.js';
import type { Declaration } from './catalog.js';
import type { BankType, Element, Term } from './types.js';

/** Lane-invariant or not. On the host everything is uniform. */
export type Rank = 'uniform' | 'lane';

/**
 * A constant. `type` null: flexible, it adapts to the type needed (integers are exact bigints,
 * reals are numbers). With a type it is fixed and folds with the wrapping of that type.
 */
export interface ConstValue {
  readonly kind: 'const';
  readonly type: Type | null;
  readonly value: bigint | number | boolean | string;
}

export interface ExprValue {
  readonly kind: 'expr';
  readonly expr: Expr;
  readonly rank: Rank;
}

/** `tok[t]` of a view of layouts. `loads` is where a `let` reads the fields that are used. */
export interface ViewElementValue {
  readonly kind: 'viewElement';
  readonly view: ViewValue;
  readonly layout: LayoutType;
  readonly index: Expr;
  readonly rank: Rank;
  readonly loads: Stmt[] | null;
  readonly loaded: Map<string, Value>;
}

export interface ViewValue {
  readonly kind: 'view';
  readonly view: ViewId;
  readonly element: Element;
  readonly access: 'in' | 'out' | 'inout' | 'acc';
}

export interface FunctionRef {
  readonly declaration: Declaration;
  readonly bindings: TemplateBindings;
  /** Full name and template arguments: the identity of the instance. */
  readonly key: string;
}

export type TemplateValue =
  /** While a template is checked without arguments; whoever asks for it is poisoned. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'const'; readonly value: ConstValue }
  | { readonly kind: 'type'; readonly term: Term }
  | { readonly kind: 'func'; readonly ref: FunctionRef }
  | {
      readonly kind: 'symbol';
      readonly name: string;
      readonly args: readonly string[];
      readonly declaration: Declaration | null;
    };

export type TemplateBindings = ReadonlyMap<string, TemplateValue>;

export type Value =
  | ConstValue
  | ExprValue
  | ViewElementValue
  | ViewValue
  | { readonly kind: 'tuple'; readonly items: readonly Value[] }
  /** Named parts that exist only until they are read: `reduce_argmax`. */
  | { readonly kind: 'parts'; readonly parts: ReadonlyMap<string, Value> }
  /** Register array on a device, or an array of constants. `locals` when it is a `var`. */
  | {
      readonly kind: 'array';
      readonly elem: Type;
      readonly items: readonly Value[];
      readonly locals: readonly LocalId[] | null;
    }
  | { readonly kind: 'viewField'; readonly element: ViewElementValue; readonly field: LayoutField }
  | {
      readonly kind: 'shared';
      readonly shared: SharedId;
      readonly elem: Type;
      readonly count: number;
    }
  | {
      readonly kind: 'sharedSlice';
      readonly shared: SharedId;
      readonly elem: Type;
      readonly first: Expr;
      readonly count: number;
    }
  | {
      readonly kind: 'private';
      readonly slot: PrivateId;
      readonly elem: Type;
      readonly count: number;
    }
  /** `b.i64`: elements of a host buffer. */
  | { readonly kind: 'elements'; readonly buffer: Expr; readonly elem: BufferElem }
  /** `b.at<L>(k)`: record `index` of size `layout.size` in a host buffer. */
  | {
      readonly kind: 'layoutRef';
      readonly buffer: Expr;
      readonly index: Expr;
      readonly layout: LayoutType;
    }
  | {
      readonly kind: 'layoutField';
      readonly ref: Extract<Value, { kind: 'layoutRef' }>;
      readonly field: LayoutField;
    }
  | { readonly kind: 'func'; readonly ref: FunctionRef }
  | {
      readonly kind: 'symbol';
      readonly name: string;
      readonly args: readonly string[];
      readonly declaration: Declaration | null;
    }
  | { readonly kind: 'term'; readonly term: Term }
  /** A declaration that is not a value by itself (templates before their arguments). */
  | { readonly kind: 'declaration'; readonly declaration: Declaration }
  // command programs
  | { readonly kind: 'root'; readonly root: number }
  | { readonly kind: 'range'; readonly range: Range; readonly element: Element | null }
  | { readonly kind: 'word'; readonly word: WordExpr }
  | { readonly kind: 'bank'; readonly bank: number; readonly type: BankType; readonly path: string }
  | {
      readonly kind: 'banks';
      readonly bank: number;
      readonly type: BankType;
      readonly path: string;
      readonly count: number;
    }
  /** The definition failed; any use is silent. */
  | { readonly kind: 'poison' };

export const POISON: Value = { kind: 'poison' };

export const int = (value: bigint | number): ConstValue => ({
  kind: 'const',
  type: null,
  value: BigInt(value),
});

/** What a value is, for messages. */
export function describeKind(value: Value): string {
  switch (value.kind) {
    case 'const':
      return typeof value.value === 'bigint' ? 'an integer constant' : 'a constant';
    case 'viewElement':
    case 'layoutRef':
      return `a ${value.layout.name}; use one of its fields`;
    case 'viewField':
    case 'layoutField':
      return `the array field '${value.field.name}'; use one of its elements`;
    case 'shared':
    case 'sharedSlice':
      return 'a shared array; use one of its elements';
    case 'private':
      return 'a private array; use one of its elements';
    case 'tuple':
      return value.items.length === 0 ? 'a call without a result' : 'several results';
    case 'parts':
      return `a result with the parts ${[...value.parts.keys()].map((name) => `.${name}`).join(', ')}`;
    case 'func':
      return 'a function';
    case 'term':
      return 'a type';
    case 'declaration':
      return `the ${value.declaration.decl.kind} '${value.declaration.name}'`;
    default:
      return `a ${value.kind}`;
  }
}
