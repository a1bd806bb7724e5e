/**
 * Compiled command programs in real threads: the answer does not depend on the number of workers,
 * barriers stand where data flows, and poison frees everybody.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileCommand } from '../../../runtime/jit/compile-command.js';
import { POISON } from '../../../runtime/jit/local-abi.js';
import type { CommandProgram, Kernel } from '../../../runtime/loom/typed.js';
import * as b from '../../generators/typed-builder.js';
import { CommandBench } from './run-command.js';

const { t } = b;
const bytesOf = (array: Float32Array | Int32Array | Uint32Array) =>
  new Uint8Array(array.buffer.slice(0));
const f32s = (bytes: Uint8Array) => new Float32Array(bytes.slice().buffer);
const i32s = (bytes: Uint8Array) => new Int32Array(bytes.slice().buffer);

/** y[i] = x[(i * 7 + shift) mod n] * 3 + i: reads what other workgroups wrote. */
function mixing(): Kernel {
  const k = new b.KernelBuilder('mixing', 16);
  const x = k.view('x', 'in', b.storage('f32'));
  const y = k.view('y', 'out', b.storage('f32'));
  const shift = k.scalar('shift', t.i32);
  const [base, lane, i, from] = [
    k.local('base', t.i32),
    k.local('lane', t.i32),
    k.local('i', t.i32),
    k.local('from', t.i32),
  ];
  const body = b.block(
    b.set(base, b.mul(b.add(b.mul(b.workgroup(1), b.i32(8)), b.workgroup(0)), b.i32(16))),
    k.parallel(
      lane,
      { from: b.i32(0), to: b.i32(16) },
      b.block(
        b.set(i, b.add(base.get, lane.get)),
        b.set(from, b.arithmetic('%', b.add(b.mul(i.get, b.i32(7)), shift.get), x.length)),
        y.set(i.get, b.add(b.mul(x.get(from.get), b.f32(3)), b.convert(t.f32, i.get))),
      ),
    ),
  );
  return k.build(body);
}

function mix(x: Float32Array, shift: number): Float32Array {
  return x.map((_, i) => Math.fround(Math.fround(x[(i * 7 + shift) % x.length]! * 3) + i));
}

const count = 8 * 16 * 16;

function chain(): CommandProgram {
  const step = (from: number | 'root', to: number | 'root', shift: number) => {
    const range = (place: number | 'root', root: number) =>
      place === 'root' ? b.wholeRoot(root) : b.wholeWorkspace(place);
    return b.dispatch(0, [range(from, 0), range(to, 1), b.word(shift)], 8, 16);
  };
  return b.commandProgram({
    roots: [b.root('in'), b.root('out')],
    kernels: [mixing()],
    workspaces: [0, 1, 2].map((i) => ({
      name: `w${i}`,
      bytes: count * 4,
      zero: false,
      lifetime: 'command' as const,
    })),
    steps: [step('root', 0, 1), step(0, 1, 2), step(1, 2, 3), step(2, 0, 4), step(0, 'root', 5)],
  });
}

test('one, two and three workers give the same bits, those of the definition', async () => {
  const compiled = compileCommand(chain());
  assert.is(compiled.reflection.barriers, 4);
  const input = Float32Array.from({ length: count }, (_, i) => Math.fround(Math.sin(i) * 1e-3));
  const expected = [1, 2, 3, 4, 5].reduce(mix, input);
  for (const workers of [1, 2, 3]) {
    const bench = new CommandBench(compiled, [bytesOf(input), new Uint8Array(count * 4)]);
    for (let round = 0; round < 2; round++) {
      const result = await bench.run({ workers });
      assert.is(result.poison, 0);
      assert.equal(f32s(result.roots[1]!), expected, `${workers} workers`);
      assert.ok(bench.canariesIntact());
    }
  }
});

test('the reflection survives structured clone and names what a device must provide', () => {
  const { reflection } = compileCommand(chain());
  assert.equal(structuredClone(reflection), reflection);
  assert.is(reflection.dispatches, 5);
  assert.is(reflection.steps.length, 5);
  for (const step of reflection.steps) assert.match(step, /^mixing \(test\.loom:\d+:1\)$/);
  // w0 is live to the end, w1 and w2 meet it: all three at once.
  assert.is(reflection.workspaceBytes, 3 * count * 4);
  assert.is(reflection.parts, 1);
});

test('a worker that the system keeps away holds up nobody: the others do all of it', async () => {
  const input = Float32Array.from({ length: count }, (_, i) => Math.fround(Math.cos(i) * 1e-3));
  const bench = new CommandBench(compileCommand(chain()), [
    bytesOf(input),
    new Uint8Array(count * 4),
  ]);
  const { poison, roots } = await bench.run({ workers: 3, absent: [2] });
  assert.is(poison, 0);
  assert.equal(f32s(roots[1]!), [1, 2, 3, 4, 5].reduce(mix, input));
});

test('workers that wait for one another are freed when the driver poisons the submission', async () => {
  // All meet when they have read the words, before a dispatch writes there.
  const bench = new CommandBench(compileCommand(overwriting()), [new Uint8Array(13 * 4)]);
  // Worker 2 of 3 never comes, as if it had died.
  const running = bench.run({ workers: 3, absent: [2] });
  setTimeout(() => bench.poison(POISON.workerLost), 150);
  const result = await running;
  assert.is(result.poison, POISON.workerLost);
  assert.equal([...result.roots[0]!], Array(13 * 4).fill(0));
});

test('a submission that is poisoned from the start ends without an answer', async () => {
  const bench = new CommandBench(compileCommand(chain()), [
    new Uint8Array(count * 4),
    new Uint8Array(count * 4),
  ]);
  const result = await bench.run({ workers: 2, poison: POISON.workerLost });
  assert.is(result.poison, POISON.workerLost);
});

/** counts[0] gains 1 for every workgroup; y[i] = 1. */
function counting(): Kernel {
  const k = new b.KernelBuilder('counting', 1);
  const counts = k.view('counts', 'acc', b.storage('i32'));
  const rounds = k.scalar('rounds', t.i32);
  const [lane, i] = [k.local('lane', t.i32), k.local('i', t.i32)];
  return k.build(
    b.block(
      k.parallel(
        lane,
        { from: b.i32(0), to: b.i32(1) },
        b.block(
          b.loop(
            i,
            { from: b.i32(0), to: rounds.get },
            b.block(counts.accumulate('add', b.i32(0), b.i32(1))),
          ),
          counts.accumulate('max', b.i32(1), b.workgroup(0)),
          counts.accumulate('min', b.i32(2), b.unary('negate', b.workgroup(0))),
          counts.accumulate('xor', b.i32(3), b.workgroup(0)),
          counts.accumulate('add', b.i32(99), b.i32(1)),
        ),
      ),
    ),
  );
}

function counted(extents: readonly number[], rounds: number): CommandProgram {
  return b.commandProgram({
    roots: [b.root('inout')],
    kernels: [counting()],
    steps: [b.dispatch(0, [b.wholeRoot(0), b.word(rounds)], ...extents)],
  });
}

test('accumulation is exact whoever takes the workgroups; out of range is dropped', async () => {
  const compiled = compileCommand(counted([1000, 3, 2], 5));
  for (const workers of [1, 3]) {
    const bench = new CommandBench(compiled, [new Uint8Array(16)]);
    const result = await bench.run({ workers });
    let xor = 0;
    for (let i = 0; i < 1000; i++) xor ^= i;
    assert.equal([...i32s(result.roots[0]!)], [1000 * 6 * 5, 999, -999, 0 * xor]);
    assert.ok(bench.canariesIntact());
  }
});

test('a grid beyond the limit poisons with its step and extent; an empty one is skipped', () => {
  const run = (...extents: number[]) =>
    new CommandBench(compileCommand(counted(extents, 1)), [new Uint8Array(16)]).runAlone();
  const large = run(2, 65_536);
  assert.equal(
    [large.poison, large.poisonStep, large.poisonDetail],
    [POISON.gridTooLarge, 0, 65_536],
  );
  assert.is(run(65_535).poison, 0);
  assert.is(run(-1).poison, POISON.gridTooLarge);
  const empty = run(0, 7);
  assert.equal([empty.poison, [...empty.roots[0]!]], [0, Array(16).fill(0)]);
});

test('loops and grids that exceed the budget end as "ran too long"', async () => {
  const bench = new CommandBench(compileCommand(counted([3], 2 ** 31 - 1)), [new Uint8Array(16)]);
  const result = await bench.run({ workers: 2, budget: 1_000_000 });
  assert.is(result.poison, POISON.ranTooLong);
  const grid = new CommandBench(compileCommand(counted([60_000, 60_000], 0)), [new Uint8Array(16)]);
  assert.is(grid.runAlone().poison, POISON.ranTooLong);
});

/** y[i] = x[i] + scale for i < rows, from words of the packet. */
function scaled(): Kernel {
  const k = new b.KernelBuilder('scaled', 4);
  const x = k.view('x', 'inout', b.storage('f32'));
  const rows = k.scalar('rows', t.i32);
  const scale = k.scalar('scale', t.f32);
  const lane = k.local('lane', t.i32);
  const at = b.add(b.mul(b.workgroup(0), b.i32(4)), lane.get);
  return k.build(
    b.block(
      k.parallel(
        lane,
        { from: b.i32(0), to: b.i32(4) },
        b.block(
          b.when(b.compare('<', at, rows.get), b.block(x.set(at, b.add(x.get(at), scale.get)))),
        ),
      ),
    ),
  );
}

/** Three steps over a packet whose words they are given, the count among them. */
function overwriting(): CommandProgram {
  const w = (offset: number, type: 'i32' | 'f32' = 'i32') =>
    ({ op: 'word', type, root: 0, offset }) as const;
  const grid = { op: 'ceil_div', type: 'i32', left: w(0), right: b.word(4) } as const;
  const step = b.dispatch(0, [b.wholeRoot(0), w(0), w(4, 'f32')], grid);
  return b.commandProgram({
    roots: [b.root('inout', { hosted: true })],
    kernels: [scaled()],
    steps: [step, step, step],
  });
}

test('words mean the packet as uploaded, although a dispatch overwrites it', async () => {
  const packet = new Float32Array(13);
  new Int32Array(packet.buffer)[0] = 10;
  packet[1] = 0.25;
  const expected = packet.slice();
  for (let round = 0; round < 3; round++)
    for (let i = 0; i < 10; i++) expected[i] = Math.fround(expected[i]! + 0.25);
  for (const workers of [1, 3]) {
    const result = await new CommandBench(compileCommand(overwriting()), [bytesOf(packet)]).run({
      workers,
    });
    assert.equal(bytesOf(f32s(result.roots[0]!)), bytesOf(expected));
  }
});

test('a zeroed workspace is clean although its bytes were dirty, and parts run one at a time', async () => {
  const k = new b.KernelBuilder('add_into', 1);
  const x = k.view('x', 'inout', b.storage('i32'));
  const lane = k.local('lane', t.i32);
  const addInto = k.build(
    b.block(
      k.parallel(
        lane,
        { from: b.i32(0), to: b.i32(37) },
        b.block(x.set(lane.get, b.add(x.get(lane.get), b.add(lane.get, b.i32(1))))),
      ),
    ),
  );
  const c = new b.KernelBuilder('copy', 1);
  const [from, to] = [
    c.view('from', 'in', b.storage('i32')),
    c.view('to', 'out', b.storage('i32')),
  ];
  const i = c.local('i', t.i32);
  const copy = c.build(
    b.block(
      c.parallel(i, { from: b.i32(0), to: b.i32(37) }, b.block(to.set(i.get, from.get(i.get)))),
    ),
  );
  const program = b.commandProgram({
    roots: [b.root('out')],
    kernels: [addInto, copy],
    workspaces: [{ name: 'sum', bytes: 37 * 4, zero: true, lifetime: 'invocation' }],
    steps: [
      b.dispatch(0, [b.wholeWorkspace(0)], 1),
      { op: 'part', site: 0 },
      b.dispatch(0, [b.wholeWorkspace(0)], 1),
      b.dispatch(1, [b.wholeWorkspace(0), b.wholeRoot(0)], 1),
    ],
  });
  const compiled = compileCommand(program);
  assert.equal([compiled.reflection.parts, compiled.reflection.invocationBytes], [2, 256]);
  const bench = new CommandBench(compiled, [new Uint8Array(37 * 4)]);
  await bench.run({ workers: 3, part: 0 });
  await bench.run({ workers: 2, part: 1 });
  const again = await bench.run({ workers: 1, part: 1 });
  assert.equal(
    [...i32s(again.roots[0]!)],
    Array.from({ length: 37 }, (_, at) => 3 * (at + 1)),
  );
});

test('an indirect grid is read after the dispatch that makes it', async () => {
  const k = new b.KernelBuilder('decide', 1);
  const grid = k.view('grid', 'out', b.storage('i32'));
  const lane = k.local('lane', t.i32);
  const decide = k.build(
    b.block(
      k.parallel(
        lane,
        { from: b.i32(0), to: b.i32(6) },
        b.block(
          grid.set(
            lane.get,
            b.intrinsic('max', t.i32, [b.sub(b.i32(12), b.mul(lane.get, b.i32(3))), b.i32(1)]),
          ),
        ),
      ),
    ),
  );
  const indirect = (range: ReturnType<typeof b.wholeWorkspace>, index: number) => ({
    ...b.dispatch(1, [b.wholeRoot(0), b.word(1)], 1),
    grid: { kind: 'indirect', range, index } as const,
  });
  const program = b.commandProgram({
    roots: [b.root('inout')],
    kernels: [decide, counting()],
    workspaces: [{ name: 'grid', bytes: 24, zero: false, lifetime: 'command' }],
    steps: [
      b.dispatch(0, [b.wholeWorkspace(0)], 1),
      indirect(b.wholeWorkspace(0), 0),
      indirect(b.wholeWorkspace(0), 1),
      indirect(b.wholeWorkspace(0), 2),
    ],
  });
  const result = await new CommandBench(compileCommand(program), [new Uint8Array(16)]).run({
    workers: 2,
  });
  // 12 * 9 * 6, then 3 * 1 * 1, then a grid beyond the range: none.
  assert.is(i32s(result.roots[0]!)[0], 12 * 9 * 6 + 3);
});

test.run();
