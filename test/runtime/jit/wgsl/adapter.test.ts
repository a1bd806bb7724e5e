/**
 * Shaders on an adapter against the interpreter: each construct, kernels of real models, generated
 * programs. Integers agree bit for bit; floats within 2 units in the last place where one operation
 * is asked, else 1e-5 relative. Without an adapter every test here is skipped and says so.
 *
 * time limit: 240 s (shaders are compiled on the first run, and found in the driver's cache later)
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../../properties.js';
import { compileWgsl } from '../../../../runtime/jit/wgsl/compile-wgsl.js';
import type { WgslTarget } from '../../../../runtime/jit/wgsl/wgsl-program.js';
import type { CommandProgram } from '../../../../runtime/loom/typed.js';
import { interpretCommand } from '../../../../runtime/vm/device/command-interpreter.js';
import { deviceCase } from '../../../generators/programs.js';
import { constructs, programOf, rootsOf } from './constructs.js';
import { finiteProgram } from './finite-program.js';
import { modelCases } from './model-cases.js';
import { numberCases } from './number-cases.js';
import { differences, type Content } from './agreement.js';
import { openBench } from './wgsl-bench.js';

const bench = await openBench();

function onAdapter(name: string, run: () => Promise<void>): void {
  if (bench) test(name, run);
  else test.skip(`${name} (skipped: no adapter)`, run);
}

interface Roots {
  readonly make: () => Uint8Array[];
  /** What the words of each root hold. */
  readonly contents: readonly Content[];
}

async function agree(
  program: CommandProgram,
  { make, contents }: Roots,
  without: Partial<WgslTarget> = {},
): Promise<void> {
  const compiled = compileWgsl(program, { ...bench!.target, ...without });
  assert.equal(await bench!.check(compiled), []);
  const actual = await bench!.run(compiled, make());
  const expected = make();
  interpretCommand(program, { roots: expected });
  expected.forEach((want, root) => {
    const found = differences(actual[root]!, want, contents[root]!);
    assert.equal(found, [], `root ${root}`);
  });
}

/** Constructs whose outputs are words; all others write floats first, words second. */
const outputs: Readonly<Record<string, readonly [Content, Content]>> = {
  'uniform-control': ['word', 'word'],
  integers: ['word', 'word'],
  'one-binding': ['f32', 'word'],
  floats: ['f32', 'word'],
  halves: ['f32', 'word'],
  bytes: ['word', 'word'],
  'byte-dots': ['word', 'word'],
  accumulation: ['word', 'word'],
};

for (const name of Object.keys(constructs)) {
  onAdapter(`${name.replaceAll('-', ' ')}: as the interpreter has it`, async () => {
    const contents: Content[] = ['f32', 'word', ...(outputs[name] ?? ['f32', 'f32'])];
    const program = programOf(name);
    await agree(program, { make: rootsOf, contents }, constructs[name]!.target);
    const roots = rootsOf();
    interpretCommand(program, { roots });
    const bytes = [...roots[2]!, ...roots[3]!];
    assert.ok(
      bytes.some((byte) => byte !== 0),
      'a construct that writes something',
    );
  });
}

for (const { name, program, roots, contents } of [...modelCases(), ...numberCases()]) {
  onAdapter(`${name}: as the interpreter has it`, () => agree(program, { make: roots, contents }));
}

/**
 * The trace of a generated program, 80 words a workgroup: kernel-level locals, then 16 words each
 * for three shared arrays and a private one.
 */
const trace: Content = [
  ...(['word', 'word', 'f32', 'f32', 'word', 'f32', 'word'] as const),
  ...new Array<'word'>(9).fill('word'),
  ...(['f32', 'word', 'f32', 'f32'] as const).flatMap((each) =>
    new Array<'f32' | 'word'>(16).fill(each),
  ),
];
const generated: readonly Content[] = ['f32', 'word', 'word', 'f32', trace, 'f32', 'word', 'word'];

onAdapter('generated programs: as the interpreter has them', async () => {
  const cases = fc.sample(deviceCase, { numRuns: 3, seed: 5 });
  for (const { program, roots } of cases)
    await agree(finiteProgram(program), { make: roots, contents: generated });
});

onAdapter('without subgroups, packed dots and a constant family: the same', async () => {
  const without = { packedDot: false, subgroupSize: null, uploadsConstant: false };
  for (const name of ['broadcast-loads', 'byte-dots', 'words-and-workspaces', 'uniform-control']) {
    const contents: Content[] = ['f32', 'word', ...(outputs[name] ?? ['f32', 'f32'])];
    await agree(programOf(name), { make: rootsOf, contents }, without);
  }
});

onAdapter('what the shader compiler says is told at its place in the program', async () => {
  const { reflection, program } = compileWgsl(programOf('barriers'), bench!.target);
  const kernels = program.kernels.map((kernel) => ({
    ...kernel,
    source: kernel.source.replace('storageBarrier();', 'storageBarrier(1);'),
  }));
  const messages = await bench!.check({ reflection, program: { ...program, kernels } });
  assert.is(messages.length, 1);
  assert.match(messages[0]!, /^barriers\.loom:8:5: /);
});

test.after(() => bench?.close());
test.run();
