/**
 * What `launch` of a check runs: a command program, or a single kernel as a command program of one
 * dispatch. Inputs and sizes become roots in declaration order.
 */
import { StatusError } from '../../base/errors.js';
import type { CommandProgram, Kernel, RootInfo, WordExpr } from '../../loom/typed.js';
import { f32OfBits } from '../numbers/half-float.js';

export type CheckTarget =
  | { readonly kind: 'command'; readonly command: CommandProgram }
  | { readonly kind: 'kernel'; readonly kernel: Kernel; readonly files: readonly string[] };

export interface LaunchArguments {
  readonly inputs: readonly Uint8Array[];
  readonly sizes: readonly bigint[];
  readonly words: readonly bigint[];
}

export interface PreparedLaunch {
  readonly command: CommandProgram;
  /** Fresh for each run. */
  roots(): Uint8Array[];
  /** Bytes of all of them. */
  readonly rootBytes: number;
  /** Roots that the launch gives back. */
  readonly outputs: readonly number[];
}

export function prepareLaunch(target: CheckTarget, args: LaunchArguments): PreparedLaunch {
  const command = target.kind === 'command' ? target.command : kernelCommand(target, args.words);
  if (target.kind === 'command' && args.words.length > 0) {
    throw mismatch(
      `${command.name} is a command: it takes words from its roots, got ${args.words.length} words`,
    );
  }
  const sources = rootSources(command, args);
  return {
    command,
    rootBytes: sources.reduce<number>((sum, source) => sum + byteCount(source), 0),
    roots: () =>
      sources.map((source) =>
        typeof source === 'number' ? new Uint8Array(source) : source.slice(),
      ),
    outputs: command.roots.flatMap(({ access }, i) =>
      access === 'out' || access === 'inout' ? [i] : [],
    ),
  };
}

const byteCount = (source: Uint8Array | number): number =>
  typeof source === 'number' ? source : source.length;

/** One a root: bytes to start from, or the size of an output. */
function rootSources(
  { name, roots }: CommandProgram,
  { inputs, sizes }: LaunchArguments,
): (Uint8Array | number)[] {
  const made = roots.filter(({ access }) => access === 'out').length;
  if (inputs.length !== roots.length - made || sizes.length !== made) {
    throw mismatch(
      `${name} takes ${roots.length - made} inputs and ${made} output sizes, got ${inputs.length} and ${sizes.length}`,
    );
  }
  const negative = sizes.find((size) => size < 0n);
  if (negative !== undefined) throw mismatch(`${name} was given an output of ${negative} bytes`);
  let input = 0;
  let size = 0;
  return roots.map(({ access }) => (access === 'out' ? Number(sizes[size++]!) : inputs[input++]!));
}

function kernelCommand(
  { kernel, files }: CheckTarget & { readonly kind: 'kernel' },
  words: readonly bigint[],
): CommandProgram {
  const scalars = kernel.params.flatMap((param) => ('local' in param ? [param.local] : []));
  const extents = words.slice(scalars.length);
  if (extents.length < 1 || extents.length > 3) {
    throw mismatch(
      `${kernel.name} takes ${scalars.length} scalars and 1 to 3 grid extents, got ${words.length} words`,
    );
  }
  const roots: RootInfo[] = [];
  let word = 0;
  const args = kernel.params.map((param) => {
    if ('local' in param) return { word: scalarWord(kernel, param.local, words[word++]!) };
    const { name, access } = kernel.views[param.view]!;
    const index =
      roots.push({
        name,
        access: access === 'acc' ? 'inout' : access,
        hosted: false,
        bytesMin: 0,
      }) - 1;
    return { base: { kind: 'root', index }, offset: 0, length: null } as const;
  });
  const grid = {
    kind: 'direct',
    extents: extents.map((value) => constant('u32', Number(value))),
  } as const;
  return {
    name: kernel.name,
    files,
    site: kernel.site,
    roots,
    banks: [],
    workspaces: [],
    kernels: [kernel],
    steps: [{ op: 'dispatch', site: kernel.site, kernel: 0, args, grid }],
  };
}

function scalarWord(kernel: Kernel, local: number, given: bigint): WordExpr {
  const { type } = kernel.locals[local]!;
  const name = type.kind === 'scalar' ? type.name : 'i32';
  if (name === 'f32') return constant('f32', f32OfBits(Number(BigInt.asUintN(32, given))));
  if (name === 'u32') return constant('u32', Number(BigInt.asUintN(32, given)));
  return constant(name === 'bool' ? 'bool' : 'i32', Number(BigInt.asIntN(32, given)));
}

function constant(type: 'i32' | 'u32' | 'f32' | 'bool', value: number): WordExpr {
  return { op: 'const', type, value };
}

function mismatch(message: string): StatusError {
  return new StatusError('internal', message);
}
