/**
 * Affine forms of i32 expressions: constant + Σ coefficient · atom, modulo 2^32. An atom is a value
 * that does not change while a loop runs (an entry value of a local, a workgroup coordinate, a pure
 * expression of those) or the loop variable itself. Because the form is equal to the expression as
 * the program computes it, wrapping included, an address derived from it needs no extra proof; the
 * range proofs are the loop planner's business.
 */
import type { Expr, LocalId, Site, Type, ViewId } from '../../loom/typed.js';
import { operandsOf } from '../typed-walk.js';

export interface Term {
  /** An expression over entry values. */
  readonly atom: Expr;
  readonly coefficient: number;
}

export interface Affine {
  readonly constant: number;
  /** By structural key of the atom. */
  readonly terms: ReadonlyMap<string, Term>;
  /** Coefficient of the loop variable. */
  readonly step: number;
}

/** Coefficients beyond this are not worth reducing, and products of them stay exact. */
const COEFFICIENT_MAX = 2 ** 30;
/** Atoms larger than this (in nodes) are not repeated before a loop. */
const ATOM_NODES_MAX = 24;

/**
 * What the loop body has done so far. `locals` holds every local that the loop assigns, with its
 * current affine value or null; a local that is absent still has its entry value. `views` are the
 * tiles and slices that the loop defines: their lengths are not entry values.
 */
export interface AffineEnvironment {
  readonly locals: Map<LocalId, Affine | null>;
  readonly views: ReadonlySet<ViewId>;
}

const none: ReadonlyMap<string, Term> = new Map();
export const affineConstant = (constant: number): Affine => ({
  constant: constant | 0,
  terms: none,
  step: 0,
});
export const loopVariable: Affine = { constant: 0, terms: none, step: 1 };

function combine(a: Affine, b: Affine, sign: 1 | -1): Affine | null {
  const terms = new Map(a.terms);
  for (const [key, term] of b.terms) {
    const coefficient = (terms.get(key)?.coefficient ?? 0) + sign * term.coefficient;
    if (Math.abs(coefficient) > COEFFICIENT_MAX) return null;
    if (coefficient === 0) terms.delete(key);
    else terms.set(key, { atom: term.atom, coefficient });
  }
  const step = a.step + sign * b.step;
  if (Math.abs(step) > COEFFICIENT_MAX) return null;
  return { constant: (a.constant + sign * b.constant) | 0, terms, step };
}

function scale(a: Affine, factor: number): Affine | null {
  if (factor === 0) return affineConstant(0);
  const terms = new Map<string, Term>();
  for (const [key, term] of a.terms) {
    const coefficient = term.coefficient * factor;
    if (Math.abs(coefficient) > COEFFICIENT_MAX) return null;
    terms.set(key, { atom: term.atom, coefficient });
  }
  if (Math.abs(a.step * factor) > COEFFICIENT_MAX) return null;
  return { constant: Math.imul(a.constant, factor), terms, step: a.step * factor };
}

export function sumAffine(a: Affine | null, b: Affine | null): Affine | null {
  return a && b ? combine(a, b, 1) : null;
}

export function scaleAffine(a: Affine | null, factor: number): Affine | null {
  return a && scale(a, factor);
}

const isConstant = (a: Affine): boolean => a.terms.size === 0 && a.step === 0;

/** The affine form of an i32 expression, or null. */
export function affineOf(expr: Expr, env: AffineEnvironment): Affine | null {
  if (expr.type.kind !== 'scalar' || expr.type.name !== 'i32') return null;
  switch (expr.op) {
    case 'const':
      return affineConstant(Number(expr.value));
    case 'local': {
      const known = env.locals.get(expr.local);
      return known === undefined ? atom(expr) : known;
    }
    case 'workgroup':
      return atom(expr);
    case 'negate':
      return scaleAffine(affineOf(expr.value, env), -1);
    case 'arithmetic':
      return arithmetic(expr, env);
    case 'block':
      return afterBlock(expr, env);
    default:
      return opaque(expr, env);
  }
}

/** An inlined function: its assignments, if it has nothing else, then its value. */
function afterBlock(expr: Expr & { readonly op: 'block' }, env: AffineEnvironment): Affine | null {
  const inner = { locals: new Map(env.locals), views: env.views };
  for (const stmt of expr.body.stmts) {
    if (stmt.op !== 'set') return null;
    inner.locals.set(stmt.local, affineOf(stmt.value, inner));
  }
  return affineOf(expr.value, inner);
}

function arithmetic(
  expr: Expr & { readonly op: 'arithmetic' },
  env: AffineEnvironment,
): Affine | null {
  const { operator } = expr;
  if (operator !== '+' && operator !== '-' && operator !== '*' && operator !== '<<')
    return opaque(expr, env);
  const left = affineOf(expr.left, env);
  const right = affineOf(expr.right, env);
  if (!left || !right) return null;
  if (operator === '+') return combine(left, right, 1);
  if (operator === '-') return combine(left, right, -1);
  if (operator === '<<') {
    if (isConstant(right)) return scale(left, 2 ** Math.min(right.constant & 31, 31));
  } else if (isConstant(right)) {
    return scale(left, right.constant);
  } else if (isConstant(left)) {
    return scale(right, left.constant);
  }
  return opaque(expr, env);
}

function atom(expr: Expr): Affine {
  return { constant: 0, terms: new Map([[keyOf(expr), { atom: expr, coefficient: 1 }]]), step: 0 };
}

/** A pure expression of entry values as one atom; null if it depends on the loop or on memory. */
function opaque(expr: Expr, env: AffineEnvironment): Affine | null {
  const count = { nodes: 0 };
  const rebuilt = overEntryValues(expr, env, count);
  return rebuilt && count.nodes <= ATOM_NODES_MAX ? atom(rebuilt) : null;
}

/** The expression with every local replaced by its value in terms of entry values. */
function overEntryValues(
  expr: Expr,
  env: AffineEnvironment,
  count: { nodes: number },
): Expr | null {
  if (++count.nodes > ATOM_NODES_MAX) return null;
  const within = (operand: Expr) => overEntryValues(operand, env, count);
  switch (expr.op) {
    case 'const':
    case 'workgroup':
      return expr;
    case 'view.length':
      return env.views.has(expr.view) ? null : expr;
    case 'local': {
      const known = env.locals.get(expr.local);
      if (known === undefined) return expr;
      return known && known.step === 0 ? affineExpression(known, expr.site) : null;
    }
    case 'arithmetic':
    case 'compare': {
      const left = within(expr.left);
      const right = left && within(expr.right);
      return left && right && { ...expr, left, right };
    }
    case 'negate':
    case 'invert':
    case 'not':
    case 'convert': {
      const value = within(expr.value);
      return value && { ...expr, value };
    }
    case 'intrinsic': {
      const args = expr.args.map(within);
      return args.every((arg) => arg !== null) ? { ...expr, args: args as Expr[] } : null;
    }
    default:
      return null;
  }
}

const i32Type: Type = { kind: 'scalar', name: 'i32' };

/** An affine form without its loop variable, as an expression that computes it. */
export function affineExpression(affine: Affine, site: Site): Expr {
  const constant = (value: number): Expr => ({ op: 'const', type: i32Type, site, value });
  const binary = (operator: '+' | '*', left: Expr, right: Expr): Expr => ({
    op: 'arithmetic',
    operator,
    left,
    right,
    type: i32Type,
    site,
  });
  let sum: Expr | null = null;
  for (const { atom: value, coefficient } of affine.terms.values()) {
    const term = coefficient === 1 ? value : binary('*', value, constant(coefficient));
    sum = sum ? binary('+', sum, term) : term;
  }
  if (!sum) return constant(affine.constant);
  return affine.constant === 0 ? sum : binary('+', sum, constant(affine.constant));
}

/** Structural identity of a pure expression. */
export function keyOf(expr: Expr): string {
  switch (expr.op) {
    case 'const':
      return `#${String(expr.value)}`;
    case 'local':
      return `l${expr.local}`;
    case 'workgroup':
      return `w${expr.axis}`;
    case 'view.length':
      return `n${expr.view}`;
    default: {
      const name = 'operator' in expr ? expr.operator : 'name' in expr ? expr.name : '';
      const type = expr.type.kind === 'scalar' ? expr.type.name : expr.type.kind;
      return `(${expr.op}${name}:${type} ${operandsOf(expr).map(keyOf).join(' ')})`;
    }
  }
}

export function sameAffine(a: Affine | null, b: Affine | null): boolean {
  if (!a || !b) return a === b;
  if (a.constant !== b.constant || a.step !== b.step || a.terms.size !== b.terms.size) return false;
  for (const [key, term] of a.terms) {
    if (b.terms.get(key)?.coefficient !== term.coefficient) return false;
  }
  return true;
}
