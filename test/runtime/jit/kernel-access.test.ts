/**
 * Robust access: whatever the indices, a read outside gives zero, a write outside is dropped and
 * nothing beyond a view changes. Loops over random affine indices, whose checks are hoisted or
 * split, are compared with a direct evaluation that checks every index by itself.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import fc from '../../properties.js';
import { compileCommand } from '../../../runtime/jit/compile-command.js';
import type { Expr, Kernel, Stmt } from '../../../runtime/loom/typed.js';
import * as b from '../../generators/typed-builder.js';
import { CommandBench } from './run-command.js';

const { t } = b;
type Reader = (index: number) => number;

/** An index a * i + base + c, wrapping. */
interface Affine {
  readonly factor: number;
  readonly constant: number;
}
const at = ({ factor, constant }: Affine, i: number, base: number) =>
  (Math.imul(factor, i) + base + constant) | 0;

interface Case {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly base: number;
  readonly dynamic: boolean;
  readonly reads: readonly Affine[];
  readonly write: Affine;
  readonly length: number;
  readonly outLength: number;
  readonly kind: 'get' | 'vec4' | 'take' | 'tile' | 'slice' | 'shared';
  readonly width: number;
}

const affine = fc.record({
  factor: fc.oneof(fc.integer({ min: -4, max: 6 }), fc.constantFrom(2 ** 20, -(2 ** 29))),
  constant: fc.oneof(
    fc.integer({ min: -12, max: 40 }),
    fc.constantFrom(2 ** 31 - 1, -(2 ** 31), 2 ** 30),
  ),
});
const anyCase: fc.Arbitrary<Case> = fc
  .record({
    from: fc.oneof(fc.integer({ min: -6, max: 10 }), fc.constantFrom(2 ** 31 - 20)),
    to: fc.integer({ min: -6, max: 14 }),
    step: fc.integer({ min: 1, max: 5 }),
    base: fc.integer({ min: -20, max: 40 }),
    dynamic: fc.boolean(),
    reads: fc.array(affine, { minLength: 1, maxLength: 4 }),
    write: affine,
    length: fc.integer({ min: 0, max: 48 }),
    outLength: fc.integer({ min: 0, max: 24 }),
    kind: fc.constantFrom('get', 'vec4', 'take', 'tile', 'slice', 'shared'),
    width: fc.integer({ min: 1, max: 6 }),
  })
  .map((c) => ({ ...c, to: c.from > 100 ? 2 ** 31 - 1 : c.to }));

const SHARED = 32;

/** s += 31 * s + value, in u32, so that the order and every value count. */
function mix(sum: b.Variable, value: Expr): Stmt {
  return b.set(sum, b.add(b.mul(sum.get, b.u32(31)), value));
}

function kernelOf(c: Case): Kernel {
  const k = new b.KernelBuilder('access', 1);
  const x = k.view('x', 'in', b.storage('u32'));
  const y = k.view('y', 'inout', b.storage('u32'));
  const scalars = ['base', 'from', 'to', 'width'].map((name) => k.scalar(name, t.i32));
  const [base, from, to, width] = scalars as [b.Variable, b.Variable, b.Variable, b.Variable];
  const [lane, i, p, sum] = [
    k.local('lane', t.i32),
    k.local('i', t.i32),
    k.local('p', t.i32),
    k.local('sum', t.u32),
  ];
  const shared = k.shared('s', t.u32, SHARED);
  const index = ({ factor, constant }: Affine) =>
    b.add(b.add(b.mul(i.get, b.i32(factor)), base.get), b.i32(constant));
  const read = (place: Affine): Stmt[] => {
    if (c.kind === 'get') return [b.set(p, index(place)), mix(sum, x.get(p.get))];
    if (c.kind === 'shared') return [mix(sum, shared.get(index(place)))];
    if (c.kind === 'vec4') {
      const four = k.local('four', t.u32x4);
      return [
        b.set(four, x.vec4(index(place))),
        ...[0, 1, 2, 3].map((n) => mix(sum, b.extract(four.get, n))),
      ];
    }
    if (c.kind === 'take') {
      const taken = Array.from({ length: c.width }, (_, n) => k.local(`t${n}`, t.u32));
      return [
        k.take(x, index(place), b.i32(7), taken),
        ...taken.map((value) => mix(sum, value.get)),
      ];
    }
    const part =
      c.kind === 'tile' ? k.tile(x, index(place), c.width) : k.slice(x, index(place), width.get);
    const inside = [0, c.width - 1, c.width].map((n) => mix(sum, part.view.get(b.i32(n))));
    return [part.define, ...inside];
  };
  const range = c.dynamic
    ? { from: from.get, to: to.get }
    : { from: b.i32(c.from), to: b.i32(c.to) };
  const body = b.block(
    ...c.reads.flatMap(read),
    b.when(b.compare('!=', sum.get, b.u32(7)), b.block(y.set(index(c.write), sum.get))),
  );
  const fill = k.local('fill', t.i32);
  return k.build(
    b.block(
      k.parallel(
        fill,
        { from: b.i32(0), to: b.i32(SHARED) },
        b.block(shared.set(fill.get, b.convert(t.u32, b.add(b.mul(fill.get, b.i32(3)), b.i32(1))))),
      ),
      k.parallel(
        lane,
        { from: b.i32(0), to: b.i32(1) },
        b.block(b.loop(i, { ...range, step: c.step }, body)),
      ),
    ),
  );
}

/** The same by checking every index by itself. */
function evaluate(c: Case, x: Uint32Array, y: Uint32Array): void {
  const checked =
    (values: ArrayLike<number>): Reader =>
    (n) =>
      n >= 0 && n < values.length ? values[n]! : 0;
  const get = checked(x);
  const shared = checked(Array.from({ length: SHARED }, (_, n) => 3 * n + 1));
  let sum = 0;
  const add = (value: number) => (sum = (Math.imul(sum, 31) + value) >>> 0);
  for (let i = c.from; i < c.to; i += c.step) {
    for (const place of c.reads) {
      const index = at(place, i, c.base);
      if (c.kind === 'get') add(get(index));
      else if (c.kind === 'shared') add(shared(index));
      else if (c.kind === 'vec4') for (let n = 0; n < 4; n++) add(get((index + n) | 0));
      else if (c.kind === 'take') for (let n = 0; n < c.width; n++) add(get((index + 7 * n) | 0));
      else {
        const whole = index >= 0 && index + c.width <= x.length;
        for (const n of [0, c.width - 1, c.width]) add(whole && n < c.width ? get(index + n) : 0);
      }
    }
    const to = at(c.write, i, c.base);
    if (sum !== 7 && to >= 0 && to < y.length) y[to] = sum;
  }
}

const bytesOf = (array: Uint32Array) => new Uint8Array(array.buffer.slice(0));

function run(c: Case): void {
  const program = b.commandProgram({
    roots: [b.root('in'), b.root('inout')],
    kernels: [kernelOf(c)],
    steps: [
      b.dispatch(
        0,
        [
          b.wholeRoot(0),
          b.wholeRoot(1),
          b.word(c.base),
          b.word(c.from),
          b.word(c.to),
          b.word(c.width),
        ],
        1,
      ),
    ],
  });
  const x = Uint32Array.from({ length: c.length }, (_, n) => n * 2654435761 + 12345);
  const y = Uint32Array.from({ length: c.outLength }, (_, n) => n + 100);
  const bench = new CommandBench(compileCommand(program), [bytesOf(x), bytesOf(y)]);
  const result = bench.runAlone();
  evaluate(c, x, y);
  assert.equal([...new Uint32Array(result.roots[1]!.buffer)], [...y]);
  assert.equal(result.roots[0], bytesOf(x));
  assert.ok(bench.canariesIntact(), 'bytes outside the views unchanged');
  assert.is(result.poison, 0);
}

test('loops over affine indices read zeros outside and write nowhere else', () => {
  fc.assert(fc.property(anyCase, run), { numRuns: 400 });
});

const fixed: Case = {
  from: 0,
  to: 8,
  step: 1,
  base: 0,
  dynamic: false,
  kind: 'get',
  width: 4,
  length: 32,
  outLength: 8,
  reads: [{ factor: 1, constant: 0 }],
  write: { factor: 1, constant: 0 },
};

test('rows wholly outside keep the fast loop right, as do rows that straddle the end', () => {
  for (const kind of ['take', 'get', 'vec4', 'tile', 'slice'] as const) {
    for (const length of [0, 1, 6, 7, 8, 9, 13, 14, 21, 29, 64]) {
      for (const dynamic of [false, true]) {
        run({
          ...fixed,
          kind,
          length,
          dynamic,
          reads: [
            { factor: 1, constant: 0 },
            { factor: 1, constant: 8 },
          ],
        });
        run({
          ...fixed,
          kind,
          length,
          dynamic,
          reads: [
            { factor: -1, constant: 7 },
            { factor: 0, constant: 3 },
          ],
        });
      }
    }
  }
});

test('indices that wrap around all of i32 and come back are checked one by one', () => {
  const wrapping = { factor: 2 ** 20, constant: 0 };
  for (const dynamic of [false, true]) {
    for (const write of [fixed.write, { factor: 2 ** 20, constant: 5 }]) {
      run({ ...fixed, dynamic, to: 4097, reads: [wrapping], write });
      run({ ...fixed, dynamic, to: 4097, reads: [wrapping, { factor: 1, constant: 0 }], write });
    }
  }
});

test('tiles of views that are written drop what does not fit as a whole', () => {
  for (const access of ['out', 'inout'] as const) {
    const k = new b.KernelBuilder('tiles', 1);
    const y = k.view('y', access, b.storage('u32'));
    const [lane, i] = [k.local('lane', t.i32), k.local('i', t.i32)];
    const tile = k.tile(y, b.mul(lane.get, b.i32(4)), 4);
    const inner = k.tile(tile.view, b.i32(2), 2);
    const value = b.convert(t.u32, b.add(b.mul(lane.get, b.i32(10)), i.get));
    const program = b.commandProgram({
      roots: [b.root(access)],
      kernels: [
        k.build(
          b.block(
            k.parallel(
              lane,
              { from: b.i32(-1), to: b.i32(4) },
              b.block(
                tile.define,
                inner.define,
                b.loop(i, { from: b.i32(0), to: b.i32(2) }, b.block(inner.view.set(i.get, value))),
                ...(access === 'inout'
                  ? [tile.view.set(b.i32(0), b.add(inner.view.get(b.i32(1)), b.u32(500)))]
                  : []),
              ),
            ),
          ),
        ),
      ],
      steps: [b.dispatch(0, [b.wholeRoot(0)], 1)],
    });
    const bench = new CommandBench(compileCommand(program), [new Uint8Array(40)]);
    const first = access === 'inout' ? [501, 511] : [0, 0];
    assert.equal(
      [...new Uint32Array(bench.runAlone().roots[0]!.buffer)],
      [first[0]!, 0, 0, 1, first[1]!, 0, 10, 11, 0, 0],
    );
    assert.ok(bench.canariesIntact());
  }
});

test('elements of layouts: fields, arrays in them, sub-indices out of range', () => {
  const k = new b.KernelBuilder('layouts', 1);
  // { a: u32, b: u32[3], c: u32x2 } at 0, 4, 16: 24 bytes.
  const x = k.view('x', 'inout', { elem: 'u32', lanes: 1, size: 24 });
  const [lane, n] = [k.local('lane', t.i32), k.local('n', t.i32)];
  const place = (offset: number, sub: Expr | null) => ({
    view: x.id,
    index: lane.get,
    offset,
    storage: b.storage('u32'),
    sub: sub && { index: sub, count: 3, stride: 4 },
  });
  const get = (sub: Expr | null): Expr => ({
    op: 'view.get',
    ...place(sub ? 4 : 0, sub),
    type: t.u32,
    site: 0,
  });
  const put = (sub: Expr | null, value: Expr): Stmt => ({
    op: 'view.set',
    ...place(sub ? 4 : 0, sub),
    value,
    site: 0,
  });
  const program = b.commandProgram({
    roots: [b.root('inout')],
    kernels: [
      k.build(
        b.block(
          k.parallel(
            lane,
            { from: b.i32(-1), to: b.i32(4) },
            b.block(
              b.loop(
                n,
                { from: b.i32(-1), to: b.i32(4) },
                b.block(
                  put(
                    n.get,
                    b.add(get(n.get), b.convert(t.u32, b.add(n.get, b.mul(lane.get, b.i32(10))))),
                  ),
                ),
              ),
              put(null, b.add(get(b.i32(2)), get(b.i32(3)))),
            ),
          ),
        ),
      ),
    ],
    steps: [b.dispatch(0, [b.wholeRoot(0)], 1)],
  });
  const bench = new CommandBench(compileCommand(program), [new Uint8Array(72)]);
  const words = [...new Uint32Array(bench.runAlone().roots[0]!.buffer)];
  assert.equal(
    words,
    [0, 1, 2].flatMap((l) => [10 * l + 2, 10 * l, 10 * l + 1, 10 * l + 2, 0, 0]),
  );
  assert.ok(bench.canariesIntact());
});

test.run();
