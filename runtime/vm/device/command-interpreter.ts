/**
 * Command programs on the reference device: every dispatch runs to its end before the next starts,
 * workgroup after workgroup. Roots are changed in place. In check mode the faults that devices pass
 * over in silence (races, out of range, reads of unwritten workspace) are reported.
 */
import { StatusError } from '../../base/errors.js';
import type { CommandProgram, Dispatch, Kernel, Range, RangeBase } from '../../loom/typed.js';
import { ProgramError, positionOf } from '../program-error.js';
import { DeviceFaults, type DeviceFault } from './device-faults.js';
import type { DispatchContext } from './device-frame.js';
import { Region, type BoundView } from './device-memory.js';
import { runKernel, type KernelArgument } from './kernel-interpreter.js';
import { laneOrder, type LaneOrder } from './lane-order.js';
import { wordValue } from './word-value.js';

export interface CommandOptions {
  /** One a root, in order; outputs are written in place. */
  readonly roots: readonly Uint8Array[];
  /** Fields of each bank, in order. */
  readonly banks?: readonly (readonly Uint8Array[])[];
  /** Part to run (0 first); all parts when absent. */
  readonly part?: number;
  /** What an earlier part returned: workspaces that live through the invocation. */
  readonly workspaces?: WorkspaceState;
  /** Report faults; a few times slower. */
  readonly checks?: boolean;
  readonly order?: LaneOrder;
  /** Rounds of loops, and workgroups, that a submission may take. */
  readonly rounds?: number;
}

/** Workspaces between parts; opaque to callers. */
export type WorkspaceState = readonly Region[];

export interface CommandOutcome {
  readonly faults: readonly DeviceFault[];
  readonly workspaces: WorkspaceState;
  /** Rounds that are left of those allowed. */
  readonly rounds: number;
}

/** Rounds of loops and workgroups before a submission "ran too long". */
export const ROUNDS_MAX = 2 ** 28;
export const GRID_EXTENT_MAX = 65535;
const WORKSPACE_BYTES_MAX = 2 ** 30;
/** Fresh workspace reads as NaN and as -1, so that a forgotten write shows. */
const POISON = 0xff;

export function interpretCommand(program: CommandProgram, options: CommandOptions): CommandOutcome {
  return new CommandRun(program, options).run();
}

class CommandRun {
  readonly #program: CommandProgram;
  readonly #options: CommandOptions;
  readonly #roots: readonly Region[];
  readonly #banks: readonly (readonly Region[])[];
  readonly #workspaces: Region[];
  /** Roots as they were uploaded: scalars do not see what a dispatch wrote. */
  readonly #words: readonly DataView[];
  readonly #context: DispatchContext;

  constructor(program: CommandProgram, options: CommandOptions) {
    this.#program = program;
    this.#options = options;
    checkRoots(program, options.roots);
    checkWorkspaces(program);
    const checks = options.checks ?? false;
    this.#roots = options.roots.map((bytes) => new Region(bytes, false));
    this.#banks = (options.banks ?? []).map((bank) =>
      bank.map((bytes) => new Region(bytes, false)),
    );
    this.#words = program.roots.map(({ hosted }, i) => {
      const bytes = hosted ? options.roots[i]!.slice() : options.roots[i]!;
      return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    });
    this.#workspaces = program.workspaces.map((workspace, i) => {
      const kept = workspace.lifetime === 'invocation' ? options.workspaces?.[i] : undefined;
      return kept ?? freshWorkspace(workspace, checks);
    });
    this.#context = {
      faults: checks ? new DeviceFaults(program.files) : null,
      order: laneOrder(options.order ?? 'ascending'),
      rounds: options.rounds ?? ROUNDS_MAX,
      roundsMax: options.rounds ?? ROUNDS_MAX,
      region: 0,
      dispatch: 0,
    };
  }

  run(): CommandOutcome {
    let part = 0;
    for (const step of this.#program.steps) {
      if (step.op === 'part') part += 1;
      else if (this.#options.part === undefined || this.#options.part === part)
        this.#dispatch(step);
    }
    const { faults, rounds } = this.#context;
    return { faults: faults?.list ?? [], workspaces: this.#workspaces, rounds };
  }

  #dispatch(step: Dispatch): void {
    const kernel = this.#program.kernels[step.kernel]!;
    const extents = this.#grid(step);
    if (extents.some((extent) => extent === 0)) return;
    const args = step.args.map((arg, i): KernelArgument => {
      if ('word' in arg) return { value: wordValue(arg.word, this.#words) };
      const param = kernel.params[i]!;
      if (!('view' in param)) throw this.#error(step, 'a range was given for a scalar parameter');
      return { view: this.#bind(arg, kernel.views[param.view]!.elementSize) };
    });
    this.#checkOverlap(step, kernel, args);
    this.#context.dispatch += 1;
    runKernel(kernel, { args, grid: extents, context: this.#context, files: this.#program.files });
  }

  #grid(step: Dispatch): [number, number, number] {
    const extents: [number, number, number] = [1, 1, 1];
    const { grid } = step;
    if (grid.kind === 'direct') {
      grid.extents.forEach((expr, axis) => (extents[axis] = wordValue(expr, this.#words) >>> 0));
    } else {
      const { region, offset } = this.#bind(grid.range, 4);
      for (const axis of [0, 1, 2] as const) {
        const at = offset + grid.index * 12 + axis * 4;
        extents[axis] = at + 4 <= region.bytes.length ? region.view.getUint32(at, true) : 0;
      }
    }
    for (const extent of extents) {
      if (extent <= GRID_EXTENT_MAX) continue;
      const kernel = this.#program.kernels[step.kernel]!;
      throw this.#error(
        step,
        `the grid of ${kernel.name} is (${extents.join(', ')}); each extent may be at most ${GRID_EXTENT_MAX}`,
      );
    }
    return extents;
  }

  #bind({ base, offset, length }: Range, elementSize: number): BoundView {
    const region = this.#region(base);
    const room = Math.max(0, region.bytes.length - offset);
    const bytes = Math.min(length ?? room, room);
    return { region, offset, length: Math.floor(bytes / elementSize), isVoid: false };
  }

  #region(base: RangeBase): Region {
    const region =
      base.kind === 'root'
        ? this.#roots[base.index]
        : base.kind === 'workspace'
          ? this.#workspaces[base.index]
          : this.#banks[base.index]?.[base.field];
    if (!region)
      throw new StatusError(
        'invalidArgument',
        `${this.#program.name}: ${base.kind} ${base.index} is not bound`,
      );
    return region;
  }

  /** No writable argument may share bytes with another one, whatever roots they come from. */
  #checkOverlap(step: Dispatch, kernel: Kernel, args: readonly KernelArgument[]): void {
    const spans = args.flatMap((arg, i) => {
      const param = kernel.params[i]!;
      if (!('view' in arg) || !('view' in param)) return [];
      const { name, access, elementSize } = kernel.views[param.view]!;
      const start = arg.view.region.bytes.byteOffset + arg.view.offset;
      const end = start + arg.view.length * elementSize;
      return [{ name, access, buffer: arg.view.region.bytes.buffer, start, end }];
    });
    spans.forEach((left, i) => {
      for (const right of spans.slice(i + 1)) {
        const apart =
          left.buffer !== right.buffer || left.end <= right.start || right.end <= left.start;
        if (apart || (left.access === 'in' && right.access === 'in')) continue;
        throw this.#error(
          step,
          `'${left.name}' and '${right.name}' of ${kernel.name} overlap, and one of them is written`,
        );
      }
    });
  }

  #error({ site }: Dispatch, reason: string): ProgramError {
    const position = positionOf(this.#program.files, site);
    return new ProgramError('invalidArgument', reason, [{ func: this.#program.name, position }]);
  }
}

/** The reference device has no pool: it says itself what it does not hold. */
function checkWorkspaces({ name, workspaces }: CommandProgram): void {
  const bytes = workspaces.reduce((sum, workspace) => sum + workspace.bytes, 0);
  if (bytes <= WORKSPACE_BYTES_MAX) return;
  throw new StatusError(
    'resourceExhausted',
    `${name} has ${bytes} bytes of workspace; the limit of the interpreter is ${WORKSPACE_BYTES_MAX}`,
  );
}

function freshWorkspace(
  { bytes, zero }: CommandProgram['workspaces'][number],
  checks: boolean,
): Region {
  const fresh = new Uint8Array(bytes);
  if (!zero) fresh.fill(POISON);
  return new Region(fresh, checks && !zero);
}

function checkRoots({ name, roots }: CommandProgram, given: readonly Uint8Array[]): void {
  if (given.length !== roots.length) {
    throw new StatusError(
      'invalidArgument',
      `${name} takes ${roots.length} roots, got ${given.length}`,
    );
  }
  roots.forEach((root, i) => {
    const { length } = given[i]!;
    if (length >= root.bytesMin) return;
    throw new StatusError(
      'invalidArgument',
      `root '${root.name}' of ${name} needs ${root.bytesMin} bytes, got ${length}`,
    );
  });
}
