/**
 * Loader programs: a kernel that puts checkpoint rows into a bank field, or computes a field, as a
 * command program of one dispatch. Whoever activates a bank runs it once a block of rows; the
 * packet with the words of the block is its first root, so that one program serves every block.
 *
 * Holds: roots are packet, source, field for a pack kernel and the field alone for a fill kernel.
 * The field counts as read and written, because one block writes a part of it.
 */
import type { KernelDef, Param } from '../tree.js';
import type { CommandProgram, Dispatch, Symbol, WordExpr } from '../typed.js';
import { CommandBuilder } from './command-builder.js';
import { extentOf } from './kernel-grid.js';
import { commandFrame, program, rootOf } from './commands.js';
import { constantFrame } from './declaration-frame.js';
import type { Frame } from './frame.js';
import { kernelInstance } from './kernels.js';
import type { Session } from './session.js';
import { resolveTerm } from './type-resolution.js';
import { elementName, elementSize } from './types.js';
import type { FunctionRef } from './value.js';

export interface LoaderShape {
  readonly kind: 'pack' | 'fill';
  /** Elements of the source: decoded numbers or bytes as they are; null without a source. */
  readonly source: 'f32' | 'u8' | null;
  /** Bytes of one element of the field as the kernel sees it. */
  readonly elementBytes: number;
}

/** Words of the packet, in the order of a pack kernel's scalars. */
const words = ['at', 'rows', 'cols'] as const;
const packetBytes = 16;

const accepted =
  'a loader is `(src: in view<f32 or u8>, dst: out view<E>, at: i32, rows: i32, cols: i32)` ' +
  'to pack rows, or `(dst: out view<E>)` to fill a field';

export function loaderShape(session: Session, root: Symbol): LoaderShape {
  return shapeOf(session, kernelRef(session, root));
}

export function loaderProgram(session: Session, root: Symbol): CommandProgram {
  const ref = kernelRef(session, root);
  const { kind } = shapeOf(session, ref);
  const { decl } = ref.declaration as { decl: KernelDef };
  const builder = new CommandBuilder();
  const frame = commandFrame(session, ref, builder);
  const instance = kernelInstance(session, ref, decl.at, null);
  const args: Dispatch['args'][number][] = [];
  if (kind === 'pack') {
    const packet = builder.roots[builder.root('packet')]!;
    packet.hosted = decl.at;
    packet.bytesMin = packetBytes;
    const source = builder.root('src');
    builder.roots[source]!.reads = true;
    args.push(whole(source));
  }
  const field = builder.root('dst');
  builder.roots[field]!.reads = true;
  builder.roots[field]!.writes = decl.at;
  args.push(whole(field));
  const scalars = decl.params.slice(2).map((param, index): WordExpr => {
    const word: WordExpr = { op: 'word', type: 'i32', root: 0, offset: 4 * index };
    frame.define(param.name, param.at, { kind: 'word', word });
    return word;
  });
  args.push(...scalars.map((word) => ({ word })));
  builder.steps.push({
    op: 'dispatch',
    site: frame.site(decl.at),
    kernel: builder.kernel(instance.kernel),
    args,
    grid: { kind: 'direct', extents: gridOf(frame, decl) },
  });
  return program(session, ref, builder);
}

/** Without a grid of its own a kernel is one workgroup. */
function gridOf(frame: Frame, decl: KernelDef): WordExpr[] {
  if (decl.grid.length === 0) return [{ op: 'const', type: 'i32', value: 1 }];
  return decl.grid.map((extent) => extentOf(frame, extent));
}

const whole = (root: number) => ({
  base: { kind: 'root' as const, index: root },
  offset: 0,
  length: null,
});

function kernelRef(session: Session, root: Symbol): FunctionRef {
  const ref = rootOf(session, root);
  const { decl, file } = ref.declaration;
  if (decl.kind === 'kernel') return ref;
  const frame = constantFrame(session, file);
  throw frame.problem(decl.at, `'${root.name}' is a ${decl.kind}, not a kernel`, accepted);
}

function shapeOf(session: Session, ref: FunctionRef): LoaderShape {
  const { declaration, bindings } = ref;
  const decl = declaration.decl as KernelDef;
  const frame = constantFrame(session, declaration.file, bindings);
  const views = decl.params.map((param) => viewOf(frame, param));
  const [first, second, ...rest] = decl.params;
  if (first !== undefined && decl.params.length === 1 && isField(first) && views[0] !== null) {
    return { kind: 'fill', source: null, elementBytes: views[0]!.bytes };
  }
  const source = views[0]?.name;
  const field = views[1] ?? null;
  const takesRows =
    rest.length === words.length && rest.every((param) => isWord(frame, param)) && field !== null;
  if (takesRows && first?.mode === 'in' && isField(second!)) {
    if (source === 'f32' || source === 'u8') {
      return { kind: 'pack', source, elementBytes: field.bytes };
    }
  }
  throw frame.problem(decl.at, `the kernel '${decl.name}' is no loader`, accepted);
}

const isField = ({ mode }: Param): boolean => mode === 'out' || mode === 'inout';

function viewOf(frame: Frame, param: Param): { name: string; bytes: number } | null {
  const view = param.type === null ? null : resolveTerm(frame, param.type).view;
  return view === null ? null : { name: elementName(view), bytes: elementSize(view) };
}

function isWord(frame: Frame, { mode, type }: Param): boolean {
  return mode === '' && type !== null && resolveTerm(frame, type).name === 'i32';
}
