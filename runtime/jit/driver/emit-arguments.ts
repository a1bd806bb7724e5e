/**
 * Addresses and lengths of ranges as a dispatch passes them to its kernel. Roots and bank fields
 * are looked up in the argument block, clipped to what is bound there; workspaces lie at planned
 * offsets. Lengths are in elements of the kernel's view and fit an i32.
 */
import type { CommandProgram, Range, ViewInfo } from '../../loom/typed.js';
import { I32_MAX } from '../kernel/interval.js';
import { ARGS } from '../local-abi.js';
import type { Placement } from '../place-workspaces.js';
import type { FunctionBody } from '../wasm/function-body.js';
import type { DriverModule } from './driver-module.js';

export interface ArgumentContext {
  readonly module: DriverModule;
  readonly program: CommandProgram;
  readonly placement: Placement;
}

/** Offset of the {address, length} pair of a root or bank field in the argument block. */
function pairOffset(program: CommandProgram, range: Range): number {
  const { base } = range;
  if (base.kind === 'root') return ARGS.roots + base.index * 8;
  if (base.kind !== 'bank') return -1;
  let field = base.field;
  for (const bank of program.banks.slice(0, base.index)) field += bank.fields.length;
  return ARGS.banks + field * 8;
}

export function pushRangeAddress(code: FunctionBody, context: ArgumentContext, range: Range): void {
  const { args } = context.module.globals;
  const { base } = range;
  code.getGlobal(args);
  let offset = range.offset;
  if (base.kind === 'workspace') {
    code.access('i32.load', ARGS.workspace);
    offset += context.placement.offsets[base.index]!;
  } else {
    code.access('i32.load', pairOffset(context.program, range));
  }
  if (offset === 0) return;
  code.i32(offset);
  code.op('i32.add');
}

/** Bytes of the range, or what the bound base has of it. */
export function pushRangeBytes(code: FunctionBody, context: ArgumentContext, range: Range): void {
  const { base, offset, length } = range;
  if (base.kind === 'workspace') {
    code.i32(length ?? context.program.workspaces[base.index]!.bytes - offset);
    return;
  }
  const { args } = context.module.globals;
  const bound = code.temp('i32');
  code.getGlobal(args);
  code.access('i32.load', pairOffset(context.program, range) + 4);
  code.tee(bound);
  code.i32(offset);
  code.op('i32.sub');
  code.i32(0);
  code.get(bound);
  code.i32(offset);
  code.ops('i32.ge_u', 'select');
  if (length !== null) {
    code.tee(bound);
    code.i32(length);
    code.get(bound);
    code.i32(length);
    code.ops('i32.lt_u', 'select');
  }
  code.release('i32', bound);
}

/** Pushes address and element count of a view argument. */
export function pushView(
  code: FunctionBody,
  context: ArgumentContext,
  range: Range,
  view: ViewInfo,
): void {
  pushRangeAddress(code, context, range);
  if (view.access === 'acc') {
    // Atomics need whole words; a misbound root must not trap.
    code.i32(-4);
    code.op('i32.and');
  }
  const { base, offset, length } = range;
  if (base.kind === 'workspace') {
    const bytes = length ?? context.program.workspaces[base.index]!.bytes - offset;
    code.i32(Math.min(Math.floor(bytes / view.elementSize), I32_MAX));
    return;
  }
  pushRangeBytes(code, context, range);
  if (view.elementSize > 1) {
    code.i32(view.elementSize);
    code.op('i32.div_u');
    return;
  }
  const count = code.temp('i32');
  code.tee(count);
  code.i32(I32_MAX);
  code.get(count);
  code.i32(0);
  code.ops('i32.ge_s', 'select');
  code.release('i32', count);
}
