/**
 * What a dispatch does to storage: overlaps inside one dispatch are errors, the first touch of a
 * workspace must write it, and the access of roots and their least size are reflected.
 */
import type { At } from '../tree.js';
import type { Range } from '../typed.js';
import type { CommandBuilder, WorkspaceState } from './command-builder.js';
import type { Frame } from './frame.js';
import { elementAlign, elementName, sameElement } from './types.js';
import type { Element } from './types.js';

export interface Argument {
  readonly range: Range;
  readonly access: 'in' | 'out' | 'inout' | 'acc';
  readonly element: Element;
  readonly at: At;
  readonly name: string;
}

/** Longest range that every device binds; a longer one makes the program depend on the device. */
const portableBindingBytes = 128 * 1024 * 1024;

export function checkRange(
  frame: Frame,
  range: Range,
  element: Element,
  place: { at: At; name: string },
): void {
  if (range.offset % elementAlign(element) !== 0) {
    throw frame.problem(
      place.at,
      `'${place.name}': the offset ${range.offset} is not aligned for ${elementName(element)}`,
    );
  }
  if (range.length === null || range.length <= portableBindingBytes) return;
  const { session } = frame;
  session.factsRead.add('binding_bytes');
  const limit = session.configuration.target.binding_bytes;
  if (range.length <= limit) return;
  const message = `'${place.name}' binds ${range.length} bytes; the limit is ${limit} (target.binding_bytes)`;
  throw frame.problem(place.at, message, 'split it by a constant loop over slices');
}

const endOf = (range: Range): number =>
  range.length === null ? Infinity : range.offset + range.length;

function sameBase(left: Range, right: Range): boolean {
  const [a, b] = [left.base, right.base];
  if (a.kind !== b.kind || a.index !== b.index) return false;
  return a.kind !== 'bank' || (b.kind === 'bank' && a.field === b.field);
}

const overlap = (left: Range, right: Range): boolean =>
  sameBase(left, right) && left.offset < endOf(right) && right.offset < endOf(left);

/** No writable argument overlaps another one; two `in` may, with equal elements. */
export function checkOverlaps(frame: Frame, args: readonly Argument[]): void {
  args.forEach((left, index) => {
    for (const right of args.slice(index + 1)) {
      if (!overlap(left.range, right.range)) continue;
      const related = [
        { file: frame.file.file, at: left.at, message: `'${left.name}' (${left.access}) is here` },
      ];
      if (left.access !== 'in' || right.access !== 'in') {
        const message = `'${right.name}' (${right.access}) overlaps '${left.name}' (${left.access}) in one dispatch`;
        throw frame.problem(
          right.at,
          message,
          'work in place with one `inout` parameter, or use another workspace',
          { related },
        );
      }
      if (!sameElement(left.element, right.element)) {
        const message = `'${right.name}' and '${left.name}' overlap with different elements`;
        throw frame.problem(right.at, message, 'read the bytes as one element type', { related });
      }
    }
  });
}

export function useRange(frame: Frame, builder: CommandBuilder, arg: Argument): void {
  const { range, access, at } = arg;
  const { base } = range;
  if (base.kind === 'bank') {
    if (access !== 'in')
      throw frame.problem(at, 'banks are read-only', 'bind them to `in` parameters');
    return;
  }
  if (base.kind === 'root') {
    const root = builder.roots[base.index];
    if (root === undefined) return;
    if (access !== 'out') root.reads = true;
    if (access !== 'in') root.writes ??= at;
    root.bytesMin = Math.max(root.bytesMin, range.offset + (range.length ?? 0));
    return;
  }
  const workspace = builder.workspaces[base.index];
  if (workspace !== undefined) touch(frame, workspace, arg, !builder.incomplete);
}

function touch(frame: Frame, workspace: WorkspaceState, arg: Argument, sure: boolean): void {
  const { range, access, at } = arg;
  const end = Math.min(endOf(range), workspace.bytes);
  if (
    sure &&
    access !== 'out' &&
    !workspace.zero &&
    !covered(workspace.written, range.offset, end)
  ) {
    const related = [
      { file: frame.file.file, at: workspace.at, message: 'the workspace is declared here' },
    ];
    const message = workspace.stale
      ? `workspace '${workspace.name}' is read after a \`part\`, which ends its contents`
      : `workspace '${workspace.name}' is read before it is written`;
    const hint = workspace.stale
      ? `declare \`workspace invocation ${workspace.name}\``
      : `write it with an \`out\` parameter first, or declare \`workspace zero ${workspace.name}\``;
    throw frame.problem(at, message, hint, { related });
  }
  if (access !== 'in') workspace.written = merged(workspace.written, range.offset, end);
}

type Intervals = readonly (readonly [number, number])[];

function covered(written: Intervals, from: number, to: number): boolean {
  return from >= to || written.some(([start, end]) => start <= from && to <= end);
}

function merged(written: Intervals, from: number, to: number): Intervals {
  const kept: (readonly [number, number])[] = [];
  let [start, end] = [from, to];
  for (const interval of written) {
    if (interval[1] < start || interval[0] > end) kept.push(interval);
    else [start, end] = [Math.min(start, interval[0]), Math.max(end, interval[1])];
  }
  return [...kept, [start, end] as const].sort((left, right) => left[0] - right[0]);
}
