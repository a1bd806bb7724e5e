/**
 * Planning of an innermost loop: which of its accesses move through memory in constant steps, so
 * that their addresses become pointers, and which range checks before the loop make every check
 * inside it superfluous. Pure; the loop emitter turns a plan into two copies of the loop (checked
 * and unchecked) or, where every range is proved, into one.
 *
 * A group is a set of accesses that differ by constants only: one pointer, constant offsets.
 */
import type { Block, Expr, LocalId, Stmt, ViewId } from '../../loom/typed.js';
import { blocksOf, operandsOf, operandsOfStatement } from '../typed-walk.js';
import {
  affineOf,
  loopVariable,
  sameAffine,
  type Affine,
  type AffineEnvironment,
} from './affine.js';
import { intervalOf, I32_MAX, I32_MIN, type Interval, type Ranges } from './interval.js';
import { assignedIn } from './local-uses.js';
import { baseKey, placesOf, type Place, type PlaceBase } from './place.js';

export interface StreamGroup {
  readonly base: PlaceBase;
  /** Index without constants; `step`: elements moved when the loop variable grows by 1. */
  readonly affine: Affine;
  /** Lowest and highest constant part; the highest includes the width of the access. */
  readonly constants: { readonly lo: number; readonly hi: number };
  readonly members: readonly { readonly place: Place; readonly constant: number }[];
  /** Proved inside the base's constant count: no check before the loop. */
  readonly proved: boolean;
}

export interface StreamLoop {
  readonly local: LocalId;
  readonly body: Block;
  /** Values of the loop variable. */
  readonly range: Interval;
}

export interface PlanContext {
  readonly ranges: Ranges;
  /** Elements of a base when they are constant. */
  countOf(base: PlaceBase): number | null;
}

/** More pointers than this spill, and then a checked access is no worse. */
const GROUPS_MAX = 10;
const SPAN_MAX = 2 ** 20;

export function planStreams(loop: StreamLoop, context: PlanContext): readonly StreamGroup[] {
  const found = new BodyWalk(loop).run();
  return groupsOf(found, context)
    .map((group) => finishGroup(group, loop, context))
    .sort((a, b) => b.members.length - a.members.length)
    .slice(0, GROUPS_MAX);
}

interface FoundGroup {
  readonly base: PlaceBase;
  readonly members: { readonly place: Place; readonly affine: Affine }[];
}

/**
 * The accesses that can share a pointer: those that differ by constants only. V8 folds no constant
 * into the address of a load that broadcasts, so each row of a take has its own pointer.
 */
function groupsOf(found: Found, context: PlanContext): readonly FoundGroup[] {
  const groups = new Map<string, FoundGroup>();
  for (const [place, affine] of found.places) {
    if (affine === null || !subProved(place, context.ranges)) continue;
    const terms = [...affine.terms].map(([key, term]) => `${term.coefficient}*${key}`).sort();
    const bucket = Math.floor(affine.constant / SPAN_MAX);
    const own = found.rows.has(place) ? affine.constant : '';
    const key = `${baseKey(place.base)}|${place.access === 'write'}|${affine.step}|${bucket}|${own}|${terms.join()}`;
    const group = groups.get(key);
    if (group) group.members.push({ place, affine });
    else groups.set(key, { base: place.base, members: [{ place, affine }] });
  }
  return [...groups.values()];
}

function subProved(place: Place, ranges: Ranges): boolean {
  if (!place.sub) return true;
  // Only a constant sub-index keeps the offset constant.
  const at = intervalOf(place.sub.index, ranges);
  return at.lo === at.hi && at.lo >= 0 && at.lo < place.sub.count;
}

function finishGroup(group: FoundGroup, loop: StreamLoop, context: PlanContext): StreamGroup {
  const members = group.members.map(({ place, affine }) => ({ place, constant: affine.constant }));
  const lo = Math.min(...members.map((member) => member.constant));
  const hi = Math.max(
    ...members.map((member) => member.constant + Math.max(member.place.width, 1) - 1),
  );
  const affine = { ...group.members[0]!.affine, constant: 0 };
  const count = context.countOf(group.base);
  let proved = false;
  if (count !== null) {
    const index = affineInterval(affine, loop.range, context.ranges);
    proved =
      index.lo + lo >= 0 &&
      index.hi + hi < count &&
      index.lo + lo >= I32_MIN &&
      index.hi + hi <= I32_MAX;
  }
  return { base: group.base, affine, constants: { lo, hi }, members, proved };
}

/** Exact bounds of an affine form; a proof of no wrapping when they are within i32. */
function affineInterval(affine: Affine, loop: Interval, ranges: Ranges): Interval {
  let lo = affine.constant;
  let hi = affine.constant;
  const add = (values: Interval, coefficient: number) => {
    lo += coefficient * (coefficient < 0 ? values.hi : values.lo);
    hi += coefficient * (coefficient < 0 ? values.lo : values.hi);
  };
  for (const { atom, coefficient } of affine.terms.values())
    add(intervalOf(atom, ranges), coefficient);
  add(loop, affine.step);
  return { lo, hi };
}

interface Found {
  readonly places: ReadonlyMap<Place, Affine | null>;
  /** Places of takes. */
  readonly rows: ReadonlySet<Place>;
}

/** Walks the body once in program order and finds the affine index of every access. */
class BodyWalk {
  readonly #found = new Map<Place, Affine | null>();
  readonly #rows = new Set<Place>();
  readonly #views: ReadonlySet<ViewId>;
  #env: AffineEnvironment;

  readonly loop: StreamLoop;

  constructor(loop: StreamLoop) {
    this.loop = loop;
    const assigned = assignedIn(loop.body);
    this.#views = assigned.views;
    const locals = new Map<LocalId, Affine | null>();
    for (const local of assigned.locals) locals.set(local, null);
    // A body that assigns its own loop variable keeps a private copy: not affine.
    locals.set(loop.local, assigned.locals.has(loop.local) ? null : loopVariable);
    this.#env = { locals, views: assigned.views };
  }

  run(): Found {
    this.#block(this.loop.body);
    return { places: this.#found, rows: this.#rows };
  }

  #block(block: Block): void {
    for (const stmt of block.stmts) this.#statement(stmt);
  }

  #statement(stmt: Stmt): void {
    this.#note(stmt);
    // The value is taken before the operands' own assignments: it sees them by `affineOf`.
    const value = stmt.op === 'set' ? affineOf(stmt.value, this.#env) : null;
    for (const operand of operandsOfStatement(stmt)) this.#expression(operand);
    if (stmt.op === 'set') this.#env.locals.set(stmt.local, value);
    else if (stmt.op === 'view.take')
      for (const local of stmt.locals) this.#env.locals.set(local, null);
    if (stmt.op === 'if') this.#branches(stmt.then, stmt.otherwise);
    else for (const nested of blocksOf(stmt)) this.#unordered(nested);
  }

  /** Both ways of an `if`; where they differ, nothing is known afterwards. */
  #branches(then: Block, otherwise: Block | null): void {
    const before = this.#env;
    const thenEnv = { ...before, locals: new Map(before.locals) };
    const elseEnv = { ...before, locals: new Map(before.locals) };
    this.#env = thenEnv;
    this.#block(then);
    this.#env = elseEnv;
    if (otherwise) this.#block(otherwise);
    const joined = new Map<LocalId, Affine | null>();
    for (const [local, value] of this.#env.locals) {
      joined.set(local, sameAffine(value, thenEnv.locals.get(local) ?? null) ? value : null);
    }
    this.#env = { ...before, locals: joined };
  }

  /** A labelled block may be left anywhere: what it assigns is unknown after it. */
  #unordered(block: Block): void {
    this.#block(block);
    for (const local of assignedIn(block).locals) this.#env.locals.set(local, null);
  }

  #expression(expr: Expr): void {
    this.#note(expr);
    if (expr.op === 'block') this.#block(expr.body);
    for (const operand of operandsOf(expr)) this.#expression(operand);
  }

  #note(node: Expr | Stmt): void {
    placesOf(node).forEach((place) => {
      if (node.op === 'view.take') this.#rows.add(place);
      const redefined = 'view' in place.base && this.#views.has(place.base.view);
      const affine = redefined ? null : affineOf(place.index, this.#env);
      const known = this.#found.get(place);
      // A node that occurs twice keeps one plan only if both occurrences agree.
      const agreed = known === undefined || sameAffine(known, affine) ? affine : null;
      this.#found.set(place, agreed);
    });
  }
}
