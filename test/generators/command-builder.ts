/** Command programs, made by hand. */
import type {
  CommandProgram,
  Dispatch,
  Range,
  RootInfo,
  WordExpr,
} from '../../runtime/loom/typed.js';
import { site } from './typed-expressions.js';

export const word = (value: number, type: 'i32' | 'u32' | 'f32' | 'bool' = 'i32'): WordExpr => ({
  op: 'const',
  type,
  value,
});
export const wholeRoot = (index: number): Range => ({
  base: { kind: 'root', index },
  offset: 0,
  length: null,
});
export const wholeWorkspace = (index: number): Range => ({
  base: { kind: 'workspace', index },
  offset: 0,
  length: null,
});

export function dispatch(
  kernel: number,
  args: readonly (Range | WordExpr)[],
  ...grid: readonly (number | WordExpr)[]
): Dispatch {
  return {
    op: 'dispatch',
    site: site(),
    kernel,
    args: args.map((arg) => ('base' in arg ? arg : { word: arg })),
    grid: {
      kind: 'direct',
      extents: grid.map((extent) => (typeof extent === 'number' ? word(extent) : extent)),
    },
  };
}

export function root(access: RootInfo['access'], extra: Partial<RootInfo> = {}): RootInfo {
  return { name: 'root', access, hosted: false, bytesMin: 0, ...extra };
}

export function commandProgram(
  parts: Pick<CommandProgram, 'roots' | 'kernels' | 'steps'> & Partial<CommandProgram>,
): CommandProgram {
  return {
    name: 'test.command',
    files: ['test.loom'],
    site: site(),
    banks: [],
    workspaces: [],
    ...parts,
  };
}
