/** What the emission of one kernel knows and shares. Made by `emit-kernel.ts` alone. */
import type { Block, Expr, Kernel, LocalId, Stmt, ViewId } from '../../loom/typed.js';
import type { Ranges } from '../kernel/interval.js';
import type { Barrier } from './barriers.js';
import type { Jumps } from './jumps.js';
import type { Prelude } from './prelude.js';
import type { SharedArray } from './shared-functions.js';
import type { ViewParam } from './view-functions.js';
import type { WgslTarget } from './wgsl-program.js';
import { stemOf, type Shape, type Value } from './wgsl-types.js';
import type { WgslWriter } from './wgsl-writer.js';

export interface WgslScope {
  /** Expressions and blocks refer to each other; both go through here. */
  readonly emit: { value(expr: Expr): Value; block(block: Block): void };
  readonly kernel: Kernel;
  readonly target: WgslTarget;
  readonly code: WgslWriter;
  readonly prelude: Prelude;
  readonly jumps: Jumps;
  readonly views: readonly ViewParam[];
  readonly shared: readonly SharedArray[];
  /** Names of locals, of views (tiles and slices too) and of elements of private arrays. */
  readonly locals: readonly string[];
  readonly viewNames: readonly string[];
  readonly privates: readonly (readonly string[])[];
  readonly lets: ReadonlySet<LocalId>;
  /** What is known of locals that keep their value: counters, lanes, and `let`s. */
  readonly ranges: Ranges;
  /** Position of a view's parameter in `views`. */
  readonly paramOf: (view: ViewId) => number;
  readonly barriers: ReadonlyMap<Stmt, Barrier>;
  readonly uniform: ReadonlySet<Expr | Stmt>;
  /** Dots of bytes of which only the sum of lanes is ever looked at. */
  readonly totals: ReadonlySet<Expr>;
  /** `take`s that a subgroup reaches as a whole. */
  readonly sharedTakes: ReadonlySet<Stmt>;
  /** Further arrays in workgroup memory: name, shape, elements. */
  readonly scratch: Map<string, { readonly shape: Shape; count: number }>;
  readonly needs: Set<'packed_4x8_integer_dot_product' | 'subgroups'>;
}

export const textOf = (scope: WgslScope, expr: Expr): string => scope.emit.value(expr).text;

export const baseOf = (scope: WgslScope, view: ViewId): string => `${scope.viewNames[view]!}_base`;

export const lengthOf = (scope: WgslScope, view: ViewId): string =>
  `${scope.viewNames[view]!}_length`;

export const viewOf = (scope: WgslScope, view: ViewId): ViewParam =>
  scope.views[scope.paramOf(view)]!;

/** Workgroup memory of at least `count` elements; several users may share one. */
export function scratchArray(scope: WgslScope, stem: string, shape: Shape, count: number): string {
  const name = `${stem}_${stemOf(shape)}`;
  const known = scope.scratch.get(name);
  if (known) known.count = Math.max(known.count, count);
  else scope.scratch.set(name, { shape, count });
  return name;
}

/** The value of lane 0, uniform also in the eyes of WGSL. Waits twice. */
export function madeUniform(scope: WgslScope, text: string, shape: Shape): string {
  const { code } = scope;
  const place = `${scratchArray(scope, 'uniform', shape, 1)}[0]`;
  code.line(`if (lane == 0u) { ${place} = ${text}; }`);
  return code.let(`workgroupUniformLoad(&${place})`);
}

/** A name that no word of WGSL and no other name of the shader equals. */
export function safeName(name: string, id: number, kind: string): string {
  const letters = name.replaceAll(/[^A-Za-z0-9]+/g, '_').replace(/^[_0-9]+/, '');
  return `${letters === '' ? kind : letters}_${kind}${id}`;
}

export const declared = (name: string, type: string): string => `var ${name}: ${type};`;
