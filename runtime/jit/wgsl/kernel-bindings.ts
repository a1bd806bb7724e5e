/**
 * Which views of a dispatch share a binding. A buffer of the mutable family is bound for writing
 * even where a kernel only reads it, and WebGPU refuses two such bindings that overlap; with
 * offsets rounded down to the device's alignment also neighbours do. Such views get one binding
 * over all of their bytes, each with a base of its own. Ranges of the constant family may overlap
 * as they like.
 */
import { StatusError } from '../../base/errors.js';
import type { CommandProgram, Dispatch, Range, RangeBase, ViewInfo } from '../../loom/typed.js';
import { positionOf } from '../../vm/program-error.js';
import { carrierOf, sharedCarrier, type Carrier } from './carrier.js';
import { SLOT_BYTES, type WgslTarget } from './wgsl-program.js';

export interface KernelBindings {
  /** What of the bindings the shader depends on, as text. */
  readonly key: string;
  readonly list: readonly {
    readonly access: 'read' | 'read_write';
    readonly carrier: Carrier;
    readonly range: Range;
  }[];
  /** Binding of each view parameter. */
  readonly views: readonly number[];
}

interface Bound {
  readonly info: ViewInfo;
  readonly range: Range;
}

interface Group {
  readonly access: 'read' | 'read_write';
  readonly members: Bound[];
  start: number;
  end: number;
}

export function bindingsOf(
  program: CommandProgram,
  dispatch: Dispatch,
  target: WgslTarget,
): KernelBindings {
  const kernel = program.kernels[dispatch.kernel]!;
  const bound = kernel.params.flatMap((param, i): Bound[] => {
    const arg = dispatch.args[i]!;
    return 'view' in param && 'base' in arg
      ? [{ info: kernel.views[param.view]!, range: arg }]
      : [];
  });
  const groups: Group[] = [];
  for (const view of bound) join(groups, view, isConstant(program, view.range.base, target));
  const list = groups.map(({ access, members, start, end }) => {
    const carrier = sharedCarrier(members.map(({ info }) => info));
    const isAtomic = members.some(({ info }) => carrierOf(info).atomic);
    if (isAtomic && members.length > 1 && !carrier.atomic) throw mixed(program, dispatch, members);
    const length = end === Infinity ? null : end - start;
    return { access, carrier, range: { base: members[0]!.range.base, offset: start, length } };
  });
  const views = bound.map((view) => groups.findIndex(({ members }) => members.includes(view)));
  const classes = list.map(({ access, carrier }) => `${access} ${carrier.element}`);
  return { key: `[${classes.join(', ')}; ${views.join(' ')}]`, list, views };
}

/** Bytes that no shader writes in this program, and that lie where none ever does. */
function isConstant({ roots }: CommandProgram, base: RangeBase, target: WgslTarget): boolean {
  if (base.kind === 'bank') return true;
  if (base.kind === 'workspace' || !target.uploadsConstant) return false;
  const { hosted, access } = roots[base.index]!;
  return hosted && (access === 'in' || access === 'none');
}

const roundDown = (bytes: number) => Math.floor(bytes / SLOT_BYTES) * SLOT_BYTES;

function join(groups: Group[], view: Bound, constant: boolean): void {
  const { offset, length } = view.range;
  const start = offset;
  const end = length === null ? Infinity : offset + length;
  const meets = (group: Group) =>
    !constant &&
    group.access === 'read_write' &&
    isSame(group.members[0]!.range.base, view.range.base) &&
    roundDown(group.start) < end &&
    roundDown(start) < group.end;
  const met = groups.filter(meets);
  const [first, ...others] = met;
  if (!first) {
    groups.push({ access: constant ? 'read' : 'read_write', members: [view], start, end });
    return;
  }
  first.members.push(view, ...others.flatMap(({ members }) => members));
  first.start = Math.min(start, ...met.map((group) => group.start));
  first.end = Math.max(end, ...met.map((group) => group.end));
  for (const other of others) groups.splice(groups.indexOf(other), 1);
}

function isSame(a: RangeBase, b: RangeBase): boolean {
  if (a.kind === 'bank' || b.kind === 'bank') return false;
  return a.kind === b.kind && a.index === b.index;
}

function mixed(program: CommandProgram, { site }: Dispatch, members: readonly Bound[]) {
  const names = members.map(({ info }) => `'${info.name}'`).join(' and ');
  const where = positionOf(program.files, site);
  return new StatusError(
    'invalidArgument',
    `${program.name} (${where}): ${names} lie within ${SLOT_BYTES} bytes of each other, and one of ` +
      'them is accumulated into; place it in a workspace or root of its own',
    { where },
  );
}
