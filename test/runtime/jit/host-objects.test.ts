/**
 * Control and objects of host functions: emitted code gives what the interpreter gives, spends the
 * same fuel, and fails with the same reason at the same place.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { StatusError } from '../../../runtime/base/errors.js';
import type { RawValue } from '../../../runtime/vm/executor.js';
import * as b from '../../generators/typed-builder.js';
import { agree } from './host-pair.js';

const { t } = b;

/** Made before any call: its own stack knows nothing of the program. */
const earlier = new StatusError('unavailable', 'not today');

const edges64 = [
  0n,
  1n,
  -1n,
  2n,
  -7n,
  2n ** 31n,
  -(2n ** 31n),
  2n ** 32n,
  3037000500n,
  2n ** 62n,
  2n ** 63n - 1n,
  -(2n ** 63n),
];

test('loops, labels, break and continue', () => {
  const f = new b.FunctionBuilder('f');
  const n = f.param('n', t.i64);
  const [i, sum, j] = [f.local('i', t.i64), f.local('sum', t.i64), f.local('j', t.i64)];
  const body = b.block(
    b.loop(
      i,
      { from: b.i64(-2), to: n.get, step: 3 },
      b.block(
        b.when(
          b.compare('==', b.arithmetic('%', i.get, b.i64(5)), b.i64(1)),
          b.block(b.continueLoop()),
        ),
        b.when(b.compare('>', i.get, b.i64(40)), b.block(b.breakLoop())),
        b.set(sum, b.add(sum.get, i.get)),
      ),
    ),
    b.whileLoop(
      b.compare('<', j.get, b.i64(10)),
      b.block(
        b.set(j, b.add(j.get, b.i64(1))),
        b.label(
          7,
          b.block(
            b.when(b.compare('==', j.get, b.i64(4)), b.block(b.leave(7))),
            b.set(sum, b.mul(sum.get, b.i64(3))),
          ),
        ),
      ),
    ),
    b.ret(sum.get, i.get, j.get),
  );
  agree([f.build([t.i64, t.i64, t.i64], body)], [[-5n], [0n], [1n], [30n], [100n]]);
});

test('a loop to the largest i64 ends, and an endless one runs out of fuel at the same place', () => {
  const f = new b.FunctionBuilder('f');
  const from = f.param('from', t.i64);
  const [i, n] = [f.local('i', t.i64), f.local('n', t.i64)];
  const body = b.block(
    b.loop(
      i,
      { from: from.get, to: b.i64(2n ** 63n - 1n), step: 2 },
      b.block(b.set(n, b.add(n.get, b.i64(1)))),
    ),
    b.whileLoop(
      b.compare('!=', n.get, b.i64(5)),
      b.block(b.set(n, b.add(n.get, b.i64(0))), b.set(i, n.get)),
    ),
    b.whileLoop(b.bool(true), b.block()),
  );
  const [outcome] = agree([f.build([], body)], [[2n ** 63n - 10n], [2n ** 63n - 8n], [0n]], {
    fuel: 1000,
  });
  assert.is(outcome!.error!.code, 'resourceExhausted');
});

test('calls spread results, count their depth and report every frame', () => {
  const f = new b.FunctionBuilder('outer');
  const n = f.param('n', t.i64);
  const [x, y] = [f.local('x', t.i64), f.local('y', t.f32)];
  const outer = f.build(
    [t.i64, t.f32],
    b.block(b.callStmt([x, y], b.call(1, t.void, [n.get])), b.ret(x.get, y.get)),
  );
  const g = new b.FunctionBuilder('inner');
  const m = g.param('m', t.i64);
  const inner = g.build(
    [t.i64, t.f32],
    b.block(
      b.when(
        b.compare('==', m.get, b.i64(13)),
        b.block(b.raise('reject', b.format(['no ', ' please'], [m.get]))),
      ),
      b.ret(b.arithmetic('/', b.i64(100), m.get), b.f32(1.5)),
    ),
  );
  const [fine, rejected, divided] = agree([outer, inner], [[7n], [13n], [0n]]);
  assert.equal(fine!.results, [14n, 1.5]);
  assert.is(rejected!.error!.reason, 'no 13 please');
  assert.is(rejected!.error!.code, 'invalidArgument');
  assert.is(rejected!.error!.frames.length, 2);
  assert.match(divided!.error!.reason, 'division by zero');

  const r = new b.FunctionBuilder('recurse');
  const depth = r.param('depth', t.i64);
  const recurse = r.build(
    [t.i64],
    b.block(
      b.when(b.compare('==', depth.get, b.i64(0)), b.block(b.ret(b.i64(0)))),
      b.ret(b.add(b.i64(1), b.call(0, t.i64, [b.sub(depth.get, b.i64(1))]))),
    ),
  );
  const deep = agree([recurse], [[3n], [256n], [257n], [3n]]);
  assert.is(deep[2]!.error!.code, 'resourceExhausted');
  assert.equal(deep[3]!.results, [3n]);
});

test('buffers: elements, narrowing, ranges, frozen bytes', () => {
  for (const elem of ['u8', 'i32', 'u32', 'i64', 'f32', 'f64'] as const) {
    const type = elem === 'u8' ? t.i64 : t[elem];
    const f = new b.FunctionBuilder('f');
    const [index, value] = [f.param('index', t.i64), f.param('value', type)];
    const buffer = f.local('buffer', t.buffer);
    const body = b.block(
      b.set(buffer, b.heap('buffer.new', t.buffer, [b.i64(24)])),
      b.bufferSet(buffer.get, elem, index.get, value.get),
      b.ret(b.bufferGet(buffer.get, elem, index.get), buffer.get),
    );
    const samples: RawValue[] =
      elem === 'u8' || elem === 'i64' ? [300n, -1n] : [1.5, 3].map(Math.trunc);
    const indices = [0n, 1n, 2n, 3n, 5n, 6n, 23n, 24n, -1n, 2n ** 32n, 2n ** 61n, -(2n ** 63n)];
    agree(
      [f.build([type, t.buffer], body)],
      indices.flatMap((at) => samples.map((v) => [at, v])),
    );
  }
  for (const elem of ['u8', 'i32', 'u32'] as const) {
    const f = new b.FunctionBuilder('f');
    const value = f.param('value', t.i64);
    const buffer = f.local('buffer', t.buffer);
    const body = b.block(
      b.set(buffer, b.heap('buffer.new', t.buffer, [b.i64(8)])),
      b.bufferNarrow(buffer.get, elem, b.i64(1), value.get),
      b.ret(buffer.get),
    );
    agree(
      [f.build([t.buffer], body)],
      [...edges64, 255n, 256n, 2n ** 32n - 1n].map((v) => [v]),
    );
  }
});

test('a store through a frozen buffer and slices of it', () => {
  const f = new b.FunctionBuilder('f');
  const which = f.param('which', t.i64);
  const [whole, part] = [f.local('whole', t.buffer), f.local('part', t.buffer)];
  const body = b.block(
    b.set(whole, b.heap('buffer.new', t.buffer, [b.i64(16)])),
    b.set(part, b.heap('buffer.slice', t.buffer, [whole.get, b.i64(4), b.i64(8)])),
    b.when(
      b.compare('==', which.get, b.i64(1)),
      b.block(b.set(part, b.heap('buffer.freeze', t.buffer, [part.get]))),
    ),
    b.bufferSet(part.get, 'i32', b.i64(1), b.i32(77)),
    b.callStmt(
      [],
      b.heap('buffer.copy', t.void, [whole.get, b.i64(0), part.get, b.i64(4), b.i64(4)]),
    ),
    b.ret(whole.get, b.heap('buffer.len', t.i64, [part.get])),
  );
  const [written, frozen] = agree([f.build([t.buffer, t.i64], body)], [[0n], [1n]]);
  assert.is((written!.results![0] as number[])[8], 77);
  assert.ok(frozen!.error);
});

test('records, lists and arrays of them', () => {
  const point = t.record('point', { x: t.i64, on: t.bool, y: t.f32, tag: t.string, v: t.f32x4 });
  const f = new b.FunctionBuilder('f');
  const n = f.param('n', t.i64);
  const [list, i, p] = [f.local('list', t.list(point)), f.local('i', t.i64), f.local('p', point)];
  const sum = f.local('sum', t.f32);
  const body = b.block(
    b.set(list, b.heap('list.new', t.list(point))),
    b.loop(
      i,
      { from: b.i64(0), to: n.get },
      b.block(
        b.listPush(
          list.get,
          b.recordNew(point, [
            i.get,
            b.compare('<', i.get, b.i64(3)),
            b.convert(t.f32, i.get),
            b.format(['#', ''], [i.get]),
            b.splat(t.f32x4, b.convert(t.f32, i.get)),
          ]),
        ),
      ),
    ),
    b.listSet(list.get, b.i64(2), b.listGet(list.get, b.i64(5))),
    b.loop(
      i,
      { from: b.i64(0), to: b.heap('list.len', t.i64, [list.get]) },
      b.block(
        b.set(p, b.listGet(list.get, i.get)),
        b.set(
          sum,
          b.add(sum.get, b.mul(b.field(p.get, 2), b.intrinsic('sum', t.f32, [b.field(p.get, 4)]))),
        ),
      ),
    ),
    b.ret(
      sum.get,
      b.field(b.listGet(list.get, b.i64(2)), 3),
      b.heap('list.len', t.i64, [list.get]),
    ),
  );
  agree([f.build([t.f32, t.string, t.i64], body)], [[6n], [20n], [5n], [0n]]);
});

test('arrays are copied where they are stored and nowhere else', () => {
  const array = t.array(t.i64, 3);
  const nested = t.array(array, 2);
  const f = new b.FunctionBuilder('f');
  const index = f.param('index', t.i64);
  const [a, c, d] = [f.local('a', array), f.local('c', array), f.local('d', nested)];
  const body = b.block(
    b.set(a, b.arrayNew(array, [b.i64(1), b.i64(2), b.i64(3)])),
    b.set(c, a.get),
    b.set(d, b.arrayNew(nested, [a.get, c.get])),
    b.arraySet(a.get, index.get, b.i64(50)),
    b.arraySet(b.arrayGet(d.get, b.i64(1)), b.i64(0), b.i64(60)),
    b.ret(
      b.arrayGet(a.get, b.i64(0)),
      b.arrayGet(c.get, b.i64(0)),
      b.arrayGet(b.arrayGet(d.get, b.i64(0)), b.i64(0)),
      b.heap('array.bytes', t.buffer, [c.get]),
    ),
  );
  const [outcome] = agree(
    [f.build([t.i64, t.i64, t.i64, t.buffer], body)],
    [[0n], [2n], [3n], [-1n]],
  );
  assert.equal(outcome!.results!.slice(0, 3), [50n, 1n, 1n]);
});

test('strings, sealed state and cells', () => {
  const state = t.record('state', { name: t.string, numbers: t.list(t.i64) });
  const other = t.record('other', { name: t.string });
  const f = new b.FunctionBuilder('f');
  const which = f.param('which', t.i64);
  const [list, ref, s] = [
    f.local('list', t.list(t.i64)),
    f.local('ref', t.ref),
    f.local('s', t.string),
  ];
  const opened = b.heap('open', state, [ref.get]);
  const body = b.block(
    b.set(list, b.heap('list.new', t.list(t.i64))),
    b.listPush(list.get, b.i64(41)),
    b.set(s, b.heap('string.concat', t.string, [b.text('grün'), b.text(' und blau')])),
    b.set(ref, b.heap('seal', t.ref, [b.recordNew(state, [s.get, list.get])])),
    b.when(b.compare('==', which.get, b.i64(1)), b.block(b.listPush(b.field(opened, 1), b.i64(1)))),
    b.when(
      b.compare('==', which.get, b.i64(2)),
      b.block(b.ret(b.field(b.heap('open', other, [ref.get]), 0), b.i64(0))),
    ),
    b.when(
      b.heap('string.eq', t.bool, [b.field(opened, 0), s.get]),
      b.block(
        b.ret(
          b.heap('string.slice', t.string, [s.get, b.i64(0), which.get]),
          b.listGet(b.field(opened, 1), b.i64(0)),
        ),
      ),
    ),
    b.ret(b.text('differs'), b.heap('string.find', t.i64, [s.get, b.text('blau'), b.i64(0)])),
  );
  agree([f.build([t.string, t.i64], body)], [[0n], [1n], [2n], [3n], [4n], [5n], [99n]]);
});

test('capabilities get and give unsigned numbers, and their errors get a position', () => {
  const f = new b.FunctionBuilder('f');
  const x = f.param('x', t.u32);
  const [y, z] = [f.local('y', t.u32), f.local('z', t.i64)];
  const func = f.build(
    [t.u32, t.i64],
    b.block(b.callStmt([y, z], b.capability(0, t.void, [x.get])), b.ret(y.get, z.get)),
  );
  const seen: RawValue[] = [];
  const outcomes = agree([func], [[2 ** 32 - 1], [0]], {
    imports: { imports: [b.importOf('m.pair', [t.u32], [t.u32, t.i64])] },
    capabilities: [
      ([value]) => {
        seen.push(value!);
        if (value === 0) throw earlier;
        return [(value as number) - 1, -5n];
      },
    ],
  });
  assert.equal(seen, [2 ** 32 - 1, 2 ** 32 - 1, 0, 0]);
  assert.equal(outcomes[0]!.results, [2 ** 32 - 2, -5n]);
  assert.is(outcomes[1]!.error!.frames.length, 1);
});

test('memory grows on demand and ends at the limit of the call', () => {
  const f = new b.FunctionBuilder('f');
  const n = f.param('n', t.i64);
  const pair = t.record('pair', { a: t.i64, b: t.i64 });
  const [i, last] = [f.local('i', t.i64), f.local('last', pair)];
  const body = b.block(
    b.loop(
      i,
      { from: b.i64(0), to: n.get },
      b.block(b.set(last, b.recordNew(pair, [i.get, n.get]))),
    ),
    b.ret(b.field(last.get, 0)),
  );
  const arenaBytes = 4 * 1024 * 1024;
  const [small, large] = agree([f.build([t.i64], body)], [[200_000n], [300_000n]], { arenaBytes });
  assert.equal(small!.results, [199_999n]);
  assert.match(large!.error!.reason, 'out of memory');
});

test.run();
