/**
 * Extents of grids, and the grid that a kernel states in its head, for a dispatch that gives none:
 * its extents are computed from the scalars of that dispatch, so a library says once how its kernel
 * is launched.
 */
import type { At, Expr as SyntaxExpr, KernelDef } from '../tree.js';
import type { WordExpr } from '../typed.js';
import type { CommandBuilder } from './command-builder.js';
import { toWord } from './command-words.js';
import { Body, Frame } from './frame.js';
import { elaborationLimits } from './session.js';
import type { FunctionRef, Value } from './value.js';

export interface Launch {
  readonly ref: FunctionRef;
  readonly builder: CommandBuilder;
  /** Arguments of the dispatch; those of view parameters are not seen by the grid. */
  readonly values: readonly Value[];
  readonly at: At;
}

export function ownGrid(frame: Frame, { ref, builder, values, at }: Launch): readonly WordExpr[] {
  const { file, decl } = ref.declaration as { decl: KernelDef } & FunctionRef['declaration'];
  if (decl.grid.length === 0) {
    const hint = `write \`dispatch ${decl.name}(…) grid(x)\``;
    throw frame.problem(at, `the kernel '${decl.name}' has no grid of its own`, hint);
  }
  const place = { file: frame.file.file, at, message: `in ${ref.key}, dispatched here` };
  const own = new Frame({
    session: frame.session,
    file,
    bindings: ref.bindings,
    world: 'command',
    body: new Body(),
    narrow: true,
    command: builder,
    returns: { kind: 'none' },
    instances: [place, ...frame.instances],
  });
  decl.params.forEach((param, index) => {
    const value = values[index];
    const isScalar = value?.kind === 'word' || value?.kind === 'const';
    if (isScalar) own.define(param.name, param.at, value);
  });
  return own.scoped(() => decl.grid.map((extent) => extentOf(own, extent)));
}

export function extentOf(frame: Frame, extent: SyntaxExpr): WordExpr {
  const word = toWord(frame, frame.eval(extent), 'i32', extent.at);
  const limit = elaborationLimits.gridExtent;
  if (word.op === 'const' && (word.value < 0 || word.value > limit)) {
    const hint = 'split it over two extents';
    throw frame.problem(extent.at, `a grid extent of ${word.value}; the limit is ${limit}`, hint);
  }
  return word;
}
