/**
 * The versions of an innermost loop. Its plan groups accesses that move in constant steps; before
 * the loop the extreme indices of each unproved group are checked once:
 *   all inside        → pointers, no check in the loop (the only version where all is proved)
 *   each access wholly inside or wholly outside → pointers too; those outside stay on the zero page
 *                       or the sink (the tail rows of a matrix product are such a case)
 *   otherwise         → every access is checked by itself
 */
import { affineExpression } from './affine.js';
import type { CountedLoop, Counter } from './counted-loop.js';
import { emitScale } from './emit-address.js';
import { I32_MAX } from './interval.js';
import {
  elementSizeOf,
  pushBase,
  pushLength,
  withRanges,
  type KernelScope,
} from './kernel-scope.js';
import type { Place } from './place.js';
import type { StreamGroup } from './stream-plan.js';

/** A pointer of a version of the loop. */
export interface Pointer {
  readonly pointer: number;
  /** Bytes that it moves each round. */
  readonly distance: { readonly constant: number } | { readonly local: number };
  readonly members: readonly { readonly place: Place; readonly offset: number }[];
}

export interface StreamVersions {
  readonly loop: CountedLoop;
  readonly counter: Counter;
  readonly plan: readonly StreamGroup[];
  /** Nodes of the body. */
  readonly nodes: number;
}

/** A group whose local `first` holds the index, without constants, of the first round. */
interface StartedGroup {
  readonly group: StreamGroup;
  readonly first: number;
}

/** Accesses for which the second version is worth its code, and the largest body for it. */
const APART_MEMBERS_MAX = 8;
const APART_NODES_MAX = 600;
/** Bytes of a constant offset, and elements that a pointer moves a round. */
const OFFSET_MAX = 2 ** 30;
const STEP_MAX = 2 ** 26;

export function emitStreams(
  scope: KernelScope,
  versions: StreamVersions,
  emitRounds: (pointers: readonly Pointer[]) => void,
): void {
  const { code } = scope;
  const { loop, counter } = versions;
  const usable = versions.plan.filter((group) => spanFits(scope, group, versions));
  if (usable.length === 0) return emitRounds([]);
  const started = usable.map((group) => ({ group, first: code.temp('i32') }));
  for (const { group, first } of started) {
    scope.emit.value(affineExpression(group.affine, 0));
    code.get(counter.value);
    emitScaleSigned(scope, group.affine.step);
    code.op('i32.add');
    code.set(first);
  }
  const unproved = started.filter(({ group }) => !group.proved);
  const together = () =>
    withPointers(
      scope,
      started.map((item) => wholeGroup(scope, loop, item)),
      emitRounds,
    );
  if (unproved.length === 0) {
    together();
  } else {
    pushAll(scope, unproved, (item) => pushInside(scope, versions, item, item.group.constants));
    code.if();
    together();
    code.else();
    emitApart(scope, versions, started, emitRounds);
    code.end();
  }
  for (const { first } of started) code.release('i32', first);
}

/** Emits a version with its pointers and gives their locals back. */
function withPointers(
  scope: KernelScope,
  pointers: readonly Pointer[],
  emitRounds: (pointers: readonly Pointer[]) => void,
): void {
  withRanges(scope, () => emitRounds(pointers));
  for (const { pointer, distance } of pointers) {
    scope.code.release('i32', pointer);
    if ('local' in distance) scope.code.release('i32', distance.local);
  }
}

/** The second and third version. */
function emitApart(
  scope: KernelScope,
  versions: StreamVersions,
  started: readonly StartedGroup[],
  emitRounds: (pointers: readonly Pointer[]) => void,
): void {
  const { code } = scope;
  const { loop } = versions;
  const split = started.filter(({ group }) => !group.proved).flatMap(membersApart);
  const several = split.length > 1 && split.length <= APART_MEMBERS_MAX;
  if (!several || versions.nodes > APART_NODES_MAX) return withRanges(scope, () => emitRounds([]));
  pushAll(scope, split, (item) => {
    pushInside(scope, versions, item, item.group.constants);
    pushOutside(scope, versions, item);
    code.op('i32.or');
  });
  code.if();
  const whole = started
    .filter(({ group }) => group.proved)
    .map((item) => wholeGroup(scope, loop, item));
  const apart = split.map((item) => memberApart(scope, versions, item));
  withPointers(scope, [...whole, ...apart], emitRounds);
  code.else();
  withRanges(scope, () => emitRounds([]));
  code.end();
}

/** Each distinct constant of a group as a group of its own. */
function membersApart({ group, first }: StartedGroup): StartedGroup[] {
  const byConstant = new Map<number, StreamGroup['members'][number][]>();
  for (const member of group.members) {
    byConstant.set(member.constant, [...(byConstant.get(member.constant) ?? []), member]);
  }
  return [...byConstant].map(([constant, members]) => {
    const width = Math.max(...members.map((member) => Math.max(member.place.width, 1)));
    return {
      first,
      group: { ...group, members, constants: { lo: constant, hi: constant + width - 1 } },
    };
  });
}

/** Conditions of all items, combined with "and". */
function pushAll<Item>(
  scope: KernelScope,
  items: readonly Item[],
  push: (item: Item) => void,
): void {
  items.forEach((item, index) => {
    push(item);
    if (index > 0) scope.code.op('i32.and');
  });
}

/** Multiplies by a coefficient that may be zero or negative. */
function emitScaleSigned(scope: KernelScope, factor: number): void {
  if (factor > 0) return emitScale(scope, factor);
  scope.code.i32(factor);
  scope.code.op('i32.mul');
}

/**
 * Indices of one loop must span less than 2^31, or the checks at its ends would prove nothing; and
 * constant parts must fit the offset of an instruction.
 */
function spanFits(
  scope: KernelScope,
  group: StreamGroup,
  { loop, counter }: StreamVersions,
): boolean {
  const { affine, constants, base } = group;
  const constantSpan = constants.hi - constants.lo;
  if (constantSpan * elementSizeOf(scope, base) > OFFSET_MAX) return false;
  if (Math.abs(affine.step) * loop.step > STEP_MAX) return false;
  if (counter.first === null || counter.last === null) return true;
  return Math.abs(affine.step) * (counter.last - counter.first) + constantSpan <= I32_MAX;
}

/** Pushes the lowest or the highest index that the loop touches. */
function pushExtreme(
  scope: KernelScope,
  { loop, counter }: StreamVersions,
  { group, first }: StartedGroup,
  which: 'lo' | 'hi',
): void {
  const { code } = scope;
  const { affine, constants } = group;
  code.get(first);
  if (affine.step !== 0 && affine.step < 0 === (which === 'lo')) {
    // The last round: end - step - from, times the coefficient.
    code.get(counter.end);
    code.i32(loop.step);
    code.op('i32.sub');
    code.get(counter.value);
    code.op('i32.sub');
    emitScaleSigned(scope, affine.step);
    code.op('i32.add');
  }
  if (constants[which] === 0) return;
  code.i32(constants[which]);
  code.op('i32.add');
}

/** Whether the whole span lies inside the base. */
function pushInside(
  scope: KernelScope,
  versions: StreamVersions,
  item: StartedGroup,
  span: StreamGroup['constants'],
): void {
  const { code } = scope;
  pushExtreme(scope, versions, item, 'lo');
  pushLength(scope, item.group.base);
  code.op('i32.lt_u');
  pushExtreme(scope, versions, item, 'hi');
  pushLength(scope, item.group.base);
  code.ops('i32.lt_u', 'i32.and');
  pushSpanGuard(scope, versions, item, span);
}

/** Whether the span, which may pass 2^31, meets no element: unsigned, it starts and ends beyond. */
function pushOutside(scope: KernelScope, versions: StreamVersions, item: StartedGroup): void {
  const { code } = scope;
  pushExtreme(scope, versions, item, 'lo');
  pushLength(scope, item.group.base);
  code.op('i32.ge_u');
  pushExtreme(scope, versions, item, 'hi');
  pushExtreme(scope, versions, item, 'lo');
  code.ops('i32.ge_u', 'i32.and');
  pushSpanGuard(scope, versions, item, item.group.constants);
}

/** With a dynamic trip count the span itself must be checked (combined with what is pushed). */
function pushSpanGuard(
  scope: KernelScope,
  { counter }: StreamVersions,
  { group }: StartedGroup,
  span: StreamGroup['constants'],
): void {
  if (counter.last !== null || group.affine.step === 0) return;
  const { code } = scope;
  code.get(counter.end);
  code.get(counter.value);
  code.op('i32.sub');
  code.i32(Math.floor((I32_MAX - (span.hi - span.lo)) / Math.abs(group.affine.step)));
  code.ops('i32.le_u', 'i32.and');
}

function membersOf(
  scope: KernelScope,
  { base, members, constants }: StreamGroup,
): Pointer['members'] {
  const size = elementSizeOf(scope, base);
  const shared = 'shared' in base ? scope.layout.shared[base.shared]! : 0;
  return members.map(({ place, constant }) => ({
    place,
    offset: (constant - constants.lo) * size + shared,
  }));
}

/** Pushes base + (first index + lowest constant) * size. */
function pushStart(scope: KernelScope, { group, first }: StartedGroup): void {
  const { code } = scope;
  pushBase(scope, group.members[0]!.place);
  code.get(first);
  if (group.constants.lo !== 0) {
    code.i32(group.constants.lo);
    code.op('i32.add');
  }
  emitScale(scope, elementSizeOf(scope, group.base));
  code.op('i32.add');
}

const distanceOf = (scope: KernelScope, loop: CountedLoop, group: StreamGroup): number =>
  group.affine.step * loop.step * elementSizeOf(scope, group.base);

function wholeGroup(scope: KernelScope, loop: CountedLoop, item: StartedGroup): Pointer {
  const pointer = scope.code.temp('i32');
  pushStart(scope, item);
  scope.code.set(pointer);
  const constant = distanceOf(scope, loop, item.group);
  return { pointer, distance: { constant }, members: membersOf(scope, item.group) };
}

/** A pointer that moves if its access is inside, and rests on zeros or on the sink if not. */
function memberApart(scope: KernelScope, versions: StreamVersions, item: StartedGroup): Pointer {
  const { code } = scope;
  const pointer = code.temp('i32');
  const inside = code.temp('i32');
  const { access } = item.group.members[0]!.place;
  pushInside(scope, versions, item, item.group.constants);
  code.set(inside);
  pushStart(scope, item);
  code.get(access === 'read' ? scope.fixed.zeroPage : scope.fixed.sink);
  code.get(inside);
  code.op('select');
  code.set(pointer);
  code.i32(distanceOf(scope, versions.loop, item.group));
  code.i32(0);
  code.get(inside);
  code.op('select');
  code.set(inside);
  return { pointer, distance: { local: inside }, members: membersOf(scope, item.group) };
}
