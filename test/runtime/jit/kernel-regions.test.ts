/**
 * Regions, shared and private arrays, reductions and control flow of kernels, against answers that
 * are computed here step by step.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compileCommand } from '../../../runtime/jit/compile-command.js';
import type { Expr, Kernel, Stmt } from '../../../runtime/loom/typed.js';
import * as b from '../../generators/typed-builder.js';
import { CommandBench } from './run-command.js';

const { t } = b;
const f32 = Math.fround;

/** Runs a kernel of views (x: in, y: out) over a grid; the bytes of y. */
function run(
  kernel: Kernel,
  x: Uint8Array,
  outBytes: number,
  grid: readonly number[] = [1],
): Uint8Array {
  const program = b.commandProgram({
    roots: [b.root('in'), b.root('out')],
    kernels: [kernel],
    steps: [b.dispatch(0, [b.wholeRoot(0), b.wholeRoot(1)], ...grid)],
  });
  const bench = new CommandBench(compileCommand(program), [x, new Uint8Array(outBytes)]);
  const { roots, poison } = bench.runAlone();
  assert.is(poison, 0);
  assert.ok(bench.canariesIntact());
  return roots[1]!.slice();
}
const floatsOf = (bytes: Uint8Array) => [...new Float32Array(bytes.buffer)];
const intsOf = (bytes: Uint8Array) => [...new Int32Array(bytes.buffer)];
const floats = (length: number) =>
  Float32Array.from({ length }, (_, i) => Math.sin(i * 12.9898) * 43758.5453);
const once = (k: b.KernelBuilder, ...stmts: Stmt[]): Stmt =>
  k.parallel(k.local('once', t.i32), { from: b.i32(0), to: b.i32(1) }, b.block(...stmts));

/** The order that the language fixes. */
function reduceTree(values: readonly number[], combine: (a: number, c: number) => number): number {
  const work = [...values];
  for (let n = work.length; n > 1;) {
    let half = 1;
    while (half * 2 < n) half *= 2;
    for (let i = 0; i + half < n; i++) work[i] = combine(work[i]!, work[i + half]!);
    n = half;
  }
  return work[0]!;
}

test('reductions keep their order, leave the array as it was and read zeros outside', () => {
  for (const count of [1, 2, 3, 5, 8, 13, 33]) {
    const k = new b.KernelBuilder('reduce', 8);
    const x = k.view('x', 'in', b.storage('f32'));
    const y = k.view('y', 'out', b.storage('f32'));
    const part = k.shared('part', t.f32, count);
    const lane = k.local('lane', t.i32);
    const kinds = ['add', 'max', 'min', 'in_order'] as const;
    const values = kinds.map(
      (kind) => [k.local(kind, t.f32), part.reduce(kind, b.i32(0), count)] as const,
    );
    const beyond = k.local('beyond', t.f32);
    const kernel = k.build(
      b.block(
        k.parallel(
          lane,
          { from: b.i32(0), to: b.i32(count) },
          b.block(part.set(lane.get, x.get(lane.get))),
        ),
        ...values.map(([local, value]) => b.set(local, value)),
        b.set(beyond, part.reduce('add', b.i32(count - 1), 4)),
        once(
          k,
          ...values.map(([local], i) => y.set(b.i32(i), local.get)),
          y.set(b.i32(4), beyond.get),
          y.set(b.i32(5), part.get(b.i32(0))),
        ),
      ),
    );
    const input = floats(count);
    const list = [...input];
    const add = (a: number, c: number) => f32(a + c);
    const expected = [
      reduceTree(list, add),
      Math.max(...list),
      Math.min(...list),
      list.reduce(add),
      list[count - 1]!,
      list[0]!,
    ];
    assert.equal(
      floatsOf(run(kernel, new Uint8Array(input.buffer), 24)),
      expected,
      `${count} elements`,
    );
  }
});

test('vectors reduce lane by lane', () => {
  const k = new b.KernelBuilder('reduce4', 4);
  const x = k.view('x', 'in', b.storage('f32', 4));
  const y = k.view('y', 'out', b.storage('f32', 4));
  const part = k.shared('part', t.f32x4, 6);
  const [lane, sum] = [k.local('lane', t.i32), k.local('sum', t.f32x4)];
  const kernel = k.build(
    b.block(
      k.parallel(
        lane,
        { from: b.i32(0), to: b.i32(6) },
        b.block(part.set(lane.get, x.get(lane.get))),
      ),
      b.set(sum, part.reduce('add', b.i32(0), 6)),
      once(k, y.set(b.i32(0), sum.get)),
    ),
  );
  const input = floats(24);
  const expected = [0, 1, 2, 3].map((c) =>
    reduceTree(
      [0, 1, 2, 3, 4, 5].map((i) => input[i * 4 + c]!),
      (a, d) => f32(a + d),
    ),
  );
  assert.equal(floatsOf(run(kernel, new Uint8Array(input.buffer), 16)), expected);
});

test('argmax finds the largest value, ties to the lower id', () => {
  const k = new b.KernelBuilder('argmax', 4);
  const x = k.view('x', 'in', b.storage('f32'));
  const y = k.view('y', 'out', b.storage('f32'));
  const [values, ids] = [k.shared('values', t.f32, 5), k.shared('ids', t.i32, 5)];
  const [lane, value, index] = [
    k.local('lane', t.i32),
    k.local('value', t.f32),
    k.local('index', t.i32),
  ];
  const argmax: Stmt = {
    op: 'argmax',
    values: values.id,
    ids: ids.id,
    count: 5,
    value: value.id,
    index: index.id,
    site: 0,
  };
  const kernel = k.build(
    b.block(
      k.parallel(
        lane,
        { from: b.i32(0), to: b.i32(5) },
        b.block(
          values.set(lane.get, x.get(lane.get)),
          ids.set(lane.get, b.sub(b.i32(100), lane.get)),
        ),
      ),
      argmax,
      once(k, y.set(b.i32(0), value.get), y.set(b.i32(1), b.convert(t.f32, index.get))),
    ),
  );
  const find = (...list: number[]) =>
    floatsOf(run(kernel, new Uint8Array(Float32Array.from(list).buffer), 8));
  assert.equal(find(1, 7, 3, 7, 2), [7, 97]);
  assert.equal(find(-3, -1, -2, -5, -9), [-1, 99]);
});

test('shared arrays start as zero in every workgroup, private ones belong to a lane', () => {
  for (const lanes of [1, 4]) {
    const k = new b.KernelBuilder('state', lanes);
    const x = k.view('x', 'in', b.storage('i32'));
    const y = k.view('y', 'out', b.storage('i32'));
    const sums = k.shared('sums', t.i32, 3);
    const mine = k.private('mine', t.i32, 2);
    const [lane, other, round] = [
      k.local('lane', t.i32),
      k.local('other', t.i32),
      k.local('round', t.i32),
    ];
    const range = { from: b.i32(0), to: b.i32(lanes) };
    const kernel = k.build(
      b.block(
        b.loop(
          round,
          { from: b.i32(0), to: b.i32(3) },
          b.block(
            k.parallel(
              lane,
              range,
              b.block(
                mine.set(1, b.add(mine.get(1), b.add(x.get(lane.get), round.get))),
                sums.accumulate('add', b.i32(1), mine.get(1)),
                sums.accumulate('max', b.i32(2), lane.get),
                sums.accumulate('add', b.i32(3), b.i32(99)),
              ),
            ),
          ),
        ),
        k.parallel(
          other,
          range,
          b.block(
            y.set(
              b.add(b.mul(b.workgroup(0), b.i32(lanes)), other.get),
              b.add(
                b.add(mine.get(1), mine.get(0)),
                b.add(sums.get(b.i32(0)), b.mul(sums.get(b.i32(1)), b.i32(1000))),
              ),
            ),
          ),
        ),
      ),
    );
    const input = Int32Array.from({ length: lanes }, (_, i) => i + 1);
    const own = (l: number) =>
      [0, 1, 2].reduce((at, r) => [...at, at.at(-1)! + l + 1 + r], [0]).slice(1);
    const total = Array.from({ length: lanes }, (_, l) => own(l).reduce((a, c) => a + c, 0)).reduce(
      (a, c) => a + c,
      0,
    );
    const group = Array.from({ length: lanes }, (_, l) => own(l)[2]! + 1000 * total);
    assert.equal(
      intsOf(run(kernel, new Uint8Array(input.buffer), 3 * lanes * 4, [3])),
      [...group, ...group, ...group],
      `${lanes} lanes`,
    );
  }
});

test('an array that the first region writes only in part still starts as zero', () => {
  const k = new b.KernelBuilder('partial', 4);
  const x = k.view('x', 'in', b.storage('i32'));
  const y = k.view('y', 'out', b.storage('i32'));
  const s = k.shared('s', t.i32, 4);
  const [lane, other] = [k.local('lane', t.i32), k.local('other', t.i32)];
  const range = { from: b.i32(0), to: b.i32(4) };
  const kernel = k.build(
    b.block(
      k.parallel(
        lane,
        range,
        b.block(
          b.when(b.compare('!=', lane.get, b.i32(2)), b.block(s.set(lane.get, x.get(lane.get)))),
        ),
      ),
      k.parallel(
        other,
        range,
        b.block(y.set(b.add(b.mul(b.workgroup(0), b.i32(4)), other.get), s.get(other.get))),
      ),
    ),
  );
  assert.equal(
    intsOf(run(kernel, new Uint8Array(Int32Array.of(5, 6, 7, 8).buffer), 32, [2])),
    [5, 6, 0, 8, 5, 6, 0, 8],
  );
});

test('early return, break, continue and labelled blocks', () => {
  const k = new b.KernelBuilder('control', 2);
  const x = k.view('x', 'in', b.storage('i32'));
  const y = k.view('y', 'out', b.storage('i32'));
  const [lane, i, n] = [k.local('lane', t.i32), k.local('i', t.i32), k.local('n', t.i32)];
  const at = b.add(b.mul(b.workgroup(1), b.i32(2)), lane.get);
  const kernel = k.build(
    b.block(
      b.when(b.compare('==', b.workgroup(1), b.i32(1)), b.block(b.ret())),
      k.parallel(
        lane,
        { from: b.i32(0), to: b.i32(2) },
        b.block(
          b.set(n, b.i32(0)),
          b.loop(
            i,
            { from: b.i32(-3), to: x.length, step: 2 },
            b.block(
              b.when(b.compare('==', x.get(i.get), b.i32(3)), b.block(b.continueLoop())),
              b.when(b.compare('>', x.get(i.get), b.i32(9)), b.block(b.breakLoop())),
              b.label(
                1,
                b.block(
                  b.when(b.compare('==', lane.get, b.i32(1)), b.block(b.leave(1))),
                  b.set(n, b.add(n.get, b.i32(100))),
                ),
              ),
              b.set(n, b.add(n.get, b.i32(1))),
            ),
          ),
          y.set(at, n.get),
        ),
      ),
    ),
  );
  const input = Int32Array.of(0, 1, 2, 3, 4, 5, 6, 12, 8, 9);
  // i = -3, -1, 1, (3), 5, 7 stops: four rounds.
  assert.equal(
    intsOf(run(kernel, new Uint8Array(input.buffer), 24, [1, 3])),
    [404, 4, 0, 0, 404, 4],
  );
});

test('a scalar that is only broadcast, and one that is also read, give the same sums', () => {
  const make = (alsoRead: boolean): Kernel => {
    const k = new b.KernelBuilder('broadcast', 1);
    const x = k.view('x', 'in', b.storage('f32'));
    const y = k.view('y', 'out', b.storage('f32', 4));
    const [lane, i] = [k.local('lane', t.i32), k.local('i', t.i32)];
    const [a, c, sum] = [k.local('a', t.f32), k.local('c', t.f32), k.local('sum', t.f32x4)];
    const extra: Expr = alsoRead ? a.get : b.f32(0);
    return k.build(
      b.block(
        k.parallel(
          lane,
          { from: b.i32(0), to: b.i32(1) },
          b.block(
            b.loop(
              i,
              { from: b.i32(0), to: b.i32(20) },
              b.block(
                k.take(x, i.get, b.i32(3), [a]),
                b.set(c, b.mul(x.get(b.add(i.get, b.i32(2))), b.f32(0.5))),
                b.set(
                  sum,
                  b.intrinsic('mad', t.f32x4, [
                    b.splat(t.f32x4, a.get),
                    b.splat(t.f32x4, c.get),
                    sum.get,
                  ]),
                ),
                b.set(
                  sum,
                  b.add(sum.get, b.mul(b.splat(t.f32x4, extra), b.constant(t.f32x4, [0, 0, 0, 0]))),
                ),
              ),
            ),
            y.set(b.i32(0), sum.get),
          ),
        ),
      ),
    );
  };
  const input = floats(22);
  let sum = 0;
  for (let i = 0; i < 20; i++) sum = f32(sum + f32(input[i]! * f32(input[i + 2]! * 0.5)));
  for (const alsoRead of [false, true]) {
    assert.equal(
      floatsOf(run(make(alsoRead), new Uint8Array(input.buffer), 16)),
      Array(4).fill(sum),
    );
  }
});

test('a local that is assigned twice in a loop is never taken for a constant step', () => {
  const k = new b.KernelBuilder('zigzag', 1);
  const x = k.view('x', 'in', b.storage('i32'));
  const y = k.view('y', 'out', b.storage('i32'));
  const [lane, i, p] = [k.local('lane', t.i32), k.local('i', t.i32), k.local('p', t.i32)];
  const kernel = k.build(
    b.block(
      k.parallel(
        lane,
        { from: b.i32(0), to: b.i32(1) },
        b.block(
          b.set(p, b.i32(0)),
          b.loop(
            i,
            { from: b.i32(0), to: b.i32(12) },
            b.block(
              b.set(p, b.add(b.arithmetic('%', b.mul(p.get, b.i32(5)), b.i32(7)), i.get)),
              y.set(i.get, x.get(p.get)),
              b.when(b.compare('>', p.get, b.i32(6)), b.block(b.set(p, b.i32(1)))),
              y.set(b.add(i.get, b.i32(12)), x.get(p.get)),
            ),
          ),
        ),
      ),
    ),
  );
  const input = Int32Array.from({ length: 16 }, (_, n) => n * n + 1);
  const [first, second]: [number[], number[]] = [[], []];
  let at = 0;
  for (let n = 0; n < 12; n++) {
    at = ((at * 5) % 7) + n;
    first.push(input[at] ?? 0);
    if (at > 6) at = 1;
    second.push(input[at] ?? 0);
  }
  assert.equal(intsOf(run(kernel, new Uint8Array(input.buffer), 96)), [...first, ...second]);
});

test.run();
