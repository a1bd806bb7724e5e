/** The reference device: robust access, fixed orders, tiles, grids, parts, limits. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Expr, Kernel } from '../../../runtime/loom/typed.js';
import { interpretCommand } from '../../../runtime/vm/device/command-interpreter.js';
import * as b from '../../generators/typed-builder.js';
import { asFloats, asWords, bench, floats, run, words } from './device-bench.js';
import { errorOf } from './run-expression.js';

const { t } = b;
const u32 = b.storage('u32');

test('reads out of range give zero, writes out of range are dropped', () => {
  const on = bench();
  const body = b.block(
    on.region(
      4,
      on.y.set(on.lane.get, on.x.get(b.sub(on.lane.get, b.i32(1)))),
      on.y.set(b.i32(-1), b.f32(9)),
      on.y.set(b.i32(4), b.f32(9)),
    ),
  );
  const memory = floats(1, 2, 7, 0, 0, 0, 0, 7);
  const [x, y] = [memory.subarray(0, 8), memory.subarray(12, 28)];
  run(on, body, [x, y]);
  assert.equal(asFloats(memory), [1, 2, 7, 0, 1, 2, 0, 7]);
});

test('a tile is whole or void, a slice is whole or empty', () => {
  for (const [base, expected] of [
    [1, [2, 3, 0, 2]],
    [3, [0, 0, 0, 2]],
    [-1, [0, 0, 0, 2]],
  ] as const) {
    const on = bench(1);
    const { view, define } = on.k.tile(on.x, b.i32(base), 2);
    const reads = [0, 1, 2].map((i) => on.y.set(b.i32(i), view.get(b.i32(i))));
    const length = on.y.set(b.i32(3), b.convert(t.f32, view.length));
    const y = new Uint8Array(16);
    run(on, b.block(on.region(1, define, ...reads, length)), [floats(1, 2, 3, 4), y]);
    assert.equal(asFloats(y), expected, `tile at ${base}`);
  }
  for (const [base, count, expected] of [
    [1, 3, [2, 4, 0, 3]],
    [2, 3, [0, 0, 0, 0]],
    [4, 0, [0, 0, 0, 0]],
  ] as const) {
    const on = bench(1);
    const { view, define } = on.k.slice(on.x, b.i32(base), b.i32(count));
    const reads = [0, 2, 3].map((i, at) => on.y.set(b.i32(at), view.get(b.i32(i))));
    const length = on.y.set(b.i32(3), b.convert(t.f32, view.length));
    const y = new Uint8Array(16);
    run(on, b.block(on.region(1, define, ...reads, length)), [floats(1, 2, 3, 4), y]);
    assert.equal(asFloats(y), expected, `slice at ${base}`);
  }
});

/** The order of the language, written out: pairs at the largest power of two below n. */
function treeSum(values: readonly number[]): number {
  if (values.length === 1) return values[0]!;
  let half = 1;
  while (half * 2 < values.length) half *= 2;
  const folded = values
    .slice(0, half)
    .map((value, i) => (i + half < values.length ? Math.fround(value + values[i + half]!) : value));
  return treeSum(folded);
}

test('sums are added in the fixed order', () => {
  for (const count of [1, 2, 3, 5, 8, 11]) {
    const values = Array.from({ length: 11 }, (_, i) =>
      Math.fround(1.1 ** (i * 7) * (i % 3 === 0 ? -1 : 1)),
    );
    const on = bench(1);
    const shared = on.k.shared('s', t.f32, 11);
    const total = on.k.local('total', t.f32);
    const line = on.k.local('line', t.f32);
    const body = b.block(
      on.region(11, shared.set(on.lane.get, on.x.get(on.lane.get))),
      b.set(total, shared.reduce('add', b.i32(0), count)),
      b.set(line, shared.reduce('in_order', b.i32(0), count)),
      on.region(
        1,
        on.y.set(b.i32(0), total.get),
        on.y.set(b.i32(1), line.get),
        on.y.set(b.i32(2), shared.get(b.i32(10))),
      ),
    );
    const y = new Uint8Array(12);
    run(on, body, [floats(...values), y]);
    const straight = values.slice(0, count).reduce((sum, value) => Math.fround(sum + value));
    assert.equal(
      asFloats(y),
      [treeSum(values.slice(0, count)), straight, values[10]!],
      `of ${count}`,
    );
  }
});

test('argmax prefers the lower id among equals', () => {
  const on = bench(4, u32);
  const values = on.k.shared('v', t.u32, 4);
  const ids = on.k.shared('i', t.u32, 4);
  const [value, index] = [on.k.local('value', t.u32), on.k.local('index', t.u32)];
  const body = b.block(
    on.region(
      4,
      values.set(on.lane.get, on.x.get(on.lane.get)),
      ids.set(on.lane.get, on.x.get(b.add(on.lane.get, b.i32(4)))),
    ),
    {
      op: 'argmax',
      values: values.id,
      ids: ids.id,
      count: 4,
      value: value.id,
      index: index.id,
      site: b.site(),
    },
    on.region(1, on.y.set(b.i32(0), value.get), on.y.set(b.i32(1), index.get)),
  );
  const y = new Uint8Array(8);
  run(on, body, [words(5, 9, 9, 1, 40, 30, 20, 10), y]);
  assert.equal(asWords(y), [9, 20]);
});

test('private arrays belong to an invocation and survive regions', () => {
  const on = bench(4, u32);
  const p = on.k.private('p', t.u32, 2);
  const id = b.convert(t.u32, on.lane.get);
  const body = b.block(
    on.region(4, p.set(1, b.mul(id, b.u32(10)))),
    on.region(4, on.y.set(on.lane.get, b.add(p.get(1), p.get(0)))),
  );
  const y = new Uint8Array(16);
  run(on, body, [words(0), y]);
  assert.equal(asWords(y), [0, 10, 20, 30]);
});

test('narrow storage loads and stores what its format says', () => {
  const k = new b.KernelBuilder('k', 1);
  const h = k.view('h', 'in', b.storage('f16', 4));
  const bytes = k.view('bytes', 'in', b.storage('i8'));
  const out = k.view('out', 'out', b.storage('bf16', 2));
  const lane = k.local('lane', t.i32);
  const pair = b.vector(t.f32x2, [
    b.extract(h.get(b.i32(0)), 1),
    b.convert(t.f32, bytes.get(b.i32(3))),
  ]);
  const region = k.parallel(
    lane,
    { from: b.i32(0), to: b.i32(1) },
    b.block(out.set(b.i32(0), pair)),
  );
  const command = b.commandProgram({
    roots: [b.root('in'), b.root('in'), b.root('out')],
    kernels: [k.build(b.block(region))],
    steps: [b.dispatch(0, [0, 1, 2].map(b.wholeRoot), 1)],
  });
  const y = new Uint8Array(4);
  // f16 0x3c01 is 1.0009765625, which bf16 rounds to 1; the byte 0xfd is -3.
  const halves = new Uint8Array(new Uint16Array([0, 0x3c01, 0, 0]).buffer);
  interpretCommand(command, { roots: [halves, Uint8Array.of(0, 0, 0, 0xfd), y] });
  assert.equal([...new Uint16Array(y.buffer)], [0x3f80, 0xc040]);
});

function counting(): Kernel {
  const k = new b.KernelBuilder('count', 1);
  const out = k.view('out', 'acc', u32);
  const step = k.scalar('step', t.u32);
  const lane = k.local('lane', t.i32);
  const at = b.add(b.mul(b.workgroup(1), b.i32(2)), b.workgroup(0));
  return k.build(
    b.block(
      k.parallel(
        lane,
        { from: b.i32(0), to: b.i32(1) },
        b.block(out.accumulate('add', at, step.get)),
      ),
    ),
  );
}

test('grids and scalars come from words as they were uploaded, indirect grids from memory', () => {
  const word = { op: 'word', type: 'u32', root: 0, offset: 0 } as const;
  const command = b.commandProgram({
    roots: [b.root('inout', { hosted: true }), b.root('in')],
    kernels: [counting()],
    steps: [
      b.dispatch(0, [b.wholeRoot(0), word], {
        op: 'ceil_div',
        type: 'u32',
        left: word,
        right: b.word(3, 'u32'),
      }),
      // The first dispatch changed the word; scalars do not see that.
      b.dispatch(0, [b.wholeRoot(0), word], 1, 2),
      b.dispatch(0, [b.wholeRoot(0), b.word(1, 'u32')], 0),
      {
        ...b.dispatch(0, [b.wholeRoot(0), b.word(100, 'u32')]),
        grid: { kind: 'indirect', range: b.wholeRoot(1), index: 1 },
      },
    ],
  });
  const root = words(4, 0, 0, 0);
  interpretCommand(command, { roots: [root, words(9, 9, 9, 2, 1, 1)] });
  assert.equal(asWords(root), [4 + 4 + 4 + 100, 4 + 100, 4, 0]);
});

test('wrong bindings and grids are errors that say what was asked', () => {
  const command = b.commandProgram({
    roots: [b.root('inout', { name: 'packet', bytesMin: 8 })],
    kernels: [counting()],
    steps: [b.dispatch(0, [b.wholeRoot(0), b.word(1, 'u32')], 70_000)],
  });
  assert.match(
    errorOf(() => interpretCommand(command, { roots: [] })).message,
    'takes 1 roots, got 0',
  );
  assert.match(
    errorOf(() => interpretCommand(command, { roots: [words(1)] })).message,
    "root 'packet' of test.command needs 8 bytes, got 4",
  );
  assert.match(
    errorOf(() => interpretCommand(command, { roots: [words(1, 2)] })).message,
    'the grid of count is (70000, 1, 1); each extent may be at most 65535',
  );
  const on = bench();
  const body = b.block(on.region(1, on.y.set(b.i32(0), on.x.get(b.i32(0)))));
  const memory = floats(1, 2, 3, 4);
  const overlap = errorOf(() => run(on, body, [memory.subarray(0, 12), memory.subarray(8)]));
  assert.match(overlap.message, "'x' and 'y' of k overlap");
});

test('parts run one by one, and workspaces of the invocation live through them', () => {
  const command = b.commandProgram({
    roots: [b.root('inout')],
    kernels: [counting(), copying()],
    workspaces: [{ name: 'w', bytes: 8, zero: true, lifetime: 'invocation' }],
    steps: [
      b.dispatch(0, [b.wholeWorkspace(0), b.word(7, 'u32')], 2),
      { op: 'part', site: b.site() },
      b.dispatch(1, [b.wholeWorkspace(0), b.wholeRoot(0)], 1),
    ],
  });
  const root = new Uint8Array(8);
  const first = interpretCommand(command, { roots: [root], part: 0 });
  assert.equal(asWords(root), [0, 0]);
  interpretCommand(command, { roots: [root], part: 1, workspaces: first.workspaces });
  assert.equal(asWords(root), [7, 7]);
});

function copying(): Kernel {
  const on = bench(2, u32);
  return on.k.build(b.block(on.region(2, on.y.set(on.lane.get, on.x.get(on.lane.get)))));
}

test('a loop that runs too long ends the submission', () => {
  const on = bench(1);
  const i = on.k.local('i', t.i32);
  const empty: Expr = b.i32(1_000_000);
  const body = b.block(
    on.region(1, b.loop(i, { from: b.i32(0), to: empty }, b.block(on.y.set(b.i32(0), b.f32(1))))),
  );
  const error = errorOf(() => run(on, body, [floats(1), new Uint8Array(4)], { rounds: 1000 }));
  assert.is(error.code, 'resourceExhausted');
  assert.match(error.message, /^k \(test\.loom:\d+:1\): ran too long: .* more than \d+ rounds/);
});

test.run();
