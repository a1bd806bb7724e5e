/**
 * The plan for a driver: what is bound how, which views share a binding, what goes into the slot,
 * and what is refused while a package is prepared.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileWgsl } from '../../../../runtime/jit/wgsl/compile-wgsl.js';
import { gridExtents, writeUniformSlot } from '../../../../runtime/jit/wgsl/uniform-slot.js';
import type { WgslDispatch, WgslTarget } from '../../../../runtime/jit/wgsl/wgsl-program.js';
import { loomPosition } from '../../../../runtime/jit/wgsl/wgsl-writer.js';
import type { CommandProgram, Range } from '../../../../runtime/loom/typed.js';
import * as b from '../../../generators/typed-builder.js';
import { programOf } from './constructs.js';
import { portableTarget } from './portable-target.js';

const { t } = b;

/** y[i] = x[i] + w[i] * s for a workgroup; x and w are views of root 0. */
function pair(x: Partial<Range>, w: Partial<Range>, extra: Partial<CommandProgram> = {}) {
  const k = new b.KernelBuilder('pair', 8);
  const views = ['x', 'w'].map((name) => k.view(name, 'in', b.storage('f32')));
  const y = k.view('y', 'out', b.storage('f32'));
  const s = k.scalar('s', t.f32);
  const lane = k.local('lane', t.i32);
  const sum = b.add(views[0]!.get(lane.get), b.mul(views[1]!.get(lane.get), s.get));
  const body = k.parallel(lane, { from: b.i32(0), to: b.i32(8) }, b.block(y.set(lane.get, sum)));
  const args = [{ ...b.wholeRoot(0), ...x }, { ...b.wholeRoot(0), ...w }, b.wholeRoot(1)];
  return b.commandProgram({
    roots: [b.root('in'), b.root('out')],
    kernels: [k.build(b.block(body))],
    steps: [b.dispatch(0, [...args, b.word(0.5, 'f32')], 2, 3)],
    ...extra,
  });
}

const compile = (program: CommandProgram, target: Partial<WgslTarget> = {}) =>
  compileWgsl(program, { ...portableTarget, ...target }).program;
const dispatchOf = ({ parts }: { parts: readonly (readonly unknown[])[] }) =>
  parts[0]!.at(-1) as WgslDispatch;

test('a mutable buffer is bound for writing, and overlapping views of it share a binding', () => {
  const program = compile(pair({ offset: 0, length: 64 }, { offset: 32, length: 64 }));
  const [kernel] = program.kernels;
  assert.equal(
    kernel!.bindings.map(({ access }) => access),
    ['read_write', 'read_write'],
  );
  assert.equal(
    kernel!.views.map(({ binding }) => binding),
    [0, 0, 1],
  );
  const { bindings, views } = dispatchOf(program);
  assert.equal(bindings[0], { ...b.wholeRoot(0), offset: 0, length: 96 });
  assert.equal(views, [
    { offset: 0, length: 64 },
    { offset: 32, length: 64 },
    { offset: 0, length: null },
  ]);
});

test('neighbours within the alignment share too, views further apart do not', () => {
  const near = compile(pair({ offset: 0, length: 16 }, { offset: 128, length: 16 }));
  assert.is(near.kernels[0]!.bindings.length, 2);
  const far = compile(pair({ offset: 0, length: 16 }, { offset: 256, length: 16 }));
  assert.is(far.kernels[0]!.bindings.length, 3);
  const open = compile(pair({ offset: 512, length: null }, { offset: 4096, length: 16 }));
  assert.is(open.kernels[0]!.bindings.length, 2);
  assert.is(dispatchOf(open).bindings[0]!.length, null);
});

test('hosted roots that nothing writes are constant where the device keeps them apart', () => {
  const roots = [b.root('in', { hosted: true }), b.root('out')];
  const overlapping = [{ offset: 0 }, { offset: 16 }] as const;
  const access = (uploadsConstant: boolean) =>
    compile(pair(...overlapping, { roots }), { uploadsConstant }).kernels[0]!.bindings.map(
      (binding) => binding.access,
    );
  assert.equal(access(true), ['read', 'read', 'read_write']);
  assert.equal(access(false), ['read_write', 'read_write']);
});

test('one kernel with two ways to be bound is two shaders, else it is one', () => {
  const program = pair({ offset: 0, length: 16 }, { offset: 0, length: 16 });
  const apart = pair({ offset: 0, length: 16 }, { offset: 256, length: 16 });
  const steps = [...program.steps, ...apart.steps, ...program.steps];
  const { kernels, parts } = compile({ ...program, steps });
  assert.is(kernels.length, 2);
  assert.equal(
    parts[0]!.map((step) => (step as WgslDispatch).kernel),
    [0, 1, 0],
  );
  assert.is.not(kernels[0]!.key, kernels[1]!.key);
});

test('the plan survives a structured clone', () => {
  for (const name of ['words-and-workspaces', 'byte-dots', 'layouts']) {
    const compiled = compileWgsl(programOf(name), portableTarget);
    assert.equal(structuredClone(compiled), compiled);
  }
});

test('the slot holds bases, lengths and scalars, and the grid has three extents', () => {
  const program = compile(pair({ offset: 0, length: 64 }, { offset: 32, length: 64 }));
  const step = dispatchOf(program);
  const into = new DataView(new ArrayBuffer(256));
  const views = [
    { rest: 4, bytes: 64 },
    { rest: 36, bytes: 63 },
    { rest: 0, bytes: 0 },
  ];
  const source = { kernel: program.kernels[0]!, step, views, roots: [] };
  writeUniformSlot(source, into);
  const words = Array.from({ length: 6 }, (_, n) => into.getUint32(n * 4, true));
  assert.equal(words, [1, 16, 9, 15, 0, 0]);
  assert.is(into.getFloat32(24, true), 0.5);
  assert.throws(
    () => writeUniformSlot({ ...source, views: [{ rest: 2, bytes: 4 }, ...views.slice(1)] }, into),
    /'x' of pair begins 2 bytes into its binding; here it must begin at a multiple of 4 bytes/,
  );
  if (step.grid.kind !== 'direct') throw new Error('expected a direct grid');
  assert.equal(gridExtents(step.grid.extents, []), [2, 3, 1]);
});

test('workgroup memory, lanes and views beyond the device are errors with a place', () => {
  const refuse = (target: Partial<WgslTarget>, message: RegExp) =>
    assert.throws(() => compile(programOf('reductions'), target), message);
  refuse(
    { workgroupBytes: 128 },
    /^constructs\.k \(reductions\.loom:2:\d+\) needs \d+ bytes of workgroup memory/,
  );
  refuse(
    { invocations: 4 },
    /^constructs\.k \(reductions\.loom:2:\d+\) has 8 lanes; this device takes 4$/,
  );
  refuse({ bindings: 1 }, /has 2 storage bindings; this device takes 1$/);
});

test('a line of a shader leads back to its place in the program', () => {
  const { source } = compile(programOf('barriers')).kernels[0]!;
  const lines = source.split('\n');
  const line = (text: string) => lines.findIndex((each) => each.includes(text)) + 1;
  assert.is(loomPosition(source, line('own_s1[i_l0] = 1f')), 'barriers.loom:5:38');
  assert.is(loomPosition(source, line('@workgroup_size')), null);
});

test('barriers stand between what depends on each other, and nowhere else', () => {
  const count = (name: string) =>
    compile(programOf(name)).kernels[0]!.source.split('Barrier();').length - 1;
  assert.is(count('exact-region'), 0);
  assert.is(count('private-state'), 0);
  // Both regions write `y`; the analysis does not look at which elements.
  assert.is(count('strided-region'), 1);
  // Before each region of the loop, and before the last: `s`, then `s` and `z`, then `s` and `own`.
  assert.is(count('barriers'), 4);
});

test.run();
