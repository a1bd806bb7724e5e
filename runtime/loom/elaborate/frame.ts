/**
 * Where elaboration stands while it walks one body: the file whose names are seen, the template
 * bindings, the lexical scope, the statements emitted so far, and the program part under
 * construction. Inlined functions get a frame of their own that shares the caller's `body`.
 */
import type { Place } from '../diagnostics.js';
import type { At, Block as SyntaxBlock, Expr as SyntaxExpr, TypeExpr } from '../tree.js';
import { siteOf } from '../typed.js';
import type { Block, Expr, Local, LocalId, Site, Stmt, Type } from '../typed.js';
import type { CatalogFile } from './catalog.js';
import type { CommandBuilder } from './command-builder.js';
import { closeBlock } from './cost.js';
import type { HostBuilder } from './host-builder.js';
import type { KernelBuilder } from './kernel-builder.js';
import { Problem } from './problem.js';
import type { ProblemOptions } from './problem.js';
import type { Session } from './session.js';
import type { Term } from './types.js';
import { POISON } from './value.js';
import type { Rank, TemplateBindings, Value } from './value.js';

export type World = 'const' | 'host' | 'device' | 'command';

/** A region of lanes; kernel-level code has none. */
export interface Region {
  readonly exact: boolean;
}

export interface Binding {
  readonly value: Value;
  readonly at: At;
  /** A `var`: may be assigned, in the region (or at the level) that declared it. */
  readonly variable: boolean;
  readonly region: Region | null;
}

/** How `break` and `continue` leave the innermost loop: by statement, or by label if unrolled. */
export interface LoopTarget {
  readonly exit: number | null;
  readonly next: number | null;
}

export type ReturnTarget =
  | { readonly kind: 'host'; readonly results: readonly Type[] }
  | { readonly kind: 'kernel' }
  /** Inlined: `values` are kept where the only return is the last statement. */
  | { readonly kind: 'tail'; readonly results: readonly Type[]; values: readonly Value[] | null }
  | {
      readonly kind: 'label';
      readonly results: readonly Type[];
      readonly label: number;
      readonly locals: readonly LocalId[];
    }
  /** Of a template whose results depend on arguments that are not known. */
  | { readonly kind: 'unknown'; readonly count: number }
  | { readonly kind: 'none' };

/** Locals and counters of one function or kernel. */
export class Body {
  readonly locals: Local[] = [];
  nodes = 0;
  labels = 0;
  /** Nested calls being inlined, and `nodes` where the outermost of them began. */
  depth = 0;
  inlineStart = 0;

  local(name: string, type: Type): LocalId {
    return this.locals.push({ name, type }) - 1;
  }
}

export class Scope {
  readonly parent: Scope | null;
  /** Blocks around it that may or may not run; one chosen by a constant is as if it stood alone. */
  readonly level: number;
  readonly #bindings = new Map<string, Binding>();

  constructor(parent: Scope | null, level = parent === null ? 0 : parent.level + 1) {
    this.parent = parent;
    this.level = level;
  }

  find(name: string): Binding | null {
    return this.#bindings.get(name) ?? this.parent?.find(name) ?? null;
  }

  here(name: string): Binding | null {
    return this.#bindings.get(name) ?? null;
  }

  set(name: string, binding: Binding): void {
    this.#bindings.set(name, binding);
  }
}

export interface FrameOptions {
  readonly session: Session;
  readonly file: CatalogFile;
  readonly bindings: TemplateBindings;
  readonly world: World;
  readonly body: Body;
  /** Literals default to i32 and f32 (devices, and host functions over device types only). */
  readonly narrow: boolean;
  /** A template without arguments: statements that need one are skipped, their blocks are not. */
  readonly generic?: boolean;
  readonly host?: HostBuilder | null;
  readonly kernel?: KernelBuilder | null;
  readonly command?: CommandBuilder | null;
  readonly returns: ReturnTarget;
  /** The template instances that this body belongs to, innermost first. */
  readonly instances?: readonly Place[];
}

/** A list under construction; nested arrays are filled later (see `ViewElementValue.loads`). */
type Emission = (Stmt | Stmt[])[];

export class Frame {
  readonly session: Session;
  readonly file: CatalogFile;
  readonly bindings: TemplateBindings;
  readonly world: World;
  readonly body: Body;
  readonly narrow: boolean;
  readonly generic: boolean;
  readonly host: HostBuilder | null;
  readonly kernel: KernelBuilder | null;
  readonly command: CommandBuilder | null;
  readonly returns: ReturnTarget;
  readonly instances: readonly Place[];
  scope: Scope = new Scope(null);
  region: Region | null = null;
  loops: LoopTarget[] = [];
  emission: Emission = [];

  constructor(options: FrameOptions) {
    this.session = options.session;
    this.file = options.file;
    this.bindings = options.bindings;
    this.world = options.world;
    this.body = options.body;
    this.narrow = options.narrow;
    this.generic = options.generic ?? false;
    this.host = options.host ?? null;
    this.kernel = options.kernel ?? null;
    this.command = options.command ?? null;
    this.returns = options.returns;
    this.instances = options.instances ?? [];
  }

  site(at: At): Site {
    return siteOf(this.file.index, at);
  }

  problem(at: At, message: string, hint?: string, options: ProblemOptions = {}): Problem {
    const all = hint === undefined ? options : { ...options, hint };
    return new Problem({ file: this.file.file, at }, message, all);
  }

  // --- walking (wired by the session, so that files of rules need not know each other)

  eval(expr: SyntaxExpr): Value {
    return this.session.engine.evaluate(this, expr);
  }

  term(expr: TypeExpr): Term {
    return this.session.engine.term(this, expr);
  }

  statements(block: SyntaxBlock): void {
    this.session.engine.statements(this, block);
  }

  // --- emission

  emit(stmt: Stmt): void {
    this.emission.push(stmt);
  }

  /** A place whose statements are decided later; it stays where it was made. */
  reserve(): Stmt[] {
    const later: Stmt[] = [];
    this.emission.push(later);
    return later;
  }

  /** Runs `action` with an emission of its own. */
  capture<T>(action: () => T): {
    readonly value: T;
    readonly block: () => Block;
    readonly empty: () => boolean;
  } {
    const outer = this.emission;
    const inner: Emission = [];
    this.emission = inner;
    try {
      const value = action();
      // Closed when asked for: reserved places may still fill up until then.
      return {
        value,
        block: () => closeBlock(inner.flat()),
        empty: () => inner.flat().length === 0,
      };
    } finally {
      this.emission = outer;
    }
  }

  /** A nested block of syntax in a scope of its own. */
  nested(action: () => void): Block {
    return this.capture(() => this.scoped(action)).block();
  }

  scoped<T>(action: () => T, level?: number): T {
    const outer = this.scope;
    this.scope = new Scope(outer, level);
    try {
      return action();
    } finally {
      this.scope = outer;
    }
  }

  /** A new local set to `expr`, as a value. */
  hold(name: string, expr: Expr, rank: Rank): Value {
    const local = this.body.local(name, expr.type);
    this.emit({ op: 'set', site: expr.site, local, value: expr });
    return this.localValue(local, expr.site, rank);
  }

  localValue(local: LocalId, site: Site, rank: Rank): Value {
    const { type } = this.body.locals[local] as Local;
    return { kind: 'expr', expr: { op: 'local', type, site, local }, rank };
  }

  // --- names

  define(name: string, at: At, value: Value, variable = false): void {
    const earlier = this.scope.here(name);
    if (earlier !== null && name !== '_') {
      const related = [{ file: this.file.file, at: earlier.at, message: 'it is first bound here' }];
      this.scope.set(name, { value: POISON, at, variable, region: this.region });
      throw this.problem(at, `'${name}' is bound twice`, undefined, { related });
    }
    this.scope.set(name, { value, at, variable, region: this.region });
  }

  /** Rank of what is computed from `exprs`. */
  rankOf(...values: readonly Value[]): Rank {
    const lane = values.some((value) => 'rank' in value && value.rank === 'lane');
    return lane ? 'lane' : 'uniform';
  }

  get isKernelLevel(): boolean {
    return this.world === 'device' && this.region === null;
  }
}
