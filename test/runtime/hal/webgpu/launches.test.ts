/** Launches: grids of both kinds, constant storage, limits of bindings, code that is refused. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeviceRange } from '../../../../runtime/hal/buffer.js';
import { toWords, u32 } from '../device-fixture.js';
import { onAdapter } from './adapter.js';
import { openFixture } from './open.js';
import { rootBase, twinImage, weighted, workspaceBase } from './shader-programs.js';

const root = (name: string, access: 'in' | 'out') => {
  return { name, access, hosted: false, bytesMin: 4 };
};
const roots = [root('input', 'in'), root('output', 'out')];
const [INPUT, OUTPUT, SPACE] = [rootBase(0), rootBase(1), workspaceBase(0)];

/** Copies the input to the workspace as a grid, then counts its workgroups in the output. */
const counted = twinImage({
  name: 'counted',
  roots,
  workspaceBytes: 256,
  steps: ['deciding', 'counting'],
  kernels: [
    {
      name: 'deciding',
      views: ['input', 'space'],
      body: 'for (var i = 0u; i < 3u; i++) { space[space_base() + i] = input_at(i); }',
    },
    {
      name: 'counting',
      views: ['output'],
      body: 'if (id.x < output_length()) { output[output_base() + id.x] = id.x + 1u; }',
    },
  ],
  parts: [
    [
      { kernel: 0, bases: [INPUT, SPACE] },
      { kernel: 1, bases: [OUTPUT], grid: { kind: 'indirect', base: SPACE, offset: 0 } },
    ],
  ],
});

onAdapter(test, 'a grid that the device computes runs, is skipped, or is refused', async () => {
  const fixture = await openFixture();
  fixture.device.load('counted', counted);
  const [input, output] = [fixture.place(12), fixture.place(16)];
  const workspace = fixture.place(256);
  const run = async (...grid: number[]) => {
    await fixture.write(input, u32(...grid));
    await fixture.write(output, u32(0, 0, 0, 0));
    const launch = fixture.launch('counted', [input, output], { workspace });
    const { failure } = await fixture.work([launch]).retired;
    return { failure, words: toWords(await fixture.read(output)) };
  };
  assert.equal(await run(3, 1, 1), { failure: null, words: [1, 2, 3, 0] });
  assert.equal(await run(3, 0, 1), { failure: null, words: [0, 0, 0, 0] });
  const { failure } = await run(70_000, 1, 1);
  assert.is(failure?.code, 'internal');
  assert.match(failure!.message, /kernel counting \(dispatch 1 of counted\) .* extent of 70000/);
  assert.equal((await run(2, 1, 1)).words, [1, 2, 0, 0], 'the next launch runs');
  await fixture.close();
});

onAdapter(
  test,
  'constant storage is bound for reading beside storage that is written',
  async () => {
    const fixture = await openFixture();
    const field = fixture.pool.allocate(256, 'test', 'constant')!;
    const other = fixture.pool.allocate(256, 'test', 'constant')!;
    assert.is(field.slab, other.slab);
    const banks = [field, other].map((range) => ({ ...range, length: 4 }));
    await fixture.write(banks[0]!, u32(30));
    await fixture.write(banks[1]!, u32(7));
    fixture.device.load('weighted', weighted(['a', 'b']));
    const [input, output] = [fixture.place(4), fixture.place(4)];
    assert.is.not(input.slab, field.slab);
    await fixture.write(input, u32(5));
    const { failure } = await fixture.work([fixture.launch('weighted', [input, output], { banks })])
      .retired;
    assert.is(failure, null);
    assert.equal(toWords(await fixture.read(output)), [42]);
    await fixture.close();
  },
);

onAdapter(test, 'launches over other ranges of one program keep their own bytes', async () => {
  const fixture = await openFixture();
  const pairs = Array.from({ length: 12 }, (_, i) => {
    return { i, input: fixture.place(4), output: fixture.place(4) };
  });
  for (const round of [1, 2, 3]) {
    const works = pairs.map(async ({ i, input, output }) => {
      await fixture.write(input, u32(round * 100 + i));
      await fixture.work([fixture.launch('triple', [input, output])]).retired;
      return toWords(await fixture.read(output))[0];
    });
    assert.equal(
      await Promise.all(works),
      pairs.map(({ i }) => (round * 100 + i) * 3 + 1),
    );
  }
  await fixture.close();
});

onAdapter(
  test,
  'roots at odd words, and two that lie over each other, do as elsewhere',
  async () => {
    const fixture = await openFixture();
    const row = fixture.place(64);
    const at = (word: number, words = 1) => ({
      ...row,
      offset: row.offset + 4 * word,
      length: 4 * words,
    });
    await fixture.write(row, u32(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
    const run = async (executable: string, ...roots: DeviceRange[]) => {
      const { failure } = await fixture.work([fixture.launch(executable, roots)]).retired;
      assert.is(failure, null);
    };
    await run('triple', at(1), at(3));
    await run('append', at(5), at(6));
    const sum = {
      name: 'sum',
      views: ['left', 'right', 'output'],
      body: 'for (var i = 0u; i < 3u; i++) { output[output_base() + i] = left_at(i) + right_at(i); }',
    };
    const three = [root('left', 'in'), root('right', 'in'), root('output', 'out')];
    const parts = [[{ kernel: 0, bases: [0, 1, 2].map(rootBase) }]];
    fixture.device.load('sum', twinImage({ name: 'sum', roots: three, kernels: [sum], parts }));
    for (let again = 0; again < 2; again++) await run('sum', at(8, 3), at(9, 3), at(13, 3));
    assert.equal(toWords(await fixture.read(row)), [
      1,
      2,
      3,
      7,
      5,
      6,
      7 * 31 + 6,
      8,
      9,
      10,
      11,
      12,
      13,
      19,
      21,
      23,
    ]);
    await fixture.close();
  },
);

onAdapter(test, 'a view beyond what one binding holds is refused with the way out', async () => {
  const fixture = await openFixture({ memoryBytes: 300 * 1024 * 1024 });
  const limit = fixture.device.adapter.limits['maxStorageBufferBindingSize']!;
  if (limit < 200 * 1024 * 1024) {
    const [input, output] = [fixture.place(4), fixture.place(limit + 4)];
    const { failure } = await fixture.work([fixture.launch('triple', [input, output])]).retired;
    assert.is(failure?.code, 'resourceExhausted');
    assert.match(failure!.message, /kernel triple .* binds \d+ bytes in one view; .* slices/);
  }
  await fixture.close();
});

onAdapter(test, 'code that the device refuses fails its launches and whoever waits', async () => {
  const fixture = await openFixture();
  const body = '  // at part.loom:7:3\nlet x: u32 = 1.5;';
  const bad = { name: 'bad', views: ['input'], body };
  const parts = [[{ kernel: 0, bases: [INPUT] }]];
  fixture.device.load('bad', twinImage({ name: 'bad', roots, kernels: [bad], parts }));
  const input = fixture.place(4);
  const { failure } = await fixture.work([fixture.launch('bad', [input, fixture.place(4)])])
    .retired;
  assert.is(failure?.code, 'internal');
  assert.is(failure!.where, 'part.loom:7:3');
  assert.match(failure!.message, /^kernel bad \(test\.loom:1:1\): .*cannot convert value/);
  const told = await fixture.device.ready('bad').catch((error: Error) => error.message);
  assert.is(told, failure!.message);
  await fixture.device.ready('triple');
  assert.throws(() => fixture.device.load('none', { info: counted.info, module: null }), /no code/);
  await fixture.close();
});

test.run();
